"""
Report the file and the sentence of a label that a model does not know. AllenNLP's data loader reports
only the label.
"""

import re
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.fields import TextField

from slstm_allennlp.console.config_keys import Original

_MAX_WORDS = 12
_UNKNOWN = re.compile(
    r"'(.*)' not found in vocab namespace '(.*)', and namespace does not contain", re.S
)


def index_with(original: Original, self: MultiProcessDataLoader, vocab: Vocabulary) -> None:
    for number, instance in enumerate(self._instances or [], start=1):
        with _explained(self, vocab, number, instance):
            instance.index_fields(vocab)
    original(self, vocab)


def iter_instances(original: Original, self: MultiProcessDataLoader) -> Iterator[Instance]:
    number = 0
    instances = original(self)
    while True:
        number += 1
        with _explained(self, self._vocab, number):
            instance = next(instances, None)
        if instance is None:
            return
        yield instance


@contextmanager
def _explained(
    loader: Any, vocab: Optional[Vocabulary], number: int, instance: Optional[Instance] = None
) -> Iterator[None]:
    """
    Replace AllenNLP's `KeyError` for a label that is not in the vocabulary by a `ConfigurationError`
    with the file, the sentence (its number, and its text if the instance is given), and the labels that
    the model knows.
    """
    try:
        yield
    except KeyError as error:
        unknown = _UNKNOWN.search(str(error.args[0])) if error.args else None
        if unknown is None or vocab is None:
            raise
        label, namespace = unknown.groups()
        known = ", ".join(map(str, vocab.get_token_to_index_vocabulary(namespace)))
        raise ConfigurationError(
            f"{loader.data_path}, sentence {number}{_text_of(instance)}: {label!r} is a label that the "
            f"model does not know ({namespace}), expected one of {known}"
        ) from None


def _text_of(instance: Optional[Instance]) -> str:
    """Return the first words of the first text field, for a message."""
    fields = {} if instance is None else instance.fields
    text = next((field for field in fields.values() if isinstance(field, TextField)), None)
    if text is None:
        return ""
    words = [str(token.text) for token in text.tokens]
    more = " …" if len(words) > _MAX_WORDS else ""
    return f' ("{" ".join(words[:_MAX_WORDS])}{more}")'
