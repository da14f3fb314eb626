import re
from abc import abstractmethod
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

from allennlp.data import DatasetReader, Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import Field, LabelField, MetadataField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from slstm_allennlp.dataset_readers.lines import Encoding
from slstm_allennlp.tokenizers import SpacyBlankTokenizer


class LabelledText(NamedTuple):
    text: str
    label: str


class LabelledTextReader(DatasetReader):
    """
    What the readers of labelled texts share. Their corpora are tokenised, with white space between
    the tokens, and older than UTF-8. A subclass gives the texts.

    The instances have the fields `tokens`, `metadata` (the words) and, where there is one, `label`.

    # Parameters

    encoding : `str`, optional (default = `None`)
        The encoding of the files, such as `"cp1252"`. None is for what is out there: UTF-8 and, where
        bytes are not, Windows-1252.
    tokenizer : `Tokenizer`, optional (default = `{"type": "spacy_blank", "split_hyphens": false}`)
        What splits raw text at prediction, which should be how the corpus is split.
    token_indexers : `Dict[str, TokenIndexer]`, optional
        (default = `{"tokens": SingleIdTokenIndexer()}`)
    label_namespace : `str`, optional (default = `"labels"`)
        The vocabulary namespace of the labels.
    max_instances : `int`, optional (default = `None`)
        How many texts to read at most.
    """

    def __init__(
        self,
        encoding: Optional[str] = None,
        tokenizer: Optional[Tokenizer] = None,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(
            max_instances=max_instances,
            manual_distributed_sharding=True,
            manual_multiprocess_sharding=True,
        )
        self._encoding_name = encoding
        self._encoding = Encoding.named(encoding)
        self._tokenizer = tokenizer or SpacyBlankTokenizer(split_hyphens=False)
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer()}
        self._label_namespace = label_namespace

    @abstractmethod
    def _labelled_texts(self, path: str) -> Iterator[LabelledText]:
        """The texts, none of them empty, or a `ValueError`."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        for text, label in self.shard_iterable(self._labelled_texts(str(file_path))):
            yield self.text_to_instance(_words(text), label)

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """A file's texts, as the plugin's predictors take them: `words` with their `label`."""
        for text, label in self._labelled_texts(path):
            yield {"words": _words(text), "label": label}

    def text_to_instance(  # type: ignore[override]
        self, text: Union[str, Sequence[Union[str, Token]]], label: Optional[str] = None
    ) -> Instance:
        """
        # Parameters

        text : `str` or `Sequence[Union[str, Token]]`
            Raw text, or its tokens.
        label : `str`, optional (default = `None`)

        # Errors

        `ValueError` for a text without tokens.
        """
        tokens = self._tokenizer.tokenize(text) if isinstance(text, str) else text
        if not tokens:
            raise ValueError("the text is empty, expected at least one token")
        words = [Token(token) if isinstance(token, str) else token for token in tokens]
        fields: Dict[str, Field] = {
            "tokens": TextField(words),
            "metadata": MetadataField({"words": [word.text for word in words]}),
        }
        if label is not None:
            fields["label"] = LabelField(label, self._label_namespace)
        return Instance(fields)

    def apply_token_indexers(self, instance: Instance) -> None:
        instance.fields["tokens"]._token_indexers = self._token_indexers  # type: ignore[attr-defined]

    def _to_params(self) -> Dict[str, Any]:
        return {
            "encoding": self._encoding_name,
            "tokenizer": self._tokenizer,
            "token_indexers": self._token_indexers,
            "label_namespace": self._label_namespace,
            "max_instances": self.max_instances,
        }


def _words(text: str) -> List[str]:
    return re.split("[ \t]+", text.strip(" \t"))
