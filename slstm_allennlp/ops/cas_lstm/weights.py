from typing import NamedTuple, Optional, Tuple, Union

import torch
from torch import Tensor

# What the authors' code adds to the pre-activations of both forget gates above the first layer.
FORGET_OFFSET = 1.0

Fusion = Union[float, str]


class CasLstmWeights(NamedTuple):
    """
    The parameters of one layer, for D directions (one, or forward and backward), hidden size h and
    input size d. The gates are stacked in the order i, f, c̃, o, which is PyTorch's, and g above the
    first layer: G is 4 in the first and 5 above.

    W : *Shape:* (D, G, h, d)
    U : without g where peepholes make it. *Shape:* (D, G, h, h), or (D, 4, h, h)
    b : *Shape:* (D, G, h)
    fusion : λ above the first layer, None for the plain sum and for peepholes. *Shape:* (D, h)
    peephole : p₁ and p₂ of Eq. 17 where peepholes make g, else None. *Shape:* (D, 2, h)
    """

    W: Tensor
    U: Tensor
    b: Tensor
    fusion: Optional[Tensor]
    peephole: Optional[Tensor]

    @property
    def is_first(self) -> bool:
        """Whether there is no layer below whose cells this one reads."""
        return self.W.size(1) == 4

    @property
    def biases(self) -> Tensor:
        """
        What is added to the gates' pre-activations, one after the other: b and, above the first layer,
        the offset of the forget gates. *Shape:* (D, G * h)
        """
        if self.is_first:
            return self.b.flatten(1)
        offset = self.b.new_tensor([0, FORGET_OFFSET, 0, 0, FORGET_OFFSET])
        return (self.b + offset.view(1, 5, 1)).flatten(1)

    @property
    def scales(self) -> Tuple[Union[Tensor, float], Union[Tensor, float]]:
        """What f ⊙ c from the left and g ⊙ c from below count: 1 - λ and λ, (D, 1, h), or 1 and 1."""
        if self.fusion is None:
            return 1.0, 1.0
        below = self.fusion.unsqueeze(1)
        return 1 - below, below


class CasLstmStates(NamedTuple):
    """
    What a layer computed. Each of the same shape, which is the operation's.

    h, c : the states and the cells
    o, g : the output gates and the vertical forget gates; None where they were not asked for, and g in
        the first layer, which has none
    """

    h: Tensor
    c: Tensor
    o: Optional[Tensor]
    g: Optional[Tensor]


def initial_weights(
    directions: int, input_size: int, hidden_size: int, is_first: bool, peephole: bool = False
) -> CasLstmWeights:
    """
    As in the authors' code: orthogonal U, biases zero but for the first layer's forget gate, which
    starts at 1. W, of which paper and specification are silent, as `torch.nn.LSTM` has it,
    U(-1/√h, 1/√h), and so p₁ and p₂. λ is left to the module.
    """
    bound = hidden_size**-0.5
    gates = 4 if is_first else 5
    b = torch.zeros(directions, gates, hidden_size)
    if is_first:
        b[:, 1] = 1
    U = torch.empty(directions, 4 if peephole else gates, hidden_size, hidden_size)
    for gate in U.flatten(0, 1):
        torch.nn.init.orthogonal_(gate)
    return CasLstmWeights(
        W=torch.empty(directions, gates, hidden_size, input_size).uniform_(-bound, bound),
        U=U,
        b=b,
        fusion=None,
        peephole=torch.empty(directions, 2, hidden_size).uniform_(-bound, bound) if peephole else None,
    )
