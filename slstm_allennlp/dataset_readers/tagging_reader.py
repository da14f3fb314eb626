from abc import abstractmethod
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from allennlp.data import Instance, Token
from allennlp.data.fields import SequenceLabelField

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader, text_fields

_ENOUGH_WORDS = 100  # to see that a corpus is distributed without its words


class TaggingReader(CorpusReader):
    """
    Base class of the readers of tagged sentences. A subclass splits its files into sentences, and these
    into words and tags.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.
    """

    form = "words with their tags"
    """What the reader reads, for messages."""

    @abstractmethod
    def _sentences(self, path: str) -> Iterator[Any]:
        """Yield the data of each sentence, or raise a `CorpusError`."""

    @abstractmethod
    def _tagged_words(self, sentence: Any) -> List[Tuple[str, str]]:
        """Return a sentence's words (at least one) and tags, or raise a `CorpusError` with the line."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        path = str(file_path)
        for example in self._examples(path, self.shard_iterable(self._some_sentences(path))):
            yield self.text_to_instance(example["words"], example["tags"])

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield the sentences of a file as input of the plugin's predictors: `words` and `tags`."""
        return self._examples(path, self._some_sentences(path))

    def _some_sentences(self, path: str) -> Iterator[Any]:
        sentence = None
        for sentence in self._sentences(path):
            yield sentence
        if sentence is None:
            raise CorpusError(f"{path}: no sentence in the file, expected at least one")

    def _examples(self, path: str, sentences: Iterable[Any]) -> Iterator[Dict[str, Any]]:
        """Yield `words` and `tags`. It is an error if most words are `_`, at first or in the end."""
        total = hidden = 0
        for sentence in sentences:
            words, tags = map(list, zip(*self._tagged_words(sentence)))
            is_checked = total >= _ENOUGH_WORDS
            total += len(words)
            hidden += words.count("_")
            if total >= _ENOUGH_WORDS and not is_checked:
                _expect_words(path, total, hidden)
            yield {"words": words, "tags": tags}
        _expect_words(path, total, hidden)

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """
        Return the instance of a sentence.

        # Errors

        `CorpusError` for a sentence without words, and if there is not one tag per word.
        """
        if not tokens:
            raise CorpusError("tokens is empty, expected a sentence of at least one word")
        if tags is not None and len(tags) != len(tokens):
            raise CorpusError(
                f"there are {len(tags)} tags for {len(tokens)} tokens, expected one for each"
            )
        fields = text_fields(tokens)
        if tags is not None:
            fields["tags"] = SequenceLabelField(tags, fields["tokens"], self._label_namespace)  # type: ignore[arg-type]
        return Instance(fields)


def _expect_words(path: str, total: int, hidden: int) -> None:
    if hidden > 1 and 2 * hidden > total:
        raise CorpusError(
            f"{path}: {hidden} of {total} words are _, expected words; some treebanks are distributed "
            "without their text, which a script beside them adds"
        )
