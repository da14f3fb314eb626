import logging

import pytest

TEXTS = [("a, b", "x"), ("c", "y")]
PAIRS = [("a", "b", "same"), ("c", "d", "1")]


@pytest.mark.parametrize(
    "name, content, options, expected",
    [
        ("t.csv", 'text,label\n"a, b",x\nc,y\n', {}, TEXTS),
        ("t.csv", '\ufeffid,Review,Sentiment\r\n1,"a,\r\n\r\nb",x \r\n\r\n2,c,y\r\n', {}, TEXTS),
        ("t.tsv", "label\ttext\tid\nx\ta, b\t1\ny\tc\t\n", {}, TEXTS),
        ("t.txt", 'tweet\tclass\n"a, b"\tx\nc\ty\n', {}, TEXTS),
        ("t.jsonl", '{"text": "a, b", "label": "x", "n": 4}\n{"label": "y ", "text": "c"}\n', {}, TEXTS),
        ("t.csv", "a;b\na, b;x\nc;y\n", {"delimiter": ";", "text": "a", "label": "b"}, TEXTS),
        ("t.csv", 'text;label\na, b;x\nc;y\n', {}, TEXTS),
        ("t.csv", '"a, b",x\nc,y\n', {"columns": ["text", "label"]}, TEXTS),
        ("t.tsv", 'text\tlabel\n"a\tx\nb"\ty\n', {"quoting": False}, [('"a', "x"), ('b"', "y")]),
        ("t.csv", "text,label\né,x\n".encode("latin-1"), {"encoding": "latin-1"}, [("é", "x")]),
        ("t.csv", "text,label,gold_label\na,x,y\n", {"label": "gold_label"}, [("a", "y")]),
        ("t.csv", "text,sentence,label,class\na,b,x,y\n", {}, [("a", "x")]),
        ("p.csv", "text_a,text_b,label\na,b,same\nc,d,1\n", {}, PAIRS),
        ("p.tsv", "Question1\tquestion2\tis_duplicate\na\tb\tsame\nc\td\t1\n", {}, PAIRS),
        ("p.json", '{"premise": "a", "hypothesis": "b", "label": "same"}\n'
            '{"premise": "c", "hypothesis": "d", "label": 1}\n', {}, PAIRS),
        ("p.csv", "l,x,y\nsame,a,b\n1,c,d\n", {"text_a": "x", "text_b": "y", "label": "l"}, PAIRS),
    ],
)  # fmt: skip
def test_tables(read, caplog, name, content, options, expected):
    caplog.set_level(logging.INFO)
    assert read("table", content, name, **options) == expected
    assert [text for text in caplog.messages if f"{name}: the columns " in text]


def test_a_table_without_labels(read, caplog):
    assert read("table", "text\na\nb\n", "t.csv") == [("a",), ("b",)]
    assert "no text has a label, so the file cannot be used for training" in caplog.text
