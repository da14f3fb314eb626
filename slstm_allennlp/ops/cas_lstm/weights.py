from typing import NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor

# Added to the pre-activations of both forget gates above the first layer, as in the authors' code.
FORGET_OFFSET = 1.0


class CasLstmWeights(NamedTuple):
    """
    The parameters of one layer. D is the number of directions (forward, or forward and backward), h the
    hidden size and d the input size. The G gates are stacked in PyTorch's order i, f, c̃, o, followed by
    g above the first layer: G is 4 in the first layer and 5 above it.
    """

    W: Tensor  # (D, G, h, d)
    U: Tensor  # (D, G, h, h), or (D, 4, h, h) with peepholes, where g has no U
    b: Tensor  # (D, G, h)
    fusion: Optional[Tensor]  # λ, (D, h); None in the first layer, for the plain sum and for peepholes
    peephole: Optional[Tensor]  # p₁ and p₂ of Eq. 17, (D, 2, h); None without peepholes

    @property
    def is_first(self) -> bool:
        """Whether this is the first layer, which has no cells below it."""
        return self.W.size(1) == 4

    @property
    def biases(self) -> Tensor:
        """Return b plus, above the first layer, the offset of the forget gates. *Shape:* (D, G * h)"""
        if self.is_first:
            return self.b.flatten(1)
        offset = torch.zeros_like(self.b)
        offset[:, 1::3] = FORGET_OFFSET  # f and g
        return (self.b + offset).flatten(1)

    @property
    def scales(self) -> Tuple[Union[Tensor, float], Union[Tensor, float]]:
        """The factors of f ⊙ c₋ and g ⊙ c': 1 - λ and λ, *Shape:* (D, 1, h), or 1 and 1."""
        if self.fusion is None:
            return 1.0, 1.0
        below = self.fusion.unsqueeze(1)
        return 1 - below, below


class CasLstmStates(NamedTuple):
    """The results of a layer. All have the same shape, given by the function that returns them."""

    h: Tensor  # the states
    c: Tensor  # the cells
    o: Optional[Tensor]  # the output gates; None if not requested
    g: Optional[Tensor]  # the vertical forget gates; None if not requested, and in the first layer


def initial_weights(
    directions: int, input_size: int, hidden_size: int, is_first: bool, peephole: bool = False
) -> CasLstmWeights:
    """
    Draw the initial weights as the authors' code does: U is orthogonal, and the biases are zero except
    the first layer's forget bias, which is 1. The paper does not say how W starts: W, p₁ and p₂ are
    drawn from U(-1/√h, 1/√h), like `torch.nn.LSTM`. λ is set by the module.
    """
    bound = hidden_size**-0.5
    gates = 4 if is_first else 5
    b = torch.zeros(directions, gates, hidden_size)
    if is_first:
        b[:, 1] = 1
    precision = torch.promote_types(b.dtype, torch.float32)  # LAPACK has no lower one
    U = torch.empty(directions, 4 if peephole else gates, hidden_size, hidden_size, dtype=precision)
    for gate in U.flatten(0, 1):
        torch.nn.init.orthogonal_(gate)
    return CasLstmWeights(
        W=torch.empty(directions, gates, hidden_size, input_size).uniform_(-bound, bound),
        U=U.to(b.dtype),
        b=b,
        fusion=None,
        peephole=torch.empty(directions, 2, hidden_size).uniform_(-bound, bound) if peephole else None,
    )
