import json
import logging

from tests.dataset_readers.common import NoMarks


def lines(*labels, premise="a b"):
    pairs = [{"gold_label": label, "sentence1": premise, "sentence2": "c d"} for label in labels]
    return "".join(json.dumps(pair) + "\n" for pair in pairs)


def test_pairs_without_a_gold_label_are_counted(read, caplog):
    caplog.set_level(logging.INFO)
    text = lines("-", "neutral") + lines("-", premise="") + lines("entailment")
    assert read("snli", text) == [("a b", "c d", "neutral"), ("a b", "c d", "entailment")]
    expected = 'corpus: 2 of 4 pairs have no gold label ("-") and were left out'
    assert [text for text in caplog.messages if text.endswith(expected)]
    caplog.clear()
    read("snli", lines("neutral"))
    assert "left out" not in caplog.text


def test_marks_are_words_of_other_tokenizers(read):
    """mistakes_test.py has a tokenizer that drops them."""
    assert read("snli", lines("neutral", premise="…"))[0][0] == "…"
    assert read("snli", lines("neutral", premise="a…"), tokenizer=NoMarks())[0][0] == "a"
