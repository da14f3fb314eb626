from typing import Any, Optional

from torch import Tensor
from torch.nn import Conv1d, Dropout, Module, ModuleList
from torch.nn.init import kaiming_normal_, zeros_

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.modules.checks import check_inputs, check_rate, no_states


class StackedCNN(Module):
    """
    A stack of convolutions over words: the CNN of Table 3 of Zhang, Liu and Song (ACL 2018).

        hₗₜ = ReLU(Wₗ [hₗ₋₁₍ₜ₋ₖ₎ ; … ; hₗ₋₁₍ₜ₊ₖ₎] + bₗ)      for a window of 2k + 1 words

    Positions beyond either end of a sentence are zero in every layer. Weights have the initialisation of
    He et al. (2015) for ReLU, because with PyTorch's default the signal fades from layer to layer.
    Biases are initially zero. `ValueError` that names the argument, its value and what is expected.

    # Parameters

    input_size : `int`
    hidden_size : `int`
        The number of filters in each layer.
    num_layers : `int`, optional (default = `1`)
    window : `int`, optional (default = `3`)
        The number of words that a filter reads: an odd number.
    dropout : `float`, optional (default = `0.0`)
        The dropout rate between layers.
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
        check_sizes(input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        if not isinstance(window, int) or isinstance(window, bool) or window < 1 or window % 2 == 0:
            raise ValueError(f"window is {window!r}, expected an odd number of words")
        check_rate(dropout)
        self.input_size = input_size
        self.hidden_size = self.output_size = hidden_size
        self.dropout = Dropout(dropout)
        self.layers = ModuleList(
            _layer(size, hidden_size, window) for size in [input_size, *[hidden_size] * (num_layers - 1)]
        )

    def forward(self, inputs: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """
        Return the last layer's states, (batch_size, seq_len, hidden_size), zero at padding. Inputs, mask
        and errors as in `SentenceStateLSTM.forward`; the padding may be anywhere.
        """
        first: Any = self.layers[0]
        mask = check_inputs(inputs, mask, self.input_size, first.weight)
        if inputs.size(1) == 0:  # a convolution needs a position
            return no_states(self, inputs, inputs.size(0), 0, self.output_size)
        padding = ~mask.unsqueeze(1)
        words = inputs.transpose(1, 2).masked_fill(padding, 0)
        for number, layer in enumerate(self.layers):
            words = layer(self.dropout(words) if number else words).relu().masked_fill(padding, 0)
        return words.transpose(1, 2).contiguous()


def _layer(input_size: int, hidden_size: int, window: int) -> Conv1d:
    layer = Conv1d(input_size, hidden_size, kernel_size=window, padding=window // 2)
    kaiming_normal_(layer.weight, nonlinearity="relu")
    assert layer.bias is not None
    zeros_(layer.bias)
    return layer
