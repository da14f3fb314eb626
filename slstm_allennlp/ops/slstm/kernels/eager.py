"""
The functions of cpu.cpp in PyTorch's own operations, for devices without compiled kernels.

Shapes, for R words of B sentences, hidden size h, window size k, K normalised gates and G gates:

    cu_seqlens          (B + 1,)      the first row of each sentence, and R
    pre, Ux             (R, G * h)    W ξ and U x + b of the word gates
    Vg                  (B, G * h)    V g of the word gates, None without a sentence node
    c, c_new, dh, dc    (R, h)        cells before and after the step, gradients of the new h and c
    cg, cg_new, dg, dcg (B, h)        the same for the sentence node
    x                   (R, h)        the candidate if it is the input itself; None if it is u = tanh(…)
    Uf                  (R, h)        U_f hᵢ
    Wf, fg, o           (B, h)        W_f g + b_f, and the pre-activations of f_g and of the node's o

The inputs and results of matrix products (`pre`, `Ux`, `Uf`, windows and their gradients) may have lower
precision than the states. Everything is computed in the precision of the states.
"""

from typing import NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class _Gates(NamedTuple):
    """The gates of every word, and the candidate u."""

    normalized: Tensor  # (R, K, h)
    slope: Optional[Tensor]  # (R, K, h), the derivative of the sigmoid before the softmax
    o: Tensor  # (R, h)
    u: Tensor  # (R, h)


def word_forward(
    cu_seqlens: Tensor,
    window: int,
    sigmoid_first: bool,
    pre: Tensor,
    Ux: Tensor,
    Vg: Optional[Tensor],
    c: Tensor,
    cg: Optional[Tensor],
    x: Optional[Tensor],
) -> Tuple[Tensor, Tensor]:
    """Compute the next h and c from the products of Eq. 2."""
    sentence_of = _sentence_of(cu_seqlens)
    gates = _gates(sentence_of, sigmoid_first, pre, Ux, Vg, c, x)
    values = _values(cu_seqlens, sentence_of, window, c, cg, gates.u)
    c_new = (gates.normalized * values).sum(1)
    return gates.o * c_new.tanh(), c_new


def word_state(
    cu_seqlens: Tensor,
    pre: Tensor,
    Ux: Tensor,
    Vg: Optional[Tensor],
    c_new: Tensor,
    has_candidate: bool,
) -> Tensor:
    """Recompute the next h from the next c. `has_candidate` says that x was None."""
    first = pre.size(1) - (2 if has_candidate else 1) * c_new.size(1)
    of_o = slice(first, first + c_new.size(1))
    o = pre[:, of_o].to(c_new.dtype) + Ux[:, of_o]
    if Vg is not None:
        o = o + Vg[_sentence_of(cu_seqlens), of_o]
    return o.sigmoid() * c_new.tanh()


def word_backward(
    cu_seqlens: Tensor,
    window: int,
    sigmoid_first: bool,
    pre: Tensor,
    Ux: Tensor,
    Vg: Optional[Tensor],
    c: Tensor,
    cg: Optional[Tensor],
    x: Optional[Tensor],
    c_new: Tensor,
    dh: Tensor,
    dc: Tensor,
    d_pre: Tensor,
    d_Ux: Tensor,
    d_x: Optional[Tensor],
) -> Tuple[Optional[Tensor], Tensor, Optional[Tensor]]:
    """
    Return the gradients of V g, c and c_g. Write the gradient of W ξ to `d_pre`; add those of U x and x
    to `d_Ux` and `d_x`.
    """
    sentence_of = _sentence_of(cu_seqlens)
    gates = _gates(sentence_of, sigmoid_first, pre, Ux, Vg, c, x)
    values = _values(cu_seqlens, sentence_of, window, c, cg, gates.u)
    t = c_new.tanh()
    flow = dc + dh * gates.o * (1 - t * t)
    weights = gates.normalized * flow.unsqueeze(1)
    d_normalized = weights * (values - c_new.unsqueeze(1))
    if gates.slope is not None:
        d_normalized = d_normalized * gates.slope
    parts = [d_normalized, (dh * t * gates.o * (1 - gates.o)).unsqueeze(1)]
    d_candidate = weights[:, -1]
    if x is None:
        parts.append((d_candidate * (1 - gates.u * gates.u)).unsqueeze(1))
    elif d_x is not None:
        d_x += d_candidate
    d_gates = torch.cat(parts, dim=1).flatten(1)
    d_pre.copy_(d_gates)
    d_Ux += d_gates
    d_c = torch.zeros_like(c)
    neighbors = 2 * window + 1
    windows_backward(cu_seqlens, window, weights[:, :neighbors].flatten(1), d_c)
    if cg is None:
        return None, d_c, None
    d_Vg = d_gates.new_zeros(len(cg), d_gates.size(1)).index_add_(0, sentence_of, d_gates)
    d_cg = torch.zeros_like(cg).index_add_(0, sentence_of, weights[:, neighbors])
    return d_Vg, d_c, d_cg


def node_forward(
    cu_seqlens: Tensor,
    sigmoid_first: bool,
    Uf: Tensor,
    Wf: Tensor,
    fg: Tensor,
    o: Tensor,
    c: Tensor,
    cg: Tensor,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Compute the next g and c_g from the products of Eq. 3, and its softmax's log denominator."""
    sentence_of = _sentence_of(cu_seqlens)
    f, own, _, _ = _forget(sentence_of, sigmoid_first, Uf, Wf, fg)
    index = sentence_of.unsqueeze(1).expand_as(f)
    highest = own.scatter_reduce(0, index, f.to(own.dtype), "amax") if len(f) else own
    exp_words, exp_own = (f - highest[sentence_of]).exp(), (own - highest).exp()
    total = exp_own.index_add(0, sentence_of, exp_words)
    cg_new = (exp_own * cg).index_add(0, sentence_of, exp_words * c) / total
    return o.sigmoid() * cg_new.tanh(), cg_new, total.log() + highest


def node_backward(
    cu_seqlens: Tensor,
    sigmoid_first: bool,
    Uf: Tensor,
    Wf: Tensor,
    fg: Tensor,
    o: Tensor,
    c: Tensor,
    cg: Tensor,
    cg_new: Tensor,
    log_total: Tensor,
    dg: Tensor,
    dcg: Tensor,
    d_Uf: Tensor,
    d_c: Tensor,
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """
    Return the gradients of W_f g, of the pre-activations of f_g and o, and of c_g. Write the gradient of
    U_f hᵢ to `d_Uf`; add that of c to `d_c`.
    """
    sentence_of = _sentence_of(cu_seqlens)
    f, own, slope, own_slope = _forget(sentence_of, sigmoid_first, Uf, Wf, fg)
    t, gate = cg_new.tanh(), o.sigmoid()
    flow = dcg + dg * gate * (1 - t * t)
    d_cg = flow * (own - log_total).exp()
    weights = flow[sentence_of] * (f - log_total[sentence_of]).exp()
    d_c += weights
    d_f = weights * (c - cg_new[sentence_of]) * slope
    d_Uf.copy_(d_f)
    d_Wf = torch.zeros_like(Wf).index_add_(0, sentence_of, d_f)
    return d_Wf, d_cg * (cg - cg_new) * own_slope, dg * t * gate * (1 - gate), d_cg


def windows(cu_seqlens: Tensor, window: int, states: Tensor, result: Tensor) -> None:
    """Write ξᵢ = [h₍ᵢ₋ₖ₎ … h₍ᵢ₊ₖ₎], zero beyond the sentence, to `result`. *Shape:* (R, (2k + 1) * h)"""
    result.copy_(_windows(cu_seqlens, window, states).flatten(1))


def windows_backward(cu_seqlens: Tensor, window: int, d_windows: Tensor, d_states: Tensor) -> None:
    """Add the gradient of the states to `d_states`."""
    index = _places(cu_seqlens, window)
    padded = torch.cat([d_states, d_states.new_zeros(1, d_states.size(1))])
    places = d_windows.reshape(-1, d_states.size(1)).to(d_states.dtype)
    padded.index_add_(0, index.flatten(), places)
    d_states.copy_(padded[:-1])


def _sentence_of(cu_seqlens: Tensor) -> Tensor:
    numbers = torch.arange(len(cu_seqlens) - 1, device=cu_seqlens.device)
    return torch.repeat_interleave(numbers, cu_seqlens[1:] - cu_seqlens[:-1])


def _windows(cu_seqlens: Tensor, window: int, states: Tensor) -> Tensor:
    padded = torch.cat([states, states.new_zeros(1, states.size(1))])
    return padded[_places(cu_seqlens, window)]


def _places(cu_seqlens: Tensor, window: int) -> Tensor:
    """Return the rows in the slots of ξ, (R, 2k + 1); R for a slot beyond the sentence."""
    sentence_of = _sentence_of(cu_seqlens)
    rows = torch.arange(len(sentence_of), device=cu_seqlens.device).unsqueeze(1)
    places = rows + torch.arange(-window, window + 1, device=cu_seqlens.device)
    first, end = cu_seqlens[sentence_of].unsqueeze(1), cu_seqlens[sentence_of + 1].unsqueeze(1)
    return torch.where((places >= first) & (places < end), places, len(sentence_of))


def _gates(
    sentence_of: Tensor,
    sigmoid_first: bool,
    pre: Tensor,
    Ux: Tensor,
    Vg: Optional[Tensor],
    c: Tensor,
    x: Optional[Tensor],
) -> _Gates:
    pre = pre.to(c.dtype) + Ux
    if Vg is not None:
        pre = pre + Vg[sentence_of]
    pre = pre.unflatten(1, (-1, c.size(1)))
    others = 2 if x is None else 1
    normalized, slope = pre[:, :-others], None
    if sigmoid_first:
        normalized = normalized.sigmoid()
        slope = normalized * (1 - normalized)
    u = pre[:, -1].tanh() if x is None else x
    return _Gates(normalized.softmax(1), slope, pre[:, -others].sigmoid(), u)


def _values(
    cu_seqlens: Tensor, sentence_of: Tensor, window: int, c: Tensor, cg: Optional[Tensor], u: Tensor
) -> Tensor:
    """Return what the normalised gates multiply, (R, K, h)."""
    values = [_windows(cu_seqlens, window, c)]
    if cg is not None:
        values.append(cg[sentence_of].unsqueeze(1))
    return torch.cat([*values, u.unsqueeze(1)], dim=1)


def _forget(
    sentence_of: Tensor, sigmoid_first: bool, Uf: Tensor, Wf: Tensor, fg: Tensor
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return Eq. 3's f̂ᵢ and f̂_g before the softmax, and the derivatives of their sigmoids."""
    f, own = Uf + Wf[sentence_of], fg
    if not sigmoid_first:
        return f, own, torch.ones_like(f), torch.ones_like(own)
    f, own = f.sigmoid(), own.sigmoid()
    return f, own, f * (1 - f), own * (1 - own)
