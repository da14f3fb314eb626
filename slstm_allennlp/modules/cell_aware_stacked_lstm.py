from types import ModuleType
from typing import Any, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.nn import Module, ModuleList, Parameter

from slstm_allennlp.modules.checks import check_inputs, is_fraction, no_states
from slstm_allennlp.modules.pooling import max_over_words
from slstm_allennlp.modules.recurrent import Recurrent
from slstm_allennlp.ops.cas_lstm import (
    CasLstmStates,
    CasLstmWeights,
    fused_cas_lstm_layer,
    hoisted_cas_lstm_layer,
    initial_weights,
)
from slstm_allennlp.ops.compiled import is_traced, is_transformed, load_kernels
from slstm_allennlp.ops.precision import autocast_dtype
from slstm_allennlp.ops.reading_order import reading_orders, take

FUSIONS = ("trainable", "sum", "peephole")


class CellAwareStackedLSTM(Recurrent):
    """
    The cell-aware stacked LSTM (CAS-LSTM) of Choi, Kim and Lee (ACML 2019). From the second layer on, a
    cell also reads the cell of the layer below, through an additional forget gate g.

        i, f, g, o = σ(W h' + U h + b) each      c̃ = tanh(W h' + U h + b)      (Eqs. 7-13)
        c = i ⊙ c̃ + (1 - λ) ⊙ f ⊙ c₋ + λ ⊙ g ⊙ c'
        h = o ⊙ tanh(c)

    c₋ is the previous word's cell; h' and c' are the state and the cell of the layer below. The first
    layer is an ordinary LSTM (Eqs. 1-6). As in the authors' code, 1 is added to the pre-activations of f
    and g above the first layer. Initially, U is orthogonal, the first layer's forget bias is 1, and all
    other biases are 0. The two directions are independent stacks. `ValueError` that names the argument,
    its value and what is expected.

    # Parameters

    input_size : `int`
        The size d of a word's input.
    hidden_size : `int`
        The size h of a state of one direction, in every layer.
    num_layers : `int`, optional (default = `2`)
    bidirectional : `bool`, optional (default = `False`)
        Whether a second stack, with separate parameters, reads from right to left.
    fusion : `float` or `str`, optional (default = `0.5`)
        λ, a number from 0 to 1, or a variant of the paper's Table 6: `"trainable"`, λ is a vector in
        each layer, the sigmoid of parameters drawn from N(0, 0.1²); `"sum"`, no λ, both factors are 1;
        `"peephole"`, g = σ(W h' + p₁ ⊙ c₋ + p₂ ⊙ c' + b), also without λ (Eqs. 17, 18).
    dropout : `float`, optional (default = `0.0`)
        The dropout rate of the states between layers. Cells have no dropout.
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
        super().__init__(input_size, hidden_size, num_layers, bidirectional, dropout)
        if not is_fraction(fusion) and fusion not in FUSIONS:
            names = ", ".join(f'"{name}"' for name in FUSIONS)
            raise ValueError(f"fusion is {fusion!r}, expected a number from 0 to 1 or one of {names}")
        self.fusion = fusion
        self.layers = ModuleList(
            CellAwareStackedLSTMLayer(
                self.directions, size, hidden_size, None if number == 0 else fusion
            )
            for number, size in enumerate([input_size, *[hidden_size] * (num_layers - 1)])
        )

    def forward(self, inputs: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """
        Inputs, mask and errors as in `SentenceStateLSTM.forward`.

        # Returns

        words : `Tensor`
            Every word's state [→h ; ←h] in the last layer, zero at padding.
            *Shape:* (batch_size, seq_len, directions * hidden_size)
        sentence : `Tensor`
            The maximum over the real words; zero for sentences without real words.
            *Shape:* (batch_size, directions * hidden_size)
        """
        first: Any = self.layers[0]
        mask = check_inputs(inputs, mask, self.input_size, first.W, padded_right=True)
        if mask.numel() == 0:
            words = no_states(self, inputs, *mask.shape, self.output_size)
        else:
            words = self._read(inputs, mask, with_gates=False)[-1].h.flatten(2)
            words = words.masked_fill(~mask.unsqueeze(-1), 0)
        return words, max_over_words(words, mask)

    def states(self, inputs: Tensor, mask: Optional[Tensor] = None) -> List[CasLstmStates]:
        """
        Return the states `h`, the cells `c`, the output gates `o` and the vertical forget gates `g`
        (None in the first layer) of every layer, (batch_size, seq_len, directions, hidden_size) each.
        Values at padding are undefined. Inputs, mask and errors as in `forward`, and `ValueError` for no
        position.
        """
        mask = check_inputs(inputs, mask, self.input_size, self.layers[0].W, padded_right=True)
        if mask.numel() == 0:
            raise ValueError(f"inputs have shape {tuple(inputs.shape)}, expected at least one word")
        return self._read(inputs, mask, with_gates=True)

    def _read(self, inputs: Tensor, mask: Tensor, with_gates: bool) -> List[CasLstmStates]:
        order = reading_orders(mask, self.directions)
        inputs = inputs.masked_fill(~mask.unsqueeze(-1), 0).expand(self.directions, -1, -1, -1)
        # (D, seq_len, batch_size, ...), in reading order
        h, c = take(inputs, order).transpose(1, 2), None
        result = []
        for number, layer in enumerate(self.layers):
            states = layer(self.dropout(h) if number else h, c, with_gates)
            h, c = states.h, states.c
            result.append(states)
        wanted = result if with_gates else result[-1:]
        return [CasLstmStates._make(_in_sentences(s, order) for s in states) for states in wanted]

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, fusion={self.fusion!r}"


class CellAwareStackedLSTMLayer(Module):
    """One layer of a `CellAwareStackedLSTM`, for all directions. The first layer's `fusion` is None."""

    def __init__(
        self, directions: int, input_size: int, hidden_size: int, fusion: Union[float, str, None]
    ) -> None:
        super().__init__()
        W, U, b, _, peephole = initial_weights(
            directions, input_size, hidden_size, is_first=fusion is None, peephole=fusion == "peephole"
        )
        # (D, d, G, h) and (D, h, G, h): products are fastest in this layout, and their gradients have
        # it, so no copies are needed.
        self.W, self.U = (Parameter(weight.permute(0, 3, 1, 2).contiguous()) for weight in (W, U))
        self.b = Parameter(b)
        self.peephole = None if peephole is None else Parameter(peephole)
        self.fusion = fusion
        self.fusion_logits: Optional[Tensor] = None
        if fusion == "trainable":
            self.fusion_logits = Parameter(torch.empty(directions, hidden_size).normal_(0, 0.1))

    @property
    def weights(self) -> CasLstmWeights:
        fusion = None
        if self.fusion_logits is not None:
            fusion = torch.sigmoid(self.fusion_logits)
        elif self.fusion is not None and not isinstance(self.fusion, str):
            fusion = torch.full_like(self.b[:, 0], self.fusion)
        W, U = (weight.permute(0, 2, 3, 1) for weight in (self.W, self.U))
        return CasLstmWeights(W, U, self.b, fusion, self.peephole)

    def forward(
        self, inputs: Tensor, cells_below: Optional[Tensor], with_gates: bool = False
    ) -> CasLstmStates:
        """
        Run the layer on inputs in reading order. *Shape:* (directions, seq_len, batch_size, input_size)
        to (directions, seq_len, batch_size, hidden_size); `cells_below` has the shape of the results.
        """
        kernels = None if with_gates else self._kernels(inputs)
        if kernels is None:
            return hoisted_cas_lstm_layer(inputs, cells_below, self.weights)
        return fused_cas_lstm_layer(inputs, cells_below, self.weights, kernels)

    def _kernels(self, inputs: Tensor) -> Optional[ModuleType]:
        """Return the kernels for the fused version; None if there are none for these inputs."""
        single_or_double = inputs.dtype in (torch.float32, torch.float64)
        is_autocast = autocast_dtype(inputs.device) is not None
        if self.peephole is not None or not single_or_double or is_autocast:
            return None
        if is_traced() or is_transformed():
            return None
        return load_kernels("cas_lstm") if inputs.device.type == "cpu" else None


def _in_sentences(states: Optional[Tensor], order: Tensor) -> Optional[Tensor]:
    """From (D, seq_len, batch_size, h) in reading order to (batch_size, seq_len, D, h)."""
    return None if states is None else take(states.transpose(1, 2), order).permute(1, 2, 0, 3)
