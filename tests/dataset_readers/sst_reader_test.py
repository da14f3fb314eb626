import logging

import pytest
from allennlp.data.tokenizers import LettersDigitsTokenizer
from allennlp_models.classification.dataset_readers.stanford_sentiment_tree_bank import (
    StanfordSentimentTreeBankDatasetReader as StockSstReader,
)

from slstm_allennlp.dataset_readers import StanfordSentimentTreebankReader
from tests.dataset_readers.common import NoMarks, contents


@pytest.fixture
def read(tmp_path):
    """Read a text with a reader of these options, and return (label, text) pairs."""

    def run(text, **options):
        (tmp_path / "trees.txt").write_text(text, encoding="utf-8")
        reader = StanfordSentimentTreebankReader(**options)
        return [
            (one["label"], " ".join(map(str, one["tokens"])))
            for one in contents(reader.read(tmp_path / "trees.txt"))
        ]

    return run


@pytest.mark.parametrize("use_subtrees", [False, True])
@pytest.mark.parametrize("granularity", ["2-class", "3-class", "5-class"])
@pytest.mark.parametrize("tokenizer", [None, LettersDigitsTokenizer()])
def test_reads_as_the_stock_reader_does(tokenizer, granularity, use_subtrees):
    options = {"tokenizer": tokenizer, "granularity": granularity, "use_subtrees": use_subtrees}
    for part in ("train", "dev", "test"):
        path = f"fixtures/sst/{part}.txt"
        stock = contents(StockSstReader(**options).read(path))
        assert contents(StanfordSentimentTreebankReader(**options).read(path)) == stock


def test_escapes_stay_and_no_break_spaces_part(read):
    """As in AllenNLP's reader. Blank lines are skipped."""
    text = "(3 (2 9\u00a01\\/2) (2 w\\*\\*s))\n\n \n( 4\t(2 a)(2 b) )\r\n"
    assert read(text) == [("3", "9 1\\/2 w\\*\\*s"), ("4", "a b")]


TREES = "(3 (2 the) (3 (3 good) (2 film)))\n(2 (2 a) (2 film))\n(1 dull)\n"


@pytest.mark.parametrize(
    "use_subtrees, kept, message",
    [(False, 2, "1 of 3 sentences are neutral"), (True, 4, "5 of 9 phrases are neutral")],
)
def test_what_two_classes_leave_out_is_counted(read, caplog, use_subtrees, kept, message):
    caplog.set_level(logging.INFO)
    assert len(read(TREES, granularity="2-class", use_subtrees=use_subtrees)) == kept
    assert f"trees.txt: {message} and were left out for 2-class" in caplog.text
    caplog.clear()
    assert len(read(TREES, granularity="3-class", use_subtrees=use_subtrees)) > kept
    assert "left out" not in caplog.text


EXPECTED = "expected one tree with a label from 0 to 4 on every node, such as (3 (4 good) (2 film))"


@pytest.mark.parametrize(
    "line, message",
    [
        ("a good film", "not one tree in brackets"),
        ("(3 (2 a) (3 b)", "not one tree in brackets"),
        ("(3 (2 a) (3 b)))", "not one tree in brackets"),
        ("(3 a) (2 b)", "not one tree in brackets"),
        ("(3 a) b", "not one tree in brackets"),
        ("(5 (2 a) (3 b))", "a node has the label '5'"),
        ("(3 (2 a) (7 b))", "a node has the label '7'"),
        ("(3 (2 a) (-1 b))", "a node has the label '-1'"),
        ("((2 a) (3 b))", "a node has the label ''"),
        ("(S (NP a) (VP b))", "a node has the label 'S'"),
        ("(3 (2 a) b)", "the word 'b' has no node of its own"),
        ("(3 (2 a b) (2 c))", "the word 'b' has no node of its own"),
        ("(3 (2) (2 c))", "a node with the label 2 has no word"),
    ],
)
@pytest.mark.parametrize("use_subtrees", [False, True])
def test_bad_lines_are_named(read, line, message, use_subtrees):
    with pytest.raises(ValueError) as error:
        read(f"(3 good)\n{line}\n(1 bad)\n", use_subtrees=use_subtrees)
    assert f"trees.txt, line 2: {message}, {EXPECTED}" in str(error.value)


def test_files_of_which_nothing_is_left(read):
    with pytest.raises(ValueError, match=r"trees\.txt, line 2: '…' has no tokens, expected words"):
        read("(3 a)\n(2 …)\n", tokenizer=NoMarks())
    with pytest.raises(ValueError, match=r"trees\.txt: no sentences but 2 neutral ones, .* 2-class"):
        read("(2 a)\n(2 b)\n", granularity="2-class")
    with pytest.raises(ValueError, match=r"trees\.txt: no tree in the file, expected one tree"):
        read("\n\n")


@pytest.mark.parametrize("part, sentences", [("train", 120), ("dev", 40), ("test", 40)])
def test_the_bundled_corpus_reads(part, sentences):
    found = contents(StanfordSentimentTreebankReader().read(f"fixtures/sst/{part}.txt"))
    assert len(found) == sentences
    assert {one["label"] for one in found} == set("01234")
