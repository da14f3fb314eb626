from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.nn import Module, ModuleList, Parameter

from slstm_allennlp.common.arguments import check_flags
from slstm_allennlp.modules.checks import check_inputs, no_states
from slstm_allennlp.modules.recurrent import Recurrent
from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.coupled_lstm import CoupledLstmWeights, hoisted_coupled_lstm, initial_weights
from slstm_allennlp.ops.reading_order import last_states


class CoupledLSTM(Recurrent):
    """
    The LSTM with coupled gates: the baseline of Zhang, Liu and Song (ACL 2018, Section 3.1). The input
    gate and the forget gate sum to one.

        î, f̂, o = σ(W x + U h + b) each      u = tanh(W_u x + U_u h + b_u)      (Eq. 1)
        i, f = softmax(î, f̂)
        c = f ⊙ c + i ⊙ u
        h = o ⊙ tanh(c)

    The initial h and c are parameters of each layer and direction. Boundary words are read in both
    directions and in all layers. `ValueError` that names the argument, its value and what is expected.

    # Parameters

    input_size : `int`
        The size d of a word's input.
    hidden_size : `int`
        The size h of a state of one direction.
    num_layers : `int`, optional (default = `1`)
        A layer's words are the next one's input.
    bidirectional : `bool`, optional (default = `False`)
        Whether a second direction, with separate parameters, reads from right to left.
    boundary : `bool`, optional (default = `True`)
        Whether learned inputs ⟨s⟩ and ⟨/s⟩ are put before the first word and after the last.
    dropout : `float`, optional (default = `0.0`)
        The dropout rate between layers.
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
        super().__init__(input_size, hidden_size, num_layers, bidirectional, dropout)
        check_flags(boundary=boundary)
        self.boundary_inputs = (
            Parameter(torch.empty(2, input_size).normal_(0, 0.1)) if boundary else None
        )
        self.layers = ModuleList(
            CoupledLSTMLayer(initial_weights(self.directions, layer_input_size, hidden_size))
            for layer_input_size in [input_size, *[self.output_size] * (num_layers - 1)]
        )

    def forward(self, inputs: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """
        Inputs, mask and errors as in `SentenceStateLSTM.forward`.

        # Returns

        words : `Tensor`
            Every word's state [→h ; ←h] in the last layer, zero at padding.
            *Shape:* (batch_size, seq_len, directions * hidden_size)
        sentence : `Tensor`
            The last states of the last layer, →h at ⟨/s⟩ and ←h at ⟨s⟩; without boundary words, at the
            last and at the first word. *Shape:* (batch_size, directions * hidden_size)
        """
        first: Any = self.layers[0]
        mask = check_inputs(inputs, mask, self.input_size, first.W, padded_right=True)
        words, reach = inputs, mask
        if self.boundary_inputs is not None:
            words, reach = add_boundary(inputs, mask, self.boundary_inputs)
        if words.size(1) == 0:
            states = no_states(self, inputs, words.size(0), 0, self.output_size)
            return states, states.sum(dim=1)
        for number, layer in enumerate(self.layers):
            words = layer(self.dropout(words) if number else words, reach)
        sentence = last_states(words, reach, self.hidden_size)
        if self.boundary_inputs is not None:
            words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
        return words, sentence

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, boundary={self.boundary_inputs is not None}"


class CoupledLSTMLayer(Module):
    """One layer of a `CoupledLSTM`, for all directions."""

    def __init__(self, weights: CoupledLstmWeights) -> None:
        super().__init__()
        for name, weight in weights._asdict().items():
            self.register_parameter(name, Parameter(weight))

    @property
    def weights(self) -> CoupledLstmWeights:
        return CoupledLstmWeights(*(getattr(self, name) for name in CoupledLstmWeights._fields))

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """From (batch_size, seq_len, input_size) to (batch_size, seq_len, directions * hidden_size)."""
        return hoisted_coupled_lstm(inputs, mask, self.weights)
