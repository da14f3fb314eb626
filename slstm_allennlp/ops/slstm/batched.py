"""
The S-LSTM in plain PyTorch, on a padded batch: the equations line by line, with every setting.

Shapes: B sentences of N words, padding and boundary words included; h the hidden size; m sentence nodes;
G gates of a word, of which P sum to one, and Q gates of a node; S slots of ξ.
"""

from typing import List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear, pad
from torch.utils.checkpoint import checkpoint

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.precision import autocast_dtype
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class State(NamedTuple):
    """The states before or after a step."""

    h: Tensor  # (B, N, h), zero at padding
    c: Tensor  # (B, N, h), zero at padding
    g: Tensor  # (B, m, h)
    c_g: Tensor  # (B, m, h)


class Gates(NamedTuple):
    """The gates of a step, and the candidate."""

    words: Tensor  # (B, N, P, h), by `settings.normalized_gates`
    o: Tensor  # (B, N, h)
    u: Tensor  # (B, N, h), the candidate, or the input itself
    f: Optional[Tensor] = None  # (B, N + 1, m, h), the fᵢ of the words, then f_g; None without nodes
    o_g: Optional[Tensor] = None  # (B, m, h)


def batched_slstm(
    inputs: Tensor,  # (B, L, d), word representations; values at padding are ignored
    mask: Tensor,  # (B, L), True at words, which come before the padding
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor] = None,  # (2, B, N, h), h⁰ and c⁰ for `initial_state: "uniform"`
    recompute: bool = False,  # whether the backward pass computes every step again, to save memory
) -> Tuple[Tensor, Tensor]:
    """Return every word's last state, (B, L, h), zero at padding, and the sentence vectors, (B, h)."""
    x, padding = read(inputs, mask, weights)
    Ux = linear(x, weights.word_U.flatten(0, 1), weights.word_b.flatten())  # (B, N, G * h), U x + b
    state = first_state(x, padding, weights, settings, initial_state)
    # PyTorch 1 recomputes without autocast.
    recompute = recompute and (torch.__version__ >= "2" or autocast_dtype(inputs.device) is None)
    for _ in range(settings.num_steps):
        step = state, x, Ux, padding, weights, settings
        state, _ = checkpoint(next_state, *step, use_reentrant=False) if recompute else next_state(*step)
    return outputs(state, mask, padding, settings)


def read(inputs: Tensor, mask: Tensor, weights: SlstmWeights) -> Tuple[Tensor, Tensor]:
    """Return x, with boundary words and projected if there are weights, and the padding, (B, N, 1)."""
    x = inputs.masked_fill(~mask.unsqueeze(-1), 0)
    if weights.boundary_inputs is not None:
        x, mask = add_boundary(x, mask, weights.boundary_inputs)
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    # Like all states, also under autocast.
    return x.to(weights.word_b.dtype), ~mask.unsqueeze(-1)


def first_state(
    x: Tensor,
    padding: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor],
) -> State:
    """Return the states before the first step: learned, the inputs themselves, or `initial_state`."""
    shape = x.size(0), settings.num_sentence_nodes, settings.hidden_size
    if weights.initial_h is not None and weights.initial_c is not None:
        h0, c0 = weights.initial_h, weights.initial_c
        h, c = (part.expand(*x.shape[:2], -1).masked_fill(padding, 0) for part in (h0, c0))
        return State(h, c, h0.expand(shape), c0.expand(shape))
    h, c = (x, x) if initial_state is None else initial_state
    h, c = h.masked_fill(padding, 0), c.masked_fill(padding, 0)
    g, c_g = (mean(part, padding).unsqueeze(1).expand(shape) for part in (h, c))
    return State(h, c, g, c_g)


def next_state(
    state: State, x: Tensor, Ux: Tensor, padding: Tensor, weights: SlstmWeights, settings: SlstmSettings
) -> Tuple[State, Gates]:
    """Compute a step: Eq. 2 for every word and Eq. 3 for every node, from the states before it."""
    h, c, g, c_g = state
    P, transition = len(settings.normalized_gates), settings.transition
    squash = torch.sigmoid if transition.gate_normalization == "sigmoid_softmax" else lambda pre: pre

    # Eq. 2
    xi = torch.cat(neighbors(h, settings), dim=-1)  # (B, N, S * h)
    pre = linear(xi, weights.word_W.flatten(2).flatten(0, 1)) + Ux  # (B, N, G * h)
    if weights.word_V is not None:
        pre = pre + linear(g.flatten(1), weights.word_V.flatten(2).flatten(0, 1)).unsqueeze(1)
    pre = pre.view(*pre.shape[:2], *weights.word_b.shape)  # (B, N, G, h)
    pre = normalized(pre, weights.word_norm_weight, weights.word_norm_bias)
    gates = torch.softmax(squash(pre[:, :, :P]), dim=2)  # l, f, r, s, i
    o = torch.sigmoid(pre[:, :, P])
    u = torch.tanh(pre[:, :, P + 1]) if transition.candidate == "tanh" else x
    *others, i = gates.unbind(2)
    c_new = i * u
    for gate, cell in zip(others, [*neighbors(c, settings), *c_g.unsqueeze(1).unbind(2)]):
        c_new = c_new + gate * cell  # l ⊙ c₍ᵢ₋₁₎ + f ⊙ cᵢ + r ⊙ c₍ᵢ₊₁₎ + s ⊙ c_g
    c_new = c_new.masked_fill(padding, 0)
    h_new = o * torch.tanh(c_new)
    if weights.sentence_U is None:
        return State(h_new, c_new, g, c_g), Gates(gates, o, u)

    # Eq. 3
    h_bar = mean(h, padding).unsqueeze(1)  # (B, 1, h)
    f_g_name = "f" if transition.sentence_forget == "shared" else "g"
    f = squash(node_gate("f", g, h, weights, settings)).masked_fill(padding.unsqueeze(-1), -torch.inf)
    f_g = squash(node_gate(f_g_name, g, h_bar, weights, settings))  # (B, 1, m, h)
    o_g = torch.sigmoid(node_gate("o", g, h_bar, weights, settings)).squeeze(1)  # (B, m, h)
    f_all = torch.softmax(torch.cat([f, f_g], dim=1), dim=1)  # (B, N + 1, m, h)
    c_g_new = f_all[:, -1] * c_g + (f_all[:, :-1] * c.unsqueeze(2)).sum(1)
    g_new = o_g * torch.tanh(c_g_new)
    return State(h_new, c_new, g_new, c_g_new), Gates(gates, o, u, f_all, o_g)


def outputs(
    state: State, mask: Tensor, padding: Tensor, settings: SlstmSettings
) -> Tuple[Tensor, Tensor]:
    """Return the states of the caller's words, without boundary words, and the sentence vectors."""
    words = state.h
    if settings.boundary:
        # In a shorter sentence, ⟨/s⟩ is at a position that the caller's mask has as padding.
        words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    if settings.num_sentence_nodes == 0:
        return words, mean(state.h, padding)
    g, kind = state.g[:, 0], settings.transition.sentence_vector
    if kind == "node":
        return words, g
    counts = (~padding).sum(1) + 1 if kind == "mean" else (~padding).sum(1).clamp(min=1)
    return words, (state.h.sum(1) + g) / counts


def node_gate(
    name: str, g: Tensor, states: Tensor, weights: SlstmWeights, settings: SlstmSettings
) -> Tensor:
    """
    Compute a gate's pre-activation W g + U h + b of every node, (B, N, m, h), from states h, (B, N, h).
    With several nodes, each reads every node's g.
    """
    W, U, b = weights.sentence_W, weights.sentence_U, weights.sentence_b
    assert W is not None and U is not None and b is not None
    q = settings.sentence_gates.index(name)
    Wg = linear(g.flatten(1), W[:, q].flatten(2).flatten(0, 1), b[:, q].flatten()).unsqueeze(1)
    pre = Wg + linear(states, U[:, q].flatten(0, 1))
    pre = pre.view(*pre.shape[:2], *g.shape[1:])
    norm = weights.sentence_norm_weight, weights.sentence_norm_bias
    return normalized(pre, *(None if part is None else part[:, q] for part in norm))


def normalized(pre: Tensor, weight: Optional[Tensor], bias: Optional[Tensor]) -> Tensor:
    """Apply each gate's own layer normalisation, if there is one."""
    return pre if weight is None or bias is None else layer_norm(pre, pre.shape[-1:]) * weight + bias


def neighbors(states: Tensor, settings: SlstmSettings) -> List[Tensor]:
    """
    Return the S slots of ξ, (B, N, h) each: the left neighbours' states from far to near, the word's
    own, the right neighbours' from near to far. With a summed window, each side is one sum.
    """
    k, length = settings.window_size, states.size(1)
    padded = pad(states, (0, 0, k, k))
    slots = [padded[:, offset : offset + length] for offset in range(2 * k + 1)]
    if settings.transition.window == "summed":
        return [sum(slots[1:k], slots[0]), states, sum(slots[k + 2 :], slots[k + 1])]
    return slots


def mean(states: Tensor, padding: Tensor) -> Tensor:
    """The mean over each sentence's words, (B, N, h) to (B, h); zero if it has none."""
    return states.sum(1) / (~padding).sum(1).clamp(min=1)
