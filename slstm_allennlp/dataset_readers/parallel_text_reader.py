import csv
import re
from itertools import zip_longest
from typing import Any, Iterator, List, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import read_lines
from slstm_allennlp.dataset_readers.seq2seq_reader import Seq2SeqReader

_EXPECTED = (
    "expected a path such as data/train.{de,en}, the source's file first (`allennlp evaluate` splits "
    "names at commas, unless they stand in two pairs of quotation marks: '\"data/test.{de,en}\"')"
)


@DatasetReader.register("parallel_text")
class ParallelTextReader(Seq2SeqReader):
    """
    Read translations from two files with one sentence per line: the source and the target. The path
    names both files as in a shell, source first: `data/train.{de,en}`. The command `allennlp evaluate`
    splits names at commas, so there the path must be a JSON string:
    `allennlp evaluate model.tar.gz '"data/test.{de,en}"'`.

    The instances are those of `Seq2SeqReader`. White space around a sentence is removed. `CorpusError`
    as in `CorpusReader`, and for files of different lengths.

    # Parameters

    source_tokenizer, target_tokenizer, …
        As in AllenNLP's `Seq2SeqDatasetReader`, except `delimiter` and `quoting`: the files have no
        columns. Only `"quoting": 3` (none) is accepted.
    """

    def __init__(self, **kwargs: Any) -> None:
        if kwargs.get("quoting") == csv.QUOTE_NONE:  # the files have no quoting anyway
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
            raise CorpusError(
                f"{paths[0]} has {numbers[0]} lines and {paths[1]} has {numbers[1]}, expected the same "
                "number: the translation of every line on the line of the same number"
            )


def _two_paths(path: str) -> List[str]:
    found = re.fullmatch(r"([^{}]*)\{([^{},]+),([^{},]+)\}([^{}]*)", path)
    if found is None:
        raise CorpusError(f"{path}: not the names of two files, {_EXPECTED}")
    return [f"{found[1]}{name}{found[4]}" for name in (found[2], found[3])]
