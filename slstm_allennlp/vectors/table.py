"""Vectors of words, and how a word is found."""

from abc import ABC, abstractmethod
from typing import Any, List, NamedTuple, Sequence, Tuple

import numpy
from allennlp.common.checks import ConfigurationError
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.symbols import IDS

_SAMPLE = 20_000  # rows from which the scale is taken


class WordVectors(ABC):
    name: str  # of the source, for messages
    size: int  # numbers in a vector
    std: float  # the standard deviation of the numbers, of up to 20,000 rows

    @abstractmethod
    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """
        Looks up each word as it is written, then in lower case, then capitalised.

        # Returns

        `Tuple[numpy.ndarray, numpy.ndarray]`
            Whether each word has a vector, *Shape:* (num_words,); the vectors of those that have one,
            *Shape:* (num_found, size)
        """


class Index(NamedTuple):
    """
    The rows of words by a 64-bit hash of each, spaCy's `hash_string`. Two of a million words share a
    hash with a probability below 1e-7.
    """

    keys: numpy.ndarray  # sorted, *Shape:* (num_words,)
    rows: numpy.ndarray  # *Shape:* (num_words,)

    @classmethod
    def of(cls, keys: Sequence[int], rows: Sequence[int]) -> "Index":
        """Of unsorted keys; the first of equal ones counts."""
        unique, first = numpy.unique(numpy.asarray(keys, dtype=numpy.uint64), return_index=True)
        return cls(unique, numpy.asarray(rows, dtype=numpy.int64)[first])

    def find(self, words: Sequence[str]) -> numpy.ndarray:
        """The row of each word, -1 for none. *Shape:* (num_words,)"""
        wanted = numpy.array([key_of(word) for word in words], dtype=numpy.uint64)
        if not len(self.keys):
            return numpy.full(len(words), -1)
        places = numpy.minimum(numpy.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return numpy.where(self.keys[places] == wanted, self.rows[places], -1)


def key_of(word: str) -> int:
    """A word's hash. Half a surrogate pair, which UTF-8 cannot write, is left out of it."""
    return hash_string(word.encode("utf-8", "ignore").decode("utf-8"))


class VectorTable(WordVectors):
    """A matrix, which may be memory-mapped, *Shape:* (num_rows, size), and the rows of words in it."""

    def __init__(self, name: str, index: Index, vectors: numpy.ndarray) -> None:
        self.name = name
        self.size = vectors.shape[1]
        self.std = _std(name, vectors[:_SAMPLE])
        self._index = index
        self._vectors = vectors

    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        rows = numpy.full(len(words), -1)
        for form in (str, str.lower, str.capitalize):
            left = numpy.flatnonzero(rows < 0).tolist()
            rows[left] = self._index.find([form(words[number]) for number in left])
        found = rows >= 0
        return found, numpy.asarray(self._vectors[rows[found]], dtype=numpy.float32)


def _std(name: str, vectors: numpy.ndarray) -> float:
    std = float(vectors.std())
    if not 0 < std < numpy.inf:
        raise ConfigurationError(
            f"vectors: the numbers of {name} have a standard deviation of {std}, expected one above 0"
        )
    return std


class FloretVectors(WordVectors):
    """spaCy's `Vectors` in the mode `floret`, which any word has: the sum of those of its parts."""

    def __init__(self, name: str, vectors: Any) -> None:
        self.name = name
        self.size = vectors.shape[1]
        self._vectors = vectors
        self.std = _std(name, self.lookup(list(IDS))[1])  # of some words, which have means of the rows

    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        known: List[str] = list(words)
        found = numpy.ones(len(known), dtype=bool)
        return found, numpy.asarray(self._vectors.get_batch(known), dtype=numpy.float32)
