"""What tests of readers share."""

from allennlp.data.tokenizers import CharacterTokenizer


def contents(instances):
    """For every instance the names of its fields with their tokens, labels and metadata."""
    return [{name: _content(field) for name, field in instance.fields.items()} for instance in instances]


def _content(field):
    for attribute in ("tokens", "label", "metadata"):
        if hasattr(field, attribute):
            return getattr(field, attribute)
    raise TypeError(type(field))


class NoMarks(CharacterTokenizer):
    """Letters and digits; nothing is left of a punctuation mark."""

    def tokenize(self, text):
        return [token for token in super().tokenize(text) if token.text.isalnum()]
