import json

import pytest
from allennlp.data.dataset_readers import TextClassificationJsonReader as StockReader

from tests.dataset_readers.common import stock_reader_of, values

NAME = "text_classification_json"
EXAMPLES = [
    {"text": "Who painted it ?", "label": "question", "id": 7},
    {"text": "The letter came late .", "label": 3},
    {"text": "Did it ?", "label": True},
]
VALUES = [("Who painted it ?", "question"), ("The letter came late .", "3"), ("Did it ?", "True")]


def lines(*examples):
    return "".join(json.dumps(example) + "\n" for example in examples)


def stock_values(path, **options):
    return [*map(values, stock_reader_of(StockReader, NAME, **options).read(path))]


@pytest.mark.parametrize("options", [{}, {"max_sequence_length": 2}, {"max_instances": 2}])
def test_reads_as_the_stock_reader_does(read, tmp_path, options):
    ours = read(NAME, lines(*EXAMPLES), **options)
    assert ours == stock_values(tmp_path / "corpus", **options)
    limit = options.get("max_sequence_length", 99)
    expected = [(" ".join(text.split()[:limit]), label) for text, label in VALUES]
    assert ours == expected[: options.get("max_instances")]


def test_keys_and_labels_that_are_numbers(read, tmp_path):
    options = {"text_key": "body", "label_key": "class", "skip_label_indexing": True}
    ours = read(NAME, lines({"body": "a b", "class": "1"}, {"body": "c", "class": 0}), **options)
    assert ours == stock_values(tmp_path / "corpus", **options) == [("a b", 1), ("c", 0)]


def test_a_byte_order_mark_and_windows_line_ends(read):
    assert read(NAME, "\ufeff" + lines(*EXAMPLES).replace("\n", "\r\n")) == VALUES


def test_no_labels_at_all(read, tmp_path, caplog):
    assert read(NAME, lines({"text": "a b"}, {"text": "c", "label": None})) == [("a b",), ("c",)]
    assert f"{tmp_path / 'corpus'}: no text has a label, so the file cannot be used" in caplog.text
    caplog.clear()
    read(NAME, lines(*EXAMPLES))
    assert "no text has a label" not in caplog.text


def test_labels_have_no_white_space_around_them(read):
    labels = ("x ", "\tx", "x", "x\u00a0", " 1", 1)
    found = read(NAME, lines(*({"text": "a", "label": label} for label in labels)))
    assert [label for _, label in found] == ["x"] * 4 + ["1"] * 2
