import json

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from tests.dataset_readers.common import reader_of, values

READER = {"type": "parallel_text", "source_tokenizer": "whitespace"}


@pytest.fixture
def read(tmp_path):
    """Write two files, read them, and return (source, target) pairs."""

    def run(german, english, path="{folder}/train.{{de,en}}"):
        (tmp_path / "train.de").write_text(german, encoding="utf-8")
        (tmp_path / "train.en").write_text(english, encoding="utf-8")
        return [*map(values, reader_of("parallel_text").read(path.format(folder=tmp_path)))]

    return run


def test_lines_are_taken_as_they_are(read):
    """Quotation marks, tabs and other line separators are kept; surrounding white space is stripped."""
    german, english = ' " a\tb \n"c\u2028d\n', '"a\nb c\u2028"\r\n'
    assert read(german, english) == [('" a b', '"a'), ('"c d', 'b c "')]
    assert read(german, english, "{folder}/train.{{en,de}}") == [('"a', '" a b'), ('b c "', '"c d')]


def test_the_two_names_may_stand_anywhere(read, tmp_path):
    assert read("a\n", "b\n", "{folder}/{{train.de,train.en}}") == [("a", "b")]
    for name in ("de", "en"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text(name)
    assert read("a\n", "b\n", "{folder}/{{de,en}}/x.txt") == [("de", "en")]


@pytest.mark.parametrize(
    "name", ["train.de", "train.{de}", "train.{de,en,fr}", "{a,b}.{de,en}", "train.{de,}", "train.{de"]
)
def test_paths_that_do_not_name_two_files(name):
    with pytest.raises(ValueError) as error:
        list(reader_of("parallel_text").read(name))
    assert f"{name}: not the names of two files, expected a path such as data/train" in str(error.value)
    # The message suggests this argument for `allennlp evaluate`, which parses it like this.
    assert json.loads("[" + str(error.value).split("'")[-2] + "]") == ["data/test.{de,en}"]


@pytest.mark.parametrize(
    "german, english, message",
    [
        ("a\nb\nc\n", "a\n", "train.de has 3 lines and {folder}/train.en has 1, expected the same"),
        ("a\n", "a\nb\n", "train.de has 1 lines and {folder}/train.en has 2, expected the same"),
        ("a\n\n", "a\nb\n", "train.de, line 2: the source is empty, expected text"),
        ("a\nb\n", " \nb\n", "train.en, line 1: the target is empty, expected text"),
    ],
)
def test_files_that_do_not_fit_together(read, tmp_path, german, english, message):
    with pytest.raises(ValueError) as error:
        read(german, english)
    assert f"{tmp_path}/{message.format(folder=tmp_path)}" in str(error.value)


@pytest.mark.parametrize("key, value", [("delimiter", ","), ("quoting", 0)])
def test_there_are_no_columns(key, value):
    with pytest.raises(ConfigurationError, match=f"parallel_text: there is no {key}"):
        DatasetReader.from_params(Params({**READER, key: value}))


def test_an_archive_of_columns_without_quotation_marks_reads_two_files():
    reader = DatasetReader.from_params(Params({**READER, "quoting": 3}))
    assert len(list(reader.read("fixtures/translation/dev.{de,en}"))) == 50
