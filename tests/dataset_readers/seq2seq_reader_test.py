import logging

import pytest
from allennlp_models.generation import Seq2SeqDatasetReader

from tests.dataset_readers.common import contents, reader_of, stock_reader_of


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
    stock = contents(
        stock_reader_of(Seq2SeqDatasetReader, "seq2seq", **options).read(tmp_path / "pairs")
    )
    assert contents(reader_of("seq2seq", **options).read(tmp_path / "pairs")) == stock
    assert len(stock) == 2


def test_what_is_truncated_is_counted(read, caplog):
    caplog.set_level(logging.INFO)
    assert read("seq2seq", "a b c\td\ne\tf\n", source_max_tokens=2) == [("a b", "d"), ("e", "f")]
    assert "1 sources of more than 2 tokens were truncated" in caplog.text
    assert "targets" not in caplog.text


def test_nothing_to_translate():
    with pytest.raises(ValueError, match="the source is ' ', expected text"):
        reader_of("seq2seq").text_to_instance(" ")
