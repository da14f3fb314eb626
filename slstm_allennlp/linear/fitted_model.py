from abc import abstractmethod
from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from slstm_allennlp.token_indexers import words_of

Instances = Sequence[Instance]
Texts = List[List[str]]  # the words of each text


class FittedModel(Model):
    """
    A model that another library fits to the whole train set at once, without gradients. Its trainer is
    `fit`. The state dict holds the fitted weights as PyTorch's extra state, in strings, numbers and
    tensors, so that `weights_only` loads them.
    """

    def __init__(self, vocab: Vocabulary) -> None:
        super().__init__(vocab)
        # AllenNLP's predictors take the device from a model's first parameter. This one is empty.
        self._nothing = torch.nn.Parameter(torch.empty(0))
        self._fitted: Any = None

    @abstractmethod
    def fit(self, train: Instances, validation: Optional[Instances]) -> Dict[str, float]:
        """Fit the model to labelled instances. Return the hyperparameters chosen on validation."""

    @property
    def is_fitted(self) -> bool:
        return self._fitted is not None

    @property
    def fitted(self) -> Any:
        """What the other library has fitted; `ConfigurationError` before that."""
        if self._fitted is None:
            name = type(self).__name__
            raise ConfigurationError(
                f'{name} is not fitted, expected "trainer": {{"type": "fit"}} in its config or, in '
                'classifier_and_linear, "callbacks": ["fit_linear"] in that of the trainer'
            )
        return self._fitted

    @property
    @abstractmethod
    def num_weights(self) -> int:
        """The number of fitted weights."""


def texts_of(instances: Instances, *names: str) -> List[Texts]:
    """Return, for each of the named fields, the words of each instance."""
    return [
        [[str(token.text) for token in instance[name]] for instance in instances]  # type: ignore
        for name in names
    ]


def words_in(text: TextFieldTensors) -> Texts:
    """Return the words of a batch; `ConfigurationError` if it is without the token indexer `utf8`."""
    for tensors in text.values():
        if set(tensors) == {"token_ids", "mask"}:  # only `utf8` has exactly these keys
            return words_of(tensors)
    raise ConfigurationError(
        f"a linear model reads a text with the token indexers {', '.join(text)}, expected "
        '"token_indexers": {"words": {"type": "utf8"}}'
    )
