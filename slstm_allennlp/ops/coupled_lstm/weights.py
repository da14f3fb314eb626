from typing import NamedTuple

import torch
from torch import Tensor


class CoupledLstmWeights(NamedTuple):
    """
    The parameters of one layer. D is the number of directions (forward, or forward and backward), h the
    hidden size and d the input size. The gates are stacked in the order i, f, o, u.
    """

    W: Tensor  # (D, 4, h, d)
    U: Tensor  # (D, 4, h, h)
    b: Tensor  # (D, 4, h)
    initial_h: Tensor  # each direction's initial state, (D, h)
    initial_c: Tensor  # each direction's initial cell, (D, h)


def initial_weights(directions: int, input_size: int, hidden_size: int) -> CoupledLstmWeights:
    """Draw weights and biases from U(-1/√h, 1/√h), like `torch.nn.LSTM`. Initial states are zero."""
    bound = hidden_size**-0.5
    return CoupledLstmWeights(
        W=torch.empty(directions, 4, hidden_size, input_size).uniform_(-bound, bound),
        U=torch.empty(directions, 4, hidden_size, hidden_size).uniform_(-bound, bound),
        b=torch.empty(directions, 4, hidden_size).uniform_(-bound, bound),
        initial_h=torch.zeros(directions, hidden_size),
        initial_c=torch.zeros(directions, hidden_size),
    )
