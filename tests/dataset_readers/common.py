"""Helpers for the tests of the readers."""

from allennlp.data.tokenizers import CharacterTokenizer


def contents(instances):
    """Return for each instance a dictionary from field names to tokens, label or metadata."""
    return [{name: _content(field) for name, field in instance.fields.items()} for instance in instances]


def _content(field):
    for attribute in ("tokens", "label", "metadata"):
        if hasattr(field, attribute):
            return getattr(field, attribute)
    raise TypeError(type(field))


class NoMarks(CharacterTokenizer):
    """Split into characters, and drop punctuation."""

    def tokenize(self, text):
        return [token for token in super().tokenize(text) if token.text.isalnum()]
