"""The key `class_weights` of classifiers and taggers: the weights of the classes in the loss."""

import math
from typing import Any, Mapping, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from torch import Tensor

from slstm_allennlp.common.suggestions import did_you_mean

ClassWeights = Any
"""`"balanced"`, or the weights of classes by their names."""
BALANCED = "balanced"


def check_class_weights(given: ClassWeights, labels: Mapping[str, int]) -> None:
    """Raise `ConfigurationError` unless the value is "balanced" or positive weights of known labels."""
    if given != BALANCED and not isinstance(given, dict):
        raise ConfigurationError(
            f'class_weights is {given!r}, expected "balanced" or the weights of classes, such as '
            f'{{"{next(iter(labels), "label")}": 2}}'
        )
    for label, weight in ({} if given == BALANCED else given).items():
        if label not in labels:
            raise ConfigurationError(
                f"class_weights has the class {label!r}{did_you_mean(label, labels)}"
            )
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 < weight < math.inf:
            raise ConfigurationError(
                f"class_weights has {weight!r} for {label!r}, expected a number above 0"
            )


class WithClassWeights:
    """
    Mixin of models whose loss can weight their classes. `"balanced"` gives each class of the train set
    the same weight in total: n / (k · n_c) to a class that n_c of its n examples have, if it has k
    classes. Other values are the weights of some classes, 1 for the rest.
    """

    class_weights: Optional[ClassWeights] = None
    vocab: Vocabulary
    _loss: torch.nn.CrossEntropyLoss
    _label_namespace: str
    _num_labels: int

    def use_class_weights(self, given: Optional[ClassWeights]) -> None:
        """Take the value of the key. The trainer fills in "balanced" weights."""
        self.class_weights = given
        if given is None:
            return
        labels = self.vocab.get_token_to_index_vocabulary(self._label_namespace)
        check_class_weights(given, labels)
        if len(labels) != len(self.weight_buffer()):
            raise ConfigurationError(
                f"class_weights: the model has {len(self.weight_buffer())} classes and the data have "
                f"{len(labels)} labels as strings, expected the same number (by num_labels)"
            )
        weights = {} if isinstance(given, str) else given
        self.weight_buffer().copy_(torch.tensor([float(weights.get(label, 1)) for label in labels]))

    def weight_buffer(self) -> Tensor:
        """Return the weights of the classes in the loss, by their numbers."""
        if self._loss.weight is None:
            self._loss = torch.nn.CrossEntropyLoss(weight=torch.ones(self._num_labels))
        assert self._loss.weight is not None
        return self._loss.weight

    def balance(self, counts: Mapping[str, int]) -> None:
        """Set "balanced" weights, from how often the train set has each label."""
        labels = self.vocab.get_token_to_index_vocabulary(self._label_namespace)
        even = sum(counts.values()) / len(counts)
        weights = [even / counts[label] if label in counts else 1.0 for label in labels]
        self.weight_buffer().copy_(torch.tensor(weights))
