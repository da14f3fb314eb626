"""The elementwise part of a CAS-LSTM step in PyTorch's operations; cpu.cpp has the same functions."""

from typing import Optional

import torch
from torch import Tensor


def forward(
    t: int,
    gates: Tensor,
    recurrent: Optional[Tensor],
    left: Tensor,
    below: Tensor,
    cells_below: Optional[Tensor],
    h: Tensor,
    c: Tensor,
) -> None:
    """
    The states of all sentences' word `t`, written into `h` and `c`.

    # Parameters

    t : `int`
    gates : `Tensor`
        At `t` W x + b, which the gates take the place of.
        *Shape:* (D, seq_len, batch_size, G, hidden_size)
    recurrent : `Tensor`, optional
        U h, None for the first word. *Shape:* (D, batch_size, G * hidden_size)
    left, below : `Tensor`
        What f ⊙ c from the left and g ⊙ c from below count. *Shape:* (D, hidden_size)
    cells_below : `Tensor`, optional
        None where G is 4. *Shape:* (D, seq_len, batch_size, hidden_size)
    h, c : `Tensor`
        *Shape:* (D, seq_len, batch_size, hidden_size)
    """
    step = gates[:, t]
    if recurrent is not None:
        step += recurrent.view_as(step)
    i, f, candidate, o, *g = step.unbind(2)
    for gate in (i, f, o, *g):
        gate.sigmoid_()
    candidate.tanh_()
    cells = i * candidate
    if t:
        cells.addcmul_(left.unsqueeze(1) * f, c[:, t - 1])
    if cells_below is not None:
        cells.addcmul_(below.unsqueeze(1) * g[0], cells_below[:, t])
    c[:, t] = cells
    torch.mul(o, torch.tanh(cells), out=h[:, t])


def backward(
    t: int,
    gates: Tensor,
    left: Tensor,
    below: Tensor,
    cells_below: Optional[Tensor],
    c: Tensor,
    d_h: Tensor,
    d_c: Tensor,
    d_gates: Tensor,
) -> None:
    """
    The gradients of what `forward` did at `t`.

    # Parameters

    t, gates, left, below, cells_below, c
        As `forward` left them.
    d_h : `Tensor`
        The whole gradient of h at `t`. *Shape:* (D, batch_size, hidden_size)
    d_c : `Tensor`
        The gradients of all cells, whole at `t` but for what comes by way of h; made whole here, and
        what word `t` gives to the cell before it is added there.
        *Shape:* (D, seq_len, batch_size, hidden_size)
    d_gates : `Tensor`
        Those of the pre-activations, written at `t`. *Shape:* that of the gates
    """
    i, f, candidate, o, *g = gates[:, t].unbind(2)
    d_i, d_f, d_candidate, d_o, *d_g = d_gates[:, t].unbind(2)
    tanh_c = torch.tanh(c[:, t])
    d_cells = d_c[:, t].addcmul_(d_h * o, 1 - tanh_c * tanh_c)
    d_i.copy_(d_cells * candidate * i * (1 - i))
    d_candidate.copy_(d_cells * i * (1 - candidate * candidate))
    d_o.copy_(d_h * tanh_c * o * (1 - o))
    if t:
        d_left = d_cells * left.unsqueeze(1) * f
        d_f.copy_(d_left * c[:, t - 1] * (1 - f))
        d_c[:, t - 1] += d_left
    else:
        d_f.zero_()
    if cells_below is not None:
        d_g[0].copy_(d_cells * below.unsqueeze(1) * cells_below[:, t] * g[0] * (1 - g[0]))
