import csv
import re
from itertools import zip_longest
from typing import Any, Iterator, List, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from slstm_allennlp.dataset_readers.lines import read_lines
from slstm_allennlp.dataset_readers.seq2seq_reader import Seq2SeqReader

_EXPECTED = (
    "expected a path such as data/train.{de,en}, the source's file first (`allennlp evaluate` splits "
    "names at commas, unless they stand in two pairs of quotation marks: '\"data/test.{de,en}\"')"
)


@DatasetReader.register("parallel_text")
class ParallelTextReader(Seq2SeqReader):
    """
    Reads translations in two files, a sentence a line, of which one holds the source and the other its
    translation. The path names both, as the shell does: `data/train.{de,en}`, the source's file first.
    The command `allennlp evaluate` takes a comma for the end of a name, unless the name is JSON:
    `allennlp evaluate model.tar.gz '"data/test.{de,en}"'`.

    The instances are those of `Seq2SeqReader`. White space around a sentence is not part of it.

    Registered as a `DatasetReader` with name "parallel_text".

    # Parameters

    source_tokenizer, target_tokenizer, …
        As in AllenNLP's `Seq2SeqDatasetReader`, but for `delimiter` and any `quoting` but 3, for none:
        there are no columns.

    # Errors

    `ConfigurationError` for a `delimiter` or `quoting`. While reading, `ValueError`: for a path that
    does not name two files, a file that is missing, unreadable, empty or not UTF-8, and files of
    different length; and, with file and line, for a sentence that is empty or of which the tokenizer
    leaves nothing.
    """

    def __init__(self, **kwargs: Any) -> None:
        if kwargs.get("quoting") == csv.QUOTE_NONE:  # what is so anyway
            del kwargs["quoting"]
        for key in ("delimiter", "quoting"):
            if key in kwargs:
                raise ConfigurationError(
                    f"parallel_text: there is no {key}, as its files hold one sentence a line; expected "
                    'a reader of type "seq2seq" for files with columns'
                )
        super().__init__(**kwargs)

    def _translations(self, path: str) -> Iterator[Tuple[str, str]]:
        paths = _two_paths(path)
        numbers = [0, 0]
        for source, target in zip_longest(*map(read_lines, paths)):
            numbers[0] += source is not None
            numbers[1] += target is not None
            if source is not None and target is not None:
                source.expect_text("source", source.text, self._source_tokenizer)
                target.expect_text("target", target.text, self._target_tokenizer)
                yield source.text.strip(), target.text.strip()
        if numbers[0] != numbers[1]:
            raise ValueError(
                f"{paths[0]} has {numbers[0]} lines and {paths[1]} has {numbers[1]}, expected the same "
                "number: the translation of every line on the line of the same number"
            )


def _two_paths(path: str) -> List[str]:
    found = re.fullmatch(r"([^{}]*)\{([^{},]+),([^{},]+)\}([^{}]*)", path)
    if found is None:
        raise ValueError(f"{path}: not the names of two files, {_EXPECTED}")
    return [f"{found[1]}{name}{found[4]}" for name in (found[2], found[3])]
