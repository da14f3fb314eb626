"""The steps of one direction in PyTorch's operations. cpu.cpp has the same functions."""

from typing import Optional

import torch
from torch import Tensor


def forward(
    gates: Tensor,
    U: Tensor,
    left: Tensor,
    below: Tensor,
    cells_below: Optional[Tensor],
    h: Tensor,
    c: Tensor,
    by_onednn: bool,
) -> None:
    """
    Compute the states and cells of one direction. G is 4 in the first layer, 5 above it.

        c = i ⊙ c̃ + left ⊙ f ⊙ c₋ + below ⊙ g ⊙ c'
        h = o ⊙ tanh(c)

    # Parameters

    gates : `Tensor`
        W x + b; overwritten with the gates. *Shape:* (seq_len, batch_size, G, hidden_size)
    U : `Tensor`
        *Shape:* (G * hidden_size, hidden_size)
    left, below : `Tensor`
        *Shape:* (hidden_size,)
    cells_below : `Tensor`, optional
        c', None in the first layer. *Shape:* (seq_len, batch_size, hidden_size)
    h, c : `Tensor`
        The results are written here. *Shape:* (seq_len, batch_size, hidden_size)
    by_onednn : `bool`
        Whether the compiled kernels compute products by oneDNN.
    """
    for t, step in enumerate(gates):
        if t:
            step += (h[t - 1] @ U.t()).view_as(step)
        i, f, candidate, o, *g = step.unbind(1)
        for gate in (i, f, o, *g):
            gate.sigmoid_()
        candidate.tanh_()
        cells = i * candidate
        if t:
            cells.addcmul_(left * f, c[t - 1])
        if cells_below is not None:
            cells.addcmul_(below * g[0], cells_below[t])
        c[t] = cells
        torch.mul(o, torch.tanh(cells), out=h[t])


def backward(
    gates: Tensor,
    U: Tensor,
    left: Tensor,
    below: Tensor,
    cells_below: Optional[Tensor],
    c: Tensor,
    grad_h: Tensor,
    d_c: Tensor,
    d_below: Optional[Tensor],
    by_onednn: bool,
) -> None:
    """
    Compute the gradients of `forward`.

    # Parameters

    gates : `Tensor`
        The gates from `forward`; overwritten with the gradients of their pre-activations.
        *Shape:* (seq_len, batch_size, G, hidden_size)
    U, left, below, cells_below, c
        As in `forward`; c is its result.
    grad_h : `Tensor`
        The incoming gradient of the states. *Shape:* (seq_len, batch_size, hidden_size)
    d_c : `Tensor`
        The incoming gradient of the cells; the gradient through later steps and h is added to it.
        *Shape:* (seq_len, batch_size, hidden_size)
    d_below : `Tensor`, optional
        The gradient of `cells_below` is written here; None in the first layer.
        *Shape:* (seq_len, batch_size, hidden_size)
    """
    for t in reversed(range(len(gates))):
        d_h = grad_h[t]
        if t + 1 < len(gates):
            d_h = d_h + gates[t + 1].flatten(1) @ U
        i, f, candidate, o, *g = gates[t].unbind(1)
        tanh_c = torch.tanh(c[t])
        d_cells = d_c[t].addcmul_(d_h * o, 1 - tanh_c * tanh_c)
        d_gates = [
            d_cells * candidate * i * (1 - i),
            torch.zeros_like(f),
            d_cells * i * (1 - candidate * candidate),
            d_h * tanh_c * o * (1 - o),
        ]
        if t:
            d_left = d_cells * left * f
            d_gates[1] = d_left * c[t - 1] * (1 - f)
            d_c[t - 1] += d_left
        if cells_below is not None and d_below is not None:
            d_below[t] = d_cells * below * g[0]
            d_gates.append(d_below[t] * cells_below[t] * (1 - g[0]))
        gates[t] = torch.stack(d_gates, dim=1)
