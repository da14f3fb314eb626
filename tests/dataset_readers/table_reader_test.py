import logging

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import WhitespaceTokenizer

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers import TableReader


@pytest.fixture
def read(tmp_path):
    """Return the texts and the label of each instance."""

    def run(name, content, **options):
        (tmp_path / name).write_text(content, encoding=options.get("encoding", "utf-8"))
        reader = TableReader(tokenizer=WhitespaceTokenizer(), **options)
        return [
            (
                *(
                    " ".join(token.text for token in instance[key].tokens)
                    for key in ("tokens", "premise", "hypothesis")
                    if key in instance.fields
                ),
                instance["label"].label if "label" in instance.fields else None,
            )
            for instance in reader.read(str(tmp_path / name))
        ]

    return run


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
        ("t.csv", '"a, b",x\nc,y\n', {"columns": ["text", "label"]}, TEXTS),
        ("t.tsv", 'text\tlabel\n"a\tx\nb"\ty\n', {"quoting": False}, [('"a', "x"), ('b"', "y")]),
        ("t.csv", "text,label\né,x\n", {"encoding": "latin-1"}, [("é", "x")]),
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
    assert read(name, content, **options) == expected
    assert [text for text in caplog.messages if f"{name}: the columns " in text]


def test_a_table_without_labels(read, caplog):
    assert read("t.csv", "text\na\nb\n") == [("a", None), ("b", None)]
    assert "no text has a label, so the file cannot be used for training" in caplog.text


@pytest.mark.parametrize(
    "name, content, options, message",
    [
        ("t.csv", "a,b\n1,2\n", {}, "line 2: the columns are a, b, expected the columns text and label"),
        ("t.csv", "text;label\na;b\n", {}, "line 2: the columns are text;label, expected .*delimiter"),
        ("t.csv", "sentence,review\na,b\n", {}, "line 2: the columns sentence and review all fit"),
        ("t.csv", "text,text\na,b\n", {}, "line 1: the columns are text, text, expected different"),
        ("t.csv", 'text,label\na,x\n"b\n\n",y,z\n', {}, "line 3: 3 columns, expected 2: text, label"),
        ("t.csv", 'text,label\na,x\n"b,y\n', {}, "line 3: unexpected end of data, .*quoting"),
        ("t.csv", 'text,label\n"a" b,x\n', {}, "line 2: .* expected fields with ',' between; .quoting"),
        ("t.tsv", 'text\tlabel\n"a\tx\nb"\ty\n', {}, "line 2: a field in quotation marks has a tab"),
        ("t.csv", "text,label\n ,x\n", {}, "line 2: the text is empty"),
        ("t.csv", "text,label\na,x\nb,\n", {}, 'line 3: label is "", and the lines before have labels'),
        ("t.jsonl", '{"text": "a", "label": 0.5}\n', {}, "line 1: label is 0.5, expected a string"),
        ("t.jsonl", '{"text": ["a"], "label": "x"}\n', {}, r'line 1: text is \["a"\], expected'),
        ("t.jsonl", "text\n", {}, "line 1: not JSON"),
        ("t.csv", "", {}, "the file is empty"),
    ],
)
def test_bad_lines_are_named(read, name, content, options, message):
    with pytest.raises(CorpusError, match=f"{name}(, |: ){message}"):
        read(name, content, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"text_a": "a"}, "text_a 'a' and text_b None, expected text, or text_a and text_b"),
        ({"text": "t", "text_a": "a", "text_b": "b"}, "expected text, or text_a and text_b"),
        ({"delimiter": ";;"}, "delimiter is ';;', expected one character"),
        ({"encoding": "x"}, "encoding is 'x'"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ConfigurationError, match=message):
        TableReader(**options)
