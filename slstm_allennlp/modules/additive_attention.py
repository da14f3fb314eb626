from typing import Optional

import torch
from torch import Tensor
from torch.nn import Linear, Module

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.modules.checks import check_inputs


class AdditiveAttention(Module):
    """
    A sentence vector as a weighted sum of the words' states (Zhang, Liu and Song, ACL 2018, Section 3.3,
    "External attention", after Bahdanau et al., 2015).

        εₜ = tanh(W_α hₜ + b_α)
        αₜ = exp(uᵀ εₜ) / Σᵢ exp(uᵀ εᵢ)      over the real words
        g = Σₜ αₜ hₜ

    `ValueError` for a size below one.

    # Parameters

    input_size : `int`
        The size of hₜ.
    attention_size : `int`, optional (default = `input_size`)
        The size of εₜ and u.
    """

    def __init__(self, input_size: int, attention_size: Optional[int] = None) -> None:
        super().__init__()
        attention_size = input_size if attention_size is None else attention_size
        check_sizes(input_size=input_size, attention_size=attention_size)
        self.input_size = self.output_size = input_size
        self.W = Linear(input_size, attention_size)  # W_α and b_α
        self.u = Linear(attention_size, 1, bias=False)

    def forward(self, states: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """
        Return g, (batch_size, input_size), zero for sentences without real words, of the words' states,
        (batch_size, seq_len, input_size). Mask and errors as in `SentenceStateLSTM.forward`; the padding
        may be anywhere.
        """
        mask = check_inputs(states, mask, self.input_size, self.W.weight, "states")
        # Without real words, the weights are uniform and the states are zero.
        states = states.masked_fill(~mask.unsqueeze(-1), 0)
        return (self._weights(states, mask).unsqueeze(-1) * states).sum(dim=1)

    def weights(self, states: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        """
        Return α, (batch_size, seq_len), zero at padding; uniform for sentences without real words.
        Parameters and errors as in `forward`.
        """
        mask = check_inputs(states, mask, self.input_size, self.W.weight, "states")
        return self._weights(states.masked_fill(~mask.unsqueeze(-1), 0), mask)

    def _weights(self, states: Tensor, mask: Tensor) -> Tensor:
        scores = self.u(torch.tanh(self.W(states))).squeeze(-1)
        return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=1)
