from abc import abstractmethod
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple, Union

from allennlp.data import Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import LabelField

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader, text_fields
from slstm_allennlp.dataset_readers.lines import OLD, Line, expect_encoding
from slstm_allennlp.tokenizers import SpacyBlankTokenizer


class LabelledTextReader(CorpusReader):
    """
    Base class of the readers of labelled texts. Their corpora are tokenised, with white space between
    the tokens, and often older than UTF-8.

    The instances have the fields `tokens`, `metadata` (the words) and, where there is one, `label`.

    # Parameters

    encoding : `str`, optional (default = `None`)
        The encoding of the files, such as `"cp1252"`. The default is UTF-8, with Windows-1252 for bytes
        that are not valid UTF-8.
    tokenizer : `Tokenizer`, optional (default = `{"type": "spacy_blank", "split_hyphens": false}`)
        The tokenizer for raw text at prediction. It should split text as the corpus does.
    token_indexers, label_namespace, max_instances
        As in `CorpusReader`.
    """

    def __init__(
        self,
        encoding: Optional[str] = None,
        tokenizer: Optional[Tokenizer] = None,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(token_indexers, label_namespace, max_instances)
        self._encoding = encoding
        if encoding is not None:
            expect_encoding(encoding)
        self._decoding = OLD if encoding is None else encoding
        self._tokenizer = tokenizer or SpacyBlankTokenizer(split_hyphens=False)

    @abstractmethod
    def _labelled_texts(self, path: str) -> Iterator[Tuple[Line, str]]:
        """Yield non-empty texts with their labels, or raise a `CorpusError`."""

    def _read(self, file_path: str) -> Iterator[Instance]:
        for text, label in self.shard_iterable(self._labelled_texts(str(file_path))):
            yield self.text_to_instance(text.words(), label)

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield the texts of a file as input of the plugin's predictors: `words` and `label`."""
        for text, label in self._labelled_texts(path):
            yield {"words": text.words(), "label": label}

    def text_to_instance(  # type: ignore[override]
        self, text: Union[str, Sequence[Union[str, Token]]], label: Optional[str] = None
    ) -> Instance:
        """
        Return the instance of a text, which is raw or tokenized.

        # Errors

        `CorpusError` for a text without tokens.
        """
        tokens = self._tokenizer.tokenize(text) if isinstance(text, str) else text
        if not tokens:
            raise CorpusError("the text is empty, expected at least one token")
        fields = text_fields(tokens)
        if label is not None:
            fields["label"] = LabelField(label, self._label_namespace)
        return Instance(fields)
