from typing import List, Optional, Sequence, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.cas_lstm.weights import FORGET_OFFSET, CasLstmStates, CasLstmWeights


def naive_cas_lstm(inputs: Tensor, layers: Sequence[CasLstmWeights]) -> List[CasLstmStates]:
    """
    Run all layers on one sentence, word by word, literally as in Eqs. 1-13, 17 and 18, which
    `slstm_allennlp.modules.CellAwareStackedLSTM` shows. This is the reference that the tests compare the
    fast versions with. The inputs are (seq_len, input_size), the layers those of D directions: forward,
    or forward and backward, which are independent. Return h, c, o and g of each layer, (seq_len, D,
    hidden_size) each.
    """
    words = range(len(inputs))
    orders = [words, words[::-1]][: len(layers[0].W)]
    states = [_read(inputs, layers, direction, order) for direction, order in enumerate(orders)]
    return [
        CasLstmStates._make(None if s[0] is None else torch.stack(s, dim=1) for s in zip(*per_direction))
        for per_direction in zip(*states)
    ]


def _read(
    inputs: Tensor, layers: Sequence[CasLstmWeights], direction: int, order: Sequence[int]
) -> List[CasLstmStates]:
    """Run one direction, which reads the words in the given order. Return states in sentence order."""
    below = CasLstmStates(inputs, torch.empty(0), None, None)
    result = []
    for layer in layers:
        weights = CasLstmWeights._make(None if w is None else w[direction] for w in layer)
        h = c = weights.b.new_zeros(weights.b.size(-1))
        steps = {}
        for t in order:
            c_below = None if layer.is_first else below.c[t]
            h, c, o, g = _step(weights, below.h[t], c_below, h, c)
            steps[t] = (h, c, o, g)
        sentence = zip(*(steps[t] for t in range(len(inputs))))
        below = CasLstmStates._make(None if s[0] is None else torch.stack(s) for s in sentence)
        result.append(below)
    return result


def _step(
    weights: CasLstmWeights, x: Tensor, c_below: Optional[Tensor], h: Tensor, c: Tensor
) -> Tuple[Tensor, Tensor, Tensor, Optional[Tensor]]:
    """Compute one word's h, c, o and g."""
    W, U, b, fusion, peephole = weights
    offset = 0.0 if c_below is None else FORGET_OFFSET
    i = torch.sigmoid(W[0] @ x + U[0] @ h + b[0])
    f = torch.sigmoid(W[1] @ x + U[1] @ h + b[1] + offset)
    candidate = torch.tanh(W[2] @ x + U[2] @ h + b[2])
    o = torch.sigmoid(W[3] @ x + U[3] @ h + b[3])
    g = None
    if c_below is None:
        c = i * candidate + f * c
    elif peephole is not None:
        g = torch.sigmoid(W[4] @ x + peephole[0] * c + peephole[1] * c_below + b[4] + offset)
        c = i * candidate + f * c + g * c_below
    else:
        g = torch.sigmoid(W[4] @ x + U[4] @ h + b[4] + offset)
        if fusion is None:
            c = i * candidate + f * c + g * c_below
        else:
            c = i * candidate + (1 - fusion) * f * c + fusion * g * c_below
    return o * torch.tanh(c), c, o, g
