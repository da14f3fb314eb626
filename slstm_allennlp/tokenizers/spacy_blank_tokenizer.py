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

    # Errors

    `ConfigurationError` for a language that spaCy does not know or lacks a package for.
    """

    def __init__(self, language: str = "en") -> None:
        self._language = language
        try:
            self._nlp = spacy.blank(language)
        except ImportError as error:
            raise ConfigurationError(
                f"spacy_blank: language is {language!r}, expected a code that spaCy has rules for here, "
                f"such as en, de or xx ({error})"
            ) from error

    def tokenize(self, text: str) -> List[Token]:
        return [
            Token(text=token.text, idx=token.idx, idx_end=token.idx + len(token.text))
            for token in self._nlp(text)
            if not token.is_space
        ]

    def _to_params(self) -> Dict[str, Any]:
        return {"type": "spacy_blank", "language": self._language}
