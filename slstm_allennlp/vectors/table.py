"""Tables of word vectors, and the lookup of words."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Sequence, Tuple

import numpy
from allennlp.common.checks import ConfigurationError
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.symbols import IDS

_SAMPLE = 20_000  # the rows from which the standard deviation is estimated


class WordVectors(ABC):
    name: str  # of the source, for messages
    size: int  # of a vector
    std: float  # the standard deviation of the components, estimated from a sample

    @abstractmethod
    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """
        Look up each word as written, then in lower case, then capitalised. Return whether each has a
        vector, (num_words,), and the vectors of the words found, (num_found, size).
        """


class Index(NamedTuple):
    """
    A sorted index from the 64-bit hash of a word, spaCy's `hash_string`, to its row. The probability
    that any two of a million words collide is below 1e-7.
    """

    keys: numpy.ndarray  # sorted, *Shape:* (num_words,)
    rows: numpy.ndarray  # *Shape:* (num_words,)

    @classmethod
    def of(cls, keys: Sequence[int], rows: Sequence[int]) -> "Index":
        """Build the index from unsorted keys. Of duplicates, the first is used."""
        unique, first = numpy.unique(numpy.asarray(keys, dtype=numpy.uint64), return_index=True)
        return cls(unique, numpy.asarray(rows, dtype=numpy.int64)[first])

    def find(self, words: Sequence[str]) -> numpy.ndarray:
        """Return the row of each word, -1 if it is not found. *Shape:* (num_words,)"""
        wanted = numpy.array([key_of(word) for word in words], dtype=numpy.uint64)
        places = numpy.minimum(numpy.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return numpy.where(self.keys[places] == wanted, self.rows[places], -1)


def key_of(word: str) -> int:
    """Hash a word. Lone surrogates, which UTF-8 cannot encode, are ignored."""
    return hash_string(word.encode("utf-8", "ignore").decode("utf-8"))


class VectorTable(WordVectors):
    """A matrix, optionally memory-mapped, with an index of its words. *Shape:* (num_rows, size)"""

    def __init__(self, name: str, index: Index, vectors: numpy.ndarray) -> None:
        self.name = name
        self.size = vectors.shape[1]
        self.std = _std(name, vectors[:_SAMPLE])
        self._index = index
        self._vectors = vectors

    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        rows = numpy.full(len(words), -1)
        for form in (str, str.lower, str.capitalize):
            missing = numpy.flatnonzero(rows < 0).tolist()
            rows[missing] = self._index.find([form(words[number]) for number in missing])
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
    """spaCy's floret vectors. Every word has one, the mean over its character n-grams."""

    def __init__(self, name: str, vectors: Any) -> None:
        self.name = name
        self.size = vectors.shape[1]
        self._vectors = vectors
        self.std = _std(name, self.lookup(list(IDS))[1])  # of a sample of words: rows are averaged

    def lookup(self, words: Sequence[str]) -> Tuple[numpy.ndarray, numpy.ndarray]:
        found = numpy.ones(len(words), dtype=bool)
        return found, numpy.asarray(self._vectors.get_batch(list(words)), dtype=numpy.float32)
