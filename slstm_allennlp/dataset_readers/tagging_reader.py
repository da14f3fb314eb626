from abc import abstractmethod
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from allennlp.data import Instance, Token
from allennlp.data.fields import SequenceLabelField

from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader, text_fields


class TaggingReader(CorpusReader):
    """
    Base class of the readers of tagged sentences. A subclass splits its files into sentences, and these
    into words and tags.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.
    """

    @abstractmethod
    def _sentences(self, path: str) -> Iterator[List[Any]]:
        """Yield the data of each sentence, or raise a `ValueError`."""

    @abstractmethod
    def _tagged_words(self, sentence: List[Any]) -> List[Tuple[str, str]]:
        """Return a sentence's words (at least one) and tags, or raise a `ValueError` with the line."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        for sentence in self.shard_iterable(self._some_sentences(str(file_path))):
            example = self._example(sentence)
            yield self.text_to_instance(example["words"], example["tags"])

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield the sentences of a file as input of the plugin's predictors: `words` and `tags`."""
        return map(self._example, self._some_sentences(path))

    def _some_sentences(self, path: str) -> Iterator[List[Any]]:
        sentence = None
        for sentence in self._sentences(path):
            yield sentence
        if sentence is None:
            raise ValueError(f"{path}: no sentence in the file, expected at least one")

    def _example(self, sentence: List[Any]) -> Dict[str, Any]:
        words, tags = map(list, zip(*self._tagged_words(sentence)))
        return {"words": words, "tags": tags}

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """
        Return the instance of a sentence.

        # Errors

        `ValueError` for a sentence without words, and if there is not one tag per word.
        """
        if not tokens:
            raise ValueError("tokens is empty, expected a sentence of at least one word")
        if tags is not None and len(tags) != len(tokens):
            raise ValueError(
                f"there are {len(tags)} tags for {len(tokens)} tokens, expected one for each"
            )
        fields = text_fields(tokens)
        if tags is not None:
            fields["tags"] = SequenceLabelField(tags, fields["tokens"], self._label_namespace)  # type: ignore[arg-type]
        return Instance(fields)
