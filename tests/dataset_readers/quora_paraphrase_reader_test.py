import pytest
from allennlp.data.tokenizers import LettersDigitsTokenizer
from allennlp_models.pair_classification.dataset_readers.quora_paraphrase import (
    QuoraParaphraseDatasetReader as StockQuoraParaphraseReader,
)

from slstm_allennlp.dataset_readers import QuoraParaphraseReader
from tests.dataset_readers.common import contents


@pytest.fixture
def read(tmp_path):
    """Read a text, and return (label, premise, hypothesis) triples."""

    def run(text, reader_class=QuoraParaphraseReader):
        (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
        return [
            (found["label"], *(" ".join(map(str, found[side])) for side in ("premise", "hypothesis")))
            for found in contents(reader_class().read(tmp_path / "pairs.tsv"))
        ]

    return run


@pytest.mark.parametrize(
    "options",
    [{}, {"tokenizer": LettersDigitsTokenizer()}, {"combine_input_fields": True}, {"max_instances": 7}],
)
def test_reads_as_the_stock_reader_does(options):
    path = "fixtures/quora/dev.tsv"
    stock = contents(StockQuoraParaphraseReader(**options).read(path))
    assert contents(QuoraParaphraseReader(**options).read(path)) == stock
    assert len(stock) == options.get("max_instances", 50)


def test_quotation_marks_are_characters(read):
    text = '1\t" yes\the said " yes "\t0\n0\t"no" , no\tb\t1\n0\t" c " d\te\t2\n'
    assert read(text) == [
        ("1", '" yes', 'he said " yes "'),
        ("0", '"no" , no', "b"),
        ("0", '" c " d', "e"),
    ]
    assert read(text, StockQuoraParaphraseReader) == [("0", "no , no", "b"), ("0", "c d", "e")]


EXPECTED = "expected 4: 0 or 1, a sentence, another one and an id, with tabs between and no header line"


@pytest.mark.parametrize(
    "line, message",
    [
        ("1\ta\tb", f"3 columns, {EXPECTED}"),
        ("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate", f"6 columns, {EXPECTED}"),
        ("", f"1 column, {EXPECTED}"),
        ("2\ta\tb\t1", "the label is '2', expected 0 or 1, a sentence"),
        ("id\tsentence1\tsentence2\tlabel", "the label is 'id', expected 0 or 1"),
        ("1\t\tb\t1", "the first sentence is empty, expected text"),
        ("1\ta\t \t1", "the second sentence is empty, expected text"),
    ],
)
def test_bad_lines_are_named(read, line, message):
    with pytest.raises(ValueError) as error:
        read(f"0\ta\tb\t0\n{line}\n1\ta\tb\t2\n")
    assert f"pairs.tsv, line 2: {message}" in str(error.value)


@pytest.mark.parametrize("part, pairs", [("train", 200), ("dev", 50), ("test", 50)])
def test_the_bundled_corpus_reads(part, pairs):
    found = contents(QuoraParaphraseReader().read(f"fixtures/quora/{part}.tsv"))
    assert len(found) == pairs
    assert 0.4 < sum(int(one["label"]) for one in found) / pairs < 0.6
