import itertools
import sys
from typing import List, Optional

import spacy
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import Token, Tokenizer

_APOSTROPHES = ("'", "’")


@Tokenizer.register("spacy_blank")
class SpacyBlankTokenizer(Tokenizer):
    """
    Split text with spaCy's rules for a language (`spacy.blank`), without a model or a download. White
    space is not a token. The tokens have character offsets. `ConfigurationError` for a language that
    spaCy does not know, or whose packages are missing.

    # Parameters

    language : `str`, optional (default = `"en"`)
        A language code of spaCy, such as `"de"` or `"xx"` (any language). Some, such as `"ja"`, need
        additional packages, which spaCy's error message names.
    split_contractions : `bool`, optional (default = `True`)
        Whether `it's` and `don't` are two tokens each, as in treebanks, or one.
    split_hyphens : `bool`, optional (default = `True`)
        Whether `well-made` is three tokens, as in spaCy, or one, as in most corpora.
    separator : `str`, optional (default = `None`)
        The token between two texts that a reader combines (`combine_input_fields`): BERT's is `[SEP]`.
    """

    def __init__(
        self,
        language: str = "en",
        split_contractions: bool = True,
        split_hyphens: bool = True,
        separator: Optional[str] = None,
    ) -> None:
        self._split_contractions = split_contractions
        self._split_hyphens = split_hyphens
        self._separator = separator
        try:
            self._nlp = spacy.blank(language)
        except ImportError as error:
            raise ConfigurationError(
                f"spacy_blank: language is {language!r}, expected a code that spaCy has rules for here, "
                f"such as en, de or xx ({error})"
            ) from error
        self._nlp.max_length = sys.maxsize  # the limit is that of spaCy's parsers
        # Some languages, such as Chinese, have another tokenizer class, without rules.
        self._rules = getattr(self._nlp.tokenizer, "rules", None) or {}

    def tokenize(self, text: str) -> List[Token]:
        document, tokens, start = self._nlp(text), [], 0
        text = document.text
        for token, following in itertools.zip_longest(document, document[1:]):
            if following is None or not self._belong_together(token, following):
                end = token.idx + len(token)
                if not text[start:end].isspace():
                    tokens.append(Token(text=text[start:end], idx=start, idx_end=end))
                start = end if following is None else following.idx
        return tokens

    def add_special_tokens(
        self, tokens1: List[Token], tokens2: Optional[List[Token]] = None
    ) -> List[Token]:
        between = [Token(self._separator)] if tokens2 is not None and self._separator else []
        return [*tokens1, *between, *(tokens2 or [])]

    def _belong_together(self, first: spacy.tokens.Token, second: spacy.tokens.Token) -> bool:
        """Return whether two tokens of spaCy, side by side, are in one token here."""
        if first.whitespace_:
            return False
        if not self._split_contractions:
            # Words such as `cannot` and `y'all` are in spaCy's rules. An apostrophe marks `it` + `'s`.
            whole = first.text + second.text
            have_letters = all(any(map(str.isalpha, token.text)) for token in (first, second))
            is_contraction = have_letters and any(mark in whole for mark in _APOSTROPHES)
            if is_contraction or whole.lower() in self._rules:
                return True
        if self._split_hyphens:
            return False
        first_is_hyphen, second_is_hyphen = (token.text == "-" for token in (first, second))
        return (first_is_hyphen and _is_word(second)) or (second_is_hyphen and _is_word(first))


def _is_word(token: spacy.tokens.Token) -> bool:
    return token.text[0].isalnum() or token.text[-1].isalnum()
