from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.modules.stacked_cnn import StackedCNN


class StackedCnnEncoder(torch.nn.Module):
    """
    What the two encoders registered as `stacked_cnn` share: a `StackedCNN`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `1`)
    window : `int`, optional (default = `3`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.StackedCNN`; the dropout is between layers.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        window: int = 3,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        try:
            self._module = StackedCNN(
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                window=window,
                dropout=dropout,
            )
        except ValueError as error:
            raise ConfigurationError(f"stacked_cnn: {error}") from None

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        # Some models' masks are of integers.
        return self._module(inputs, None if mask is None else mask.bool())

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.hidden_size
