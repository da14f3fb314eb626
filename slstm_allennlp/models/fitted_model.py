from abc import abstractmethod
from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from slstm_allennlp.token_indexers import words_of

_INDEXER = '"token_indexers": {"words": {"type": "utf8"}}'


class FittedModel(Model):
    """
    A model that another library fits to the whole train set at once, by the trainer `fit`, not by
    gradients. The state dict holds the result, as PyTorch's extra state.

    # Parameters

    vocab : `Vocabulary`
    """

    def __init__(self, vocab: Vocabulary) -> None:
        super().__init__(vocab)
        # AllenNLP's predictors ask a model's first parameter for the device. This one has no numbers.
        self._nothing = torch.nn.Parameter(torch.empty(0))

    @abstractmethod
    def fit(
        self, train: Sequence[Instance], validation: Optional[Sequence[Instance]]
    ) -> Dict[str, float]:
        """
        Fits the model to instances with labels. Returns the settings, by name, that were chosen by those
        to validate.
        """

    @property
    @abstractmethod
    def is_fitted(self) -> bool:
        """Whether it can be used."""

    @property
    @abstractmethod
    def num_weights(self) -> int:
        """How many numbers were fitted."""

    @abstractmethod
    def get_extra_state(self) -> Dict[str, Any]:
        """What was fitted, as strings, numbers and tensors: `torch.load` takes these for weights."""

    @abstractmethod
    def set_extra_state(self, state: Dict[str, Any]) -> None:
        """Takes what `get_extra_state` gave."""

    def not_fitted(self) -> ConfigurationError:
        """For a model that is used too early."""
        return ConfigurationError(
            f'{type(self).__name__} is not fitted, expected "trainer": {{"type": "fit"}} in its config'
        )


def words_in(text: TextFieldTensors) -> List[List[str]]:
    """
    The words of each text of a batch.

    # Errors

    `ConfigurationError` for a text without the token indexer `utf8`.
    """
    for tensors in text.values():
        if set(tensors) == {"token_ids", "mask"}:  # of all indexers, this one's alone
            return words_of(tensors)
    names = ", ".join(text)
    raise ConfigurationError(
        f"a linear model reads a text with the token indexers {names}, expected {_INDEXER}"
    )
