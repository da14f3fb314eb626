import logging

import pytest
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp_models.generation.dataset_readers.seq2seq import Seq2SeqDatasetReader as StockSeq2SeqReader

from slstm_allennlp.dataset_readers import Seq2SeqReader
from tests.dataset_readers.common import NoMarks, contents


@pytest.fixture
def read(tmp_path):
    """Read a text with a reader of these options, and return (source, target) pairs."""

    def run(text, **options):
        (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
        options.setdefault("source_tokenizer", WhitespaceTokenizer())
        reader = Seq2SeqReader(**options)
        return [
            tuple(" ".join(map(str, one[f"{side}_tokens"][1:-1])) for side in ("source", "target"))
            for one in contents(reader.read(tmp_path / "pairs.tsv"))
        ]

    return run


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target_tokenizer": WhitespaceTokenizer(), "source_max_tokens": 4},
        {"source_add_start_token": False, "target_add_end_token": False, "max_instances": 7},
    ],
)
@pytest.mark.parametrize("part, pairs", [("train", 300), ("dev", 50), ("test", 50)])
def test_reads_as_the_stock_reader_does(part, pairs, options):
    options = {"source_tokenizer": WhitespaceTokenizer(), **options}
    path = f"fixtures/translation/{part}.tsv"
    stock = contents(StockSeq2SeqReader(**options).read(path))
    assert contents(Seq2SeqReader(**options).read(path)) == stock
    assert len(stock) == options.get("max_instances", pairs)


@pytest.mark.parametrize(
    "text, options",
    [
        ('"a, b",c\n"he said ""hi""",d\n', {"delimiter": ","}),
        ("a b\tc\r\nd\te\r\n", {}),
        ('" a\tb " c\nd\t"\n', {"quoting": 3}),
        ('a "b" c\td\n"a\tb"\t""""\n', {}),
    ],
)
def test_reads_other_forms_as_the_stock_reader_does(tmp_path, text, options):
    (tmp_path / "pairs").write_bytes(text.encode())
    options = {"source_tokenizer": WhitespaceTokenizer(), **options}
    stock = contents(StockSeq2SeqReader(**options).read(tmp_path / "pairs"))
    assert contents(Seq2SeqReader(**options).read(tmp_path / "pairs")) == stock
    assert len(stock) == 2


def test_what_is_truncated_is_counted(read, caplog):
    caplog.set_level(logging.INFO)
    assert read("a b c\td\ne\tf\n", source_max_tokens=2) == [("a b", "d"), ("e", "f")]
    assert "1 sources of more than 2 tokens were truncated" in caplog.text
    assert "targets" not in caplog.text


QUOTING = '("quoting": 3 takes quotation marks as they are)'
OPEN = (
    "a text begins with a quotation mark and does not end with one, expected a source and a target "
    + QUOTING
)
COLUMNS = "expected 2, a source and a target with '\\t' between"


@pytest.mark.parametrize(
    "line, message",
    [
        ("a b", f"1 column, {COLUMNS}"),
        ("a\tb\tc", f"3 columns, {COLUMNS}"),
        ("", f"0 columns, {COLUMNS}"),
        ('"a\tb"', f"1 column, {COLUMNS} {QUOTING}"),
        ('" a\tb', OPEN),
        ('a\t" b', OPEN),
        ('" a " , he said\tb', OPEN),
        ("\tb", "the source is empty, expected text"),
        ("a\t ", "the target is empty, expected text"),
        ('a\t""', "the target is empty, expected text"),
        ("a\rb\tc", "new-line character seen in unquoted field"),
    ],
)
def test_bad_lines_are_named(read, line, message):
    with pytest.raises(ValueError) as error:
        read(f'a\tb\n{line}\nc " \td\n')
    assert f"pairs.tsv, line 2: {message}" in str(error.value)


def test_a_target_without_tokens(read):
    with pytest.raises(ValueError, match=r"line 1: the target is '…', which has no tokens"):
        read(
            "a\t…\n",
            target_tokenizer=NoMarks(),
            target_add_start_token=False,
            target_add_end_token=False,
        )


def test_nothing_to_translate():
    reader = Seq2SeqReader(WhitespaceTokenizer())
    with pytest.raises(ValueError, match="the source is ' ', expected text"):
        reader.text_to_instance(" ")
