from typing import List, Optional

import torch
from torch import Tensor

from slstm_allennlp.ops.cas_lstm.weights import CasLstmStates, CasLstmWeights


def hoisted_cas_lstm_layer(
    inputs: Tensor,  # (D, L, B, input_size): words or states of the layer below, in reading order
    cells_below: Optional[Tensor],  # (D, L, B, hidden_size), None in the first layer
    weights: CasLstmWeights,
) -> CasLstmStates:
    """
    Run one layer on B sentences, with D directions at once. Return h, c, o and g, (D, L, B, hidden_size)
    each. The equations are those of `naive_cas_lstm`. W x + b of all words is one product before the
    loop.
    """
    projected = project(inputs, weights)
    U = recurrent_weights(weights)
    h = c = weights.b.new_zeros(len(inputs), inputs.size(2), weights.b.size(-1))
    steps: List[CasLstmStates] = []
    for t, x in enumerate(projected.unbind(1)):
        c_below = None if cells_below is None else cells_below[:, t]
        steps.append(cas_lstm_step(x, h, c, c_below, U, weights))
        h, c = steps[-1].h, steps[-1].c
    return CasLstmStates._make(None if s[0] is None else torch.stack(s, dim=1) for s in zip(*steps))


def project(inputs: Tensor, weights: CasLstmWeights) -> Tensor:
    """
    Compute W x + b for all words at once.
    *Shape:* (D, seq_len, batch_size, input_size) to (D, seq_len, batch_size, G * hidden_size)
    """
    W = weights.W.flatten(1, 2).transpose(1, 2)
    projected = torch.baddbmm(weights.biases.unsqueeze(1), inputs.flatten(1, 2), W)
    return projected.view(*inputs.shape[:3], -1)


def recurrent_weights(weights: CasLstmWeights) -> Tensor:
    """
    Return Uᵀ of all gates, for h Uᵀ.
    *Shape:* (D, hidden_size, G * hidden_size), or (D, hidden_size, 4 * hidden_size) with peepholes
    """
    return weights.U.flatten(1, 2).transpose(1, 2)


def cas_lstm_step(
    x: Tensor,  # (D, B, G * h), W x + b of the words, from `project`
    h: Tensor,  # (D, B, h), the previous states
    c: Tensor,  # (D, B, h), the previous cells
    c_below: Optional[Tensor],  # (D, B, h), the cells of the layer below, None in the first layer
    U: Tensor,  # from `recurrent_weights`
    weights: CasLstmWeights,
) -> CasLstmStates:
    """Compute one step, one word of every sentence: h, c, o and g, (D, B, h) each."""
    size = h.size(-1)
    if weights.peephole is None or c_below is None:
        gates = list(torch.baddbmm(x, h, U).split(size, dim=-1))
    else:
        p_left, p_below = weights.peephole.unsqueeze(2).unbind(1)
        gates = list(torch.baddbmm(x[..., : 4 * size], h, U).split(size, dim=-1))
        gates.append(x[..., 4 * size :] + p_left * c + p_below * c_below)
    i, f, o = (torch.sigmoid(gates[number]) for number in (0, 1, 3))
    left, below = weights.scales
    c = i * torch.tanh(gates[2]) + left * f * c
    g = None
    if c_below is not None:
        g = torch.sigmoid(gates[4])
        c = c + below * g * c_below
    return CasLstmStates(o * torch.tanh(c), c, o, g)
