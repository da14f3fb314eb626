from typing import Any, Dict, List

import spacy
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import Token, Tokenizer


@Tokenizer.register("spacy_blank")
class SpacyBlankTokenizer(Tokenizer):
    """
    Splits text by the rules that spaCy ships for a language (`spacy.blank`): no model, no download.
    White space makes no tokens. The tokens know their character offsets.

    Registered as a `Tokenizer` with name "spacy_blank".

    # Parameters

    language : `str`, optional (default = `"en"`)
        A language code that spaCy knows, such as `"de"` or `"xx"` (any language). Some, such as `"ja"`,
        need packages of their own, which spaCy names.
    split_contractions : `bool`, optional (default = `True`)
        Whether `it's` and `don't` are two tokens each, as in treebanks, or one, as in review
        corpora.

    # Errors

    `ConfigurationError` for a language that spaCy does not know or lacks a package for.
    """

    def __init__(self, language: str = "en", split_contractions: bool = True) -> None:
        self._language = language
        self._split_contractions = split_contractions
        try:
            self._nlp = spacy.blank(language)
        except ImportError as error:
            raise ConfigurationError(
                f"spacy_blank: language is {language!r}, expected a code that spaCy has rules for here, "
                f"such as en, de or xx ({error})"
            ) from error

    def tokenize(self, text: str) -> List[Token]:
        document = self._nlp(text)
        if not self._split_contractions:
            with document.retokenize() as retokenizer:
                for span in _contractions(document):
                    retokenizer.merge(span)
        return [
            Token(text=token.text, idx=token.idx, idx_end=token.idx + len(token.text))
            for token in document
            if not token.is_space
        ]

    def _to_params(self) -> Dict[str, Any]:
        return {
            "type": "spacy_blank",
            "language": self._language,
            "split_contractions": self._split_contractions,
        }


def _contractions(document: spacy.tokens.Doc) -> List[spacy.tokens.Span]:
    """The runs of tokens with letters that have no space between, such as `do` and `n't`."""
    spans = []
    start = 0
    for end in range(1, len(document) + 1):
        if end == len(document) or not _glued(document[end - 1], document[end]):
            spans.append(document[start:end])
            start = end
    return [span for span in spans if len(span) > 1]


def _glued(first: spacy.tokens.Token, second: spacy.tokens.Token) -> bool:
    both_have_letters = all(any(map(str.isalpha, token.text)) for token in (first, second))
    return both_have_letters and not first.whitespace_
