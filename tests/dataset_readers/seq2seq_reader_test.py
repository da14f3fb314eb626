import logging

import pytest

from tests.dataset_readers.common import reader_of


def test_what_is_truncated_is_counted(read, caplog):
    caplog.set_level(logging.INFO)
    assert read("seq2seq", "a b c\td\ne\tf\n", source_max_tokens=2) == [("a b", "d"), ("e", "f")]
    assert "1 sources of more than 2 tokens were truncated" in caplog.text
    assert "targets" not in caplog.text


def test_nothing_to_translate():
    with pytest.raises(ValueError, match="the source is ' ', expected text"):
        reader_of("seq2seq").text_to_instance(" ")
