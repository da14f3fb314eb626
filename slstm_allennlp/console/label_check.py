"""
Report the file and the sentence of a label that a model does not know. AllenNLP's data loader reports
only the label.
"""

import re
from typing import Any, Iterator, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader

from slstm_allennlp.console.config_keys import Original
from slstm_allennlp.training.label_counts import words_of

_UNKNOWN = re.compile(
    r"'(.*)' not found in vocab namespace '(.*)', and namespace does not contain", re.S
)


def index_with(original: Original, self: MultiProcessDataLoader, vocab: Vocabulary) -> None:
    for number, instance in enumerate(self._instances or [], start=1):
        try:
            instance.index_fields(vocab)
        except KeyError as error:
            raise _explained(error, self, vocab, number, instance) from None
    original(self, vocab)


def iter_instances(original: Original, self: MultiProcessDataLoader) -> Iterator[Instance]:
    number = 0
    try:
        for number, instance in enumerate(original(self), start=1):  # noqa: B007
            yield instance
    except KeyError as error:
        raise _explained(error, self, self._vocab, number + 1) from None


def _explained(
    error: KeyError, loader: Any, vocab: Optional[Vocabulary], number: int, instance: Any = None
) -> Exception:
    """Return the error for the sentence of this number, or AllenNLP's if it is not about a label."""
    unknown = _UNKNOWN.search(str(error.args[0])) if error.args else None
    if unknown is None or vocab is None:
        return error
    label, namespace = unknown.groups()
    known = ", ".join(map(str, vocab.get_token_to_index_vocabulary(namespace)))
    return ConfigurationError(
        f"{loader.data_path}, sentence {number}{words_of(instance)}: {label!r} is a label that the "
        f"model does not know ({namespace}), expected one of {known}"
    )
