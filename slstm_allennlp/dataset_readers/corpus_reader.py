"""Base classes of the plugin's own readers."""

from abc import abstractmethod
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from allennlp.data import DatasetReader, Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import Field, LabelField, MetadataField, SequenceLabelField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import OLD, expect_encoding
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

_ENOUGH_WORDS = 100  # to see that a corpus is distributed without its words


class CorpusReader(DatasetReader):
    """
    Base class of the plugin's own readers. The instances have the fields `tokens`, `metadata` (the
    words) and, where there are some, `label` or `tags`. `ConfigurationError` for an invalid argument.
    While reading, `CorpusError`: for a file that is missing, unreadable, empty or not in its encoding;
    and, with file and line, for a text, word, label or tag that is missing, and for everything else
    that is not in the reader's format.

    # Parameters

    token_indexers : `Dict[str, TokenIndexer]`, optional
        (default = `{"tokens": SingleIdTokenIndexer()}`)
    label_namespace : `str`, optional (default = `"labels"`)
        The vocabulary namespace of the labels or tags.
    max_instances : `int`, optional (default = `None`)
        The maximum number of instances to read.
    """

    form = "texts and their labels"  # what the reader reads, for messages

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
    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield inputs of the predictors, whose values are the arguments of `text_to_instance`."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        for example in self.shard_iterable(self.examples(str(file_path))):
            yield self.text_to_instance(*example.values())

    def apply_token_indexers(self, instance: Instance) -> None:
        set_indexers(instance, self._token_indexers)


class LabelledTextReader(CorpusReader):
    """
    Base class of the readers of labelled texts. By default, their corpora are older than UTF-8, and
    tokenised, with white space between the tokens.

    # Parameters, besides those of `CorpusReader`

    encoding : `str`, optional (default = `None`)
        The encoding of the files, such as `"cp1252"`. The default is UTF-8, with Windows-1252 for bytes
        that are not valid UTF-8.
    tokenizer : `Tokenizer`, optional (default = `{"type": "spacy_blank", "split_hyphens": false}`)
        The tokenizer for raw text at prediction. It should split text as the corpus does.
    """

    def __init__(
        self, encoding: Optional[str] = None, tokenizer: Optional[Tokenizer] = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if encoding is not None:
            expect_encoding(encoding)
        self._encoding = OLD if encoding is None else encoding
        self._tokenizer = tokenizer or SpacyBlankTokenizer(split_hyphens=False)

    def text_to_instance(  # type: ignore[override]
        self, text: Union[str, Sequence[Union[str, Token]]], label: Optional[str] = None
    ) -> Instance:
        """Return the instance of a text, which is raw or tokenized and has at least one token."""
        tokens = self._tokenizer.tokenize(text) if isinstance(text, str) else text
        if not tokens:
            raise CorpusError("the text is empty, expected at least one token")
        fields = _text_fields(tokens)
        if label is not None:
            fields["label"] = LabelField(label, self._label_namespace)
        return Instance(fields)


class TaggingReader(CorpusReader):
    """Base class of the readers of tagged sentences."""

    form = "words with their tags"

    @abstractmethod
    def _tagged_sentences(self, path: str) -> Iterator[List[Tuple[str, str]]]:
        """Yield the words of each sentence (at least one) with their tags, or raise a `CorpusError`."""

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        total = hidden = 0
        for sentence in self._tagged_sentences(path):
            words, tags = map(list, zip(*sentence))
            are_few = total < _ENOUGH_WORDS
            total += len(words)
            hidden += words.count("_")
            if are_few and total >= _ENOUGH_WORDS:
                _expect_words(path, total, hidden)
            yield {"words": words, "tags": tags}
        if total == 0:
            raise CorpusError(f"{path}: no sentence in the file, expected at least one")
        _expect_words(path, total, hidden)

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """Return the instance of a sentence of at least one word, with as many tags or none."""
        if not tokens:
            raise CorpusError("tokens is empty, expected a sentence of at least one word")
        if tags is not None and len(tags) != len(tokens):
            raise CorpusError(
                f"there are {len(tags)} tags for {len(tokens)} tokens, expected one for each"
            )
        fields = _text_fields(tokens)
        if tags is not None:
            fields["tags"] = SequenceLabelField(tags, fields["tokens"], self._label_namespace)  # type: ignore[arg-type]
        return Instance(fields)


def set_indexers(instance: Instance, indexers: Optional[Dict[str, TokenIndexer]]) -> None:
    """Set the token indexers of all texts of an instance."""
    for field in instance.fields.values():
        if isinstance(field, TextField):
            field._token_indexers = indexers


def _text_fields(tokens: Sequence[Union[str, Token]]) -> Dict[str, Field]:
    words: List[Token] = [Token(token) if isinstance(token, str) else token for token in tokens]
    return {
        "tokens": TextField(words),
        "metadata": MetadataField({"words": [word.text for word in words]}),
    }


def _expect_words(path: str, total: int, hidden: int) -> None:
    if hidden > 1 and 2 * hidden > total:
        raise CorpusError(
            f"{path}: {hidden} of {total} words are _, expected words; some treebanks are distributed "
            "without their text, which a script beside them adds"
        )
