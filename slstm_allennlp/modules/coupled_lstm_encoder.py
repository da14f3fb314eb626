from typing import Optional, Tuple

import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.modules.coupled_lstm import CoupledLSTM


class CoupledLstmEncoder(torch.nn.Module):
    """
    What the two encoders registered as `coupled_lstm` share: a `CoupledLSTM`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `1`)
    bidirectional : `bool`, optional (default = `False`)
    boundary : `bool`, optional (default = `True`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.CoupledLSTM`; the dropout is between layers, as in `lstm`.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        boundary: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        try:
            self._module = CoupledLSTM(
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                bidirectional=bidirectional,
                boundary=boundary,
                dropout=dropout,
            )
        except ValueError as error:
            raise ConfigurationError(f"coupled_lstm: {error}") from None

    def _encode(
        self, inputs: torch.Tensor, mask: Optional[torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        # Some models' masks are of integers.
        return self._module(inputs, None if mask is None else mask.bool())

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.output_size
