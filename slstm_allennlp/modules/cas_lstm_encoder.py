from typing import Optional, Tuple, Union

import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.modules.cell_aware_stacked_lstm import CellAwareStackedLSTM


class CasLstmEncoder(torch.nn.Module):
    """
    What the two encoders registered as `cas_lstm` share: a `CellAwareStackedLSTM`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `2`)
    bidirectional : `bool`, optional (default = `False`)
    fusion : `float` or `str`, optional (default = `0.5`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.CellAwareStackedLSTM`; the dropout is between layers, as in
        `lstm`.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 2,
        bidirectional: bool = False,
        fusion: Union[float, str] = 0.5,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        try:
            self._module = CellAwareStackedLSTM(
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                bidirectional=bidirectional,
                fusion=fusion,
                dropout=dropout,
            )
        except ValueError as error:
            raise ConfigurationError(f"cas_lstm: {error}") from None

    def _encode(
        self, inputs: torch.Tensor, mask: Optional[torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        # Some models' masks are of integers.
        return self._module(inputs, None if mask is None else mask.bool())

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.output_size
