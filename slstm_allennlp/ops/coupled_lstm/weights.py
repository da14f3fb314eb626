from typing import NamedTuple

import torch
from torch import Tensor


class CoupledLstmWeights(NamedTuple):
    """
    The parameters of one layer, for D directions (one, or forward and backward), hidden size h and
    input size d. The gates are stacked in the order i, f, o, u.

    W : *Shape:* (D, 4, h, d)
    U : *Shape:* (D, 4, h, h)
    b : *Shape:* (D, 4, h)
    initial_h, initial_c : what a direction starts from. *Shape:* (D, h)
    """

    W: Tensor
    U: Tensor
    b: Tensor
    initial_h: Tensor
    initial_c: Tensor


def initial_weights(directions: int, input_size: int, hidden_size: int) -> CoupledLstmWeights:
    """U(-1/√h, 1/√h) for weights and biases, as `torch.nn.LSTM` has it, and zero to start from."""
    bound = hidden_size**-0.5
    return CoupledLstmWeights(
        W=torch.empty(directions, 4, hidden_size, input_size).uniform_(-bound, bound),
        U=torch.empty(directions, 4, hidden_size, hidden_size).uniform_(-bound, bound),
        b=torch.empty(directions, 4, hidden_size).uniform_(-bound, bound),
        initial_h=torch.zeros(directions, hidden_size),
        initial_c=torch.zeros(directions, hidden_size),
    )
