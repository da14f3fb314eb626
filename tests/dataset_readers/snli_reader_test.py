import json
import logging

import pytest
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp_models.pair_classification.dataset_readers.snli import SnliReader as StockSnliReader

from slstm_allennlp.dataset_readers import SnliReader
from slstm_allennlp.tokenizers import SpacyBlankTokenizer
from tests.dataset_readers.common import NoMarks, contents


def pair(label="neutral", premise="a b", hypothesis="c d"):
    return {"gold_label": label, "sentence1": premise, "sentence2": hypothesis}


@pytest.fixture
def read(tmp_path):
    """Write lines (text, or objects as JSON), read them with these options, and return the contents."""

    def run(lines, **options):
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (tmp_path / "pairs.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")
        options.setdefault("tokenizer", WhitespaceTokenizer())
        return contents(SnliReader(**options).read(tmp_path / "pairs.jsonl"))

    return run


@pytest.mark.parametrize(
    "options",
    [{}, {"collapse_labels": True}, {"combine_input_fields": True}, {"max_instances": 7}],
)
def test_reads_as_the_stock_reader_does(options):
    options["tokenizer"] = SpacyBlankTokenizer()
    for part in ("train", "dev"):
        path = f"fixtures/snli/{part}.jsonl"
        stock = contents(StockSnliReader(**options).read(path))
        assert contents(SnliReader(**options).read(path)) == stock
        assert len(stock) == options.get("max_instances", {"train": 298, "dev": 60}[part])


def test_pairs_without_a_gold_label_are_counted(read, caplog):
    caplog.set_level(logging.INFO)
    assert len(read([pair("-"), pair(), pair("-", premise=""), pair("entailment")])) == 2
    expected = 'pairs.jsonl: 2 of 4 pairs have no gold label ("-") and were left out'
    assert [text for text in caplog.messages if text.endswith(expected)]
    caplog.clear()
    read([pair()])
    assert "left out" not in caplog.text


NOT_A_LABEL = (
    'expected entailment, neutral, contradiction or "-" '
    "(pairs without a label are for `allennlp predict`)"
)


@pytest.mark.parametrize(
    "line, message",
    [
        (pair("hidden"), f'gold_label is "hidden", {NOT_A_LABEL}'),
        (pair(None), f"gold_label is null, {NOT_A_LABEL}"),
        ({"sentence1": "a", "sentence2": "b"}, f"gold_label is missing, {NOT_A_LABEL}"),
        ({"gold_label": "neutral", "sentence2": "b"}, "sentence1 is missing, expected {"),
        (pair(hypothesis=None), "sentence2 is null, expected {"),
        (pair(premise=3), "sentence1 is 3, expected {"),
        (pair(premise=""), "the premise (sentence1) is empty, expected text"),
        (pair(hypothesis=" \t"), "the hypothesis (sentence2) is empty, expected text"),
        ("neutral\ta\tb", "not JSON (Expecting value at character 1), expected {"),
        ("", "not JSON (Expecting value"),
        ("[1]", "not a JSON object, expected {"),
    ],
)
def test_bad_lines_are_named(read, line, message):
    with pytest.raises(ValueError) as error:
        read([pair(), line, pair()])
    assert f"pairs.jsonl, line 2: {message}" in str(error.value)


def test_a_sentence_without_tokens(read):
    with pytest.raises(
        ValueError, match=r"line 1: the premise \(sentence1\) is '…', which has no tokens"
    ):
        read([pair(premise="…")], tokenizer=NoMarks())
    assert len(read([pair(premise="…")])) == 1


def test_a_file_without_a_labelled_pair(read):
    with pytest.raises(ValueError, match='none of 2 pairs has a gold label, all have "-"'):
        read([pair("-"), pair("-")])


def test_the_bundled_corpus_reads():
    reader = SnliReader(SpacyBlankTokenizer())
    for part, count in (("train", 298), ("dev", 60), ("test", 60)):
        labels = [instance["label"].label for instance in reader.read(f"fixtures/snli/{part}.jsonl")]
        assert len(labels) == count
        assert min(labels.count(label) for label in set(labels)) > count / 5
