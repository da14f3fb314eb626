from abc import abstractmethod
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import Field, MetadataField, SequenceLabelField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer


class TaggedWord(NamedTuple):
    word: str
    tag: str


class TaggingReader(DatasetReader):
    """
    What the readers of tagged sentences share. A subclass splits its files into sentences, and
    these into words and tags.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.

    # Parameters

    token_indexers : `Dict[str, TokenIndexer]`, optional
        (default = `{"tokens": SingleIdTokenIndexer()}`)
    label_namespace : `str`, optional (default = `"labels"`)
        The vocabulary namespace of the tags.
    max_instances : `int`, optional (default = `None`)
        How many sentences to read at most.
    """

    def __init__(
        self,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(
            max_instances=max_instances,
            manual_distributed_sharding=True,
            manual_multiprocess_sharding=True,
        )
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer()}
        self._label_namespace = label_namespace

    @abstractmethod
    def _sentences(self, path: str) -> Iterator[List[Any]]:
        """What makes up each sentence; at least one sentence, or a `ValueError`."""

    @abstractmethod
    def _tagged_words(self, sentence: List[Any]) -> List[TaggedWord]:
        """The words of a sentence, at least one, or a `ValueError` that names the line."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        for sentence in self.shard_iterable(self._sentences(str(file_path))):
            words = self._tagged_words(sentence)
            yield self.text_to_instance(
                [tagged.word for tagged in words], [tagged.tag for tagged in words]
            )

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """A file's sentences, as the plugin's predictors take them: `words` with their `tags`."""
        for sentence in self._sentences(path):
            words = self._tagged_words(sentence)
            yield {"words": [tagged.word for tagged in words], "tags": [tagged.tag for tagged in words]}

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """
        # Parameters

        tokens : `List[Union[str, Token]]`
        tags : `List[str]`, optional (default = `None`)

        # Errors

        `ValueError` for a sentence without words, and for tags that are not as many as the words.
        """
        if not tokens:
            raise ValueError("tokens is empty, expected a sentence of at least one word")
        if tags is not None and len(tags) != len(tokens):
            raise ValueError(
                f"there are {len(tags)} tags for {len(tokens)} tokens, expected one for each"
            )
        words = [Token(token) if isinstance(token, str) else token for token in tokens]
        text = TextField(words)
        fields: Dict[str, Field] = {
            "tokens": text,
            "metadata": MetadataField({"words": [word.text for word in words]}),
        }
        if tags is not None:
            fields["tags"] = SequenceLabelField(tags, text, self._label_namespace)
        return Instance(fields)

    def apply_token_indexers(self, instance: Instance) -> None:
        instance.fields["tokens"]._token_indexers = self._token_indexers  # type: ignore[attr-defined]

    def _to_params(self) -> Dict[str, Any]:
        return {
            "token_indexers": self._token_indexers,
            "label_namespace": self._label_namespace,
            "max_instances": self.max_instances,
        }
