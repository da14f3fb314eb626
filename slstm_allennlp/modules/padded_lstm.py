from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.nn import LSTM, Module, ModuleList

from slstm_allennlp.modules.checks import check_inputs, no_states
from slstm_allennlp.modules.recurrent import Recurrent
from slstm_allennlp.ops.reading_order import last_states, reading_orders, reordered


class PaddedLSTM(Recurrent):
    """
    `torch.nn.LSTM` for padded batches, with the results of a `PackedSequence`. PyTorch runs a
    `PackedSequence` on a CPU without oneDNN (pytorch/pytorch#149194); this runs each direction over the
    whole batch, and the second one over the words in reverse. Autocast has no effect on a CPU.
    `ValueError` that names the argument, its value and what is expected.

    # Parameters

    input_size : `int`
        The size d of a word's input.
    hidden_size : `int`
        The size h of a state of one direction.
    num_layers : `int`, optional (default = `1`)
        A layer's words are the next one's input.
    bidirectional : `bool`, optional (default = `False`)
        Whether a second direction, with separate parameters, reads from right to left.
    dropout : `float`, optional (default = `0.0`)
        The dropout rate between layers.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, bidirectional, dropout)
        self.layers = ModuleList(
            _Layer(size, hidden_size, bidirectional)
            for size in [input_size, *[self.output_size] * (num_layers - 1)]
        )

    def forward(self, inputs: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """
        Inputs, mask and errors as in `SentenceStateLSTM.forward`.

        # Returns

        words : `Tensor`
            Every word's state [→h ; ←h] in the last layer, zero at padding.
            *Shape:* (batch_size, seq_len, directions * hidden_size)
        sentence : `Tensor`
            The last states of the last layer, →h at the last word and ←h at the first.
            *Shape:* (batch_size, directions * hidden_size)
        """
        first: Any = self.layers[0]
        weight = first.forwards.weight_ih_l0
        mask = check_inputs(inputs, mask, self.input_size, weight, padded_right=True)
        if mask.numel() == 0:
            words = no_states(self, inputs, *mask.shape, self.output_size)
            return words, words.sum(dim=1)
        padding = ~mask.unsqueeze(-1)
        orders = reading_orders(mask, self.directions)
        words = inputs.masked_fill(padding, 0)
        if inputs.device.type == "cpu":
            words = words.to(weight.dtype)
        with torch.autocast("cpu", enabled=False):  # not every processor has oneDNN's in bfloat16
            for number, layer in enumerate(self.layers):
                words = self.dropout(words) if number else words
                words = layer(words, orders).masked_fill(padding, 0)
        return words, last_states(words, mask, self.hidden_size)


class _Layer(Module):
    """One layer. A seed gives it the weights that it gives a layer of `torch.nn.LSTM`."""

    def __init__(self, input_size: int, hidden_size: int, bidirectional: bool) -> None:
        super().__init__()
        self.forwards = LSTM(input_size, hidden_size, batch_first=True)
        self.backwards = LSTM(input_size, hidden_size, batch_first=True) if bidirectional else None

    def forward(self, words: Tensor, orders: Tensor) -> Tensor:
        states, _ = self.forwards(words)
        if self.backwards is None:
            return states
        from_right, _ = self.backwards(reordered(words, orders[1]))
        return torch.cat([states, reordered(from_right, orders[1])], dim=-1)
