import re
from abc import abstractmethod
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from allennlp.data import Instance, Token, TokenIndexer, Tokenizer
from allennlp.data.fields import LabelField

from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader, text_fields
from slstm_allennlp.dataset_readers.lines import OLD, expect_encoding
from slstm_allennlp.tokenizers import SpacyBlankTokenizer


class LabelledTextReader(CorpusReader):
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
    def _labelled_texts(self, path: str) -> Iterator[Tuple[str, str]]:
        """The texts, none of them empty, and their labels, or a `ValueError`."""

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
        fields = text_fields(tokens)
        if label is not None:
            fields["label"] = LabelField(label, self._label_namespace)
        return Instance(fields)


def _words(text: str) -> List[str]:
    return re.split("[ \t]+", text.strip(" \t"))
