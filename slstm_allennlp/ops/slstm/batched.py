"""
The S-LSTM on a padded batch: U x is computed once, then each step has one large product for all gates of
all words. Padding never changes a result, because states at padding are zero. The one exception is
`initial_state: "uniform"`: the module draws it for the whole batch, so it depends on the batch's shape.
"""

from typing import List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear, pad

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class Sentences(NamedTuple):
    """The input of every step. N is the padded length, boundary words included."""

    x: Tensor  # (B, N, d'), the words' inputs, projected if the settings say so
    Ux: Tensor  # (B, N, G * h), U x + b
    padding: Tensor  # (B, N, 1), True at padding
    counts: Tensor  # (B, 1), the number of words


class State(NamedTuple):
    """The states before or after a step."""

    h: Tensor  # (B, N, h), zero at padding
    c: Tensor  # (B, N, h), zero at padding
    g: Optional[Tensor] = None  # (B, m, h), None without nodes
    c_g: Optional[Tensor] = None  # (B, m, h)


class WordGates(NamedTuple):
    """The gates and the candidate of Eq. 2."""

    normalized: Tensor  # (B, N, P, h), the P `settings.normalized_gates`
    o: Tensor  # (B, N, h)
    u: Tensor  # (B, N, h), the candidate, or the input itself


class NodeGates(NamedTuple):
    """The gates of Eq. 3."""

    f: Tensor  # (B, N + 1, m, h), the words' fᵢ, zero at padding, then f_g
    o: Tensor  # (B, m, h)


def batched_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    start: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """
    Compute the final word states and the sentence vectors.

    # Parameters

    inputs : `Tensor`
        Word representations; values at padding are ignored.
        *Shape:* (batch_size, seq_len, input_size)
    mask : `Tensor`
        Boolean, True at real tokens, which come before the padding. *Shape:* (batch_size, seq_len)
    weights : `SlstmWeights`
    settings : `SlstmSettings`
    start : `Tensor`, optional
        h⁰ and c⁰ for `initial_state: "uniform"`, boundary words included.
        *Shape:* (2, batch_size, seq_len (+ 2), hidden_size)

    # Returns

    words : `Tensor`
        hᵢᵀ, zero at padding. *Shape:* (batch_size, seq_len, hidden_size)
    sentences : `Tensor`
        The sentence vectors. *Shape:* (batch_size, hidden_size)
    """
    sentences = read(inputs, mask, weights)
    state = initial_state(sentences, weights, settings, start)
    for _ in range(settings.num_steps):
        of_words = word_gates(state, sentences, weights, settings)
        of_nodes = node_gates(state, sentences, weights, settings)
        state = next_state(state, of_words, of_nodes, sentences, settings)
    return outputs(state, sentences, mask, settings)


def read(inputs: Tensor, mask: Tensor, weights: SlstmWeights) -> Sentences:
    """Prepare the words' inputs: insert boundary words and project them, if there are weights for it."""
    x, x_mask = inputs.masked_fill(~mask.unsqueeze(-1), 0), mask
    if weights.boundary_inputs is not None:
        x, x_mask = add_boundary(x, mask, weights.boundary_inputs)
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    return Sentences(
        x=x,
        Ux=linear(x, weights.word_U.flatten(0, 1), weights.word_b.flatten()),
        padding=~x_mask.unsqueeze(-1),
        counts=x_mask.sum(1, keepdim=True).to(x.dtype),
    )


def outputs(
    state: State, sentences: Sentences, mask: Tensor, settings: SlstmSettings
) -> Tuple[Tensor, Tensor]:
    """Return the states of the caller's words, without boundary words, and the sentence vectors."""
    words = state.h
    if settings.boundary:
        # In a shorter sentence, ⟨/s⟩ is at a position that the caller's mask has as padding.
        words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    return words, _sentence_vector(state, sentences.counts, settings)


def initial_state(
    sentences: Sentences, weights: SlstmWeights, settings: SlstmSettings, start: Optional[Tensor]
) -> State:
    """Return the states before the first step."""
    x, _, padding, counts = sentences
    m = settings.num_sentence_nodes
    shape = (*padding.shape[:2], settings.hidden_size)
    node_shape = (x.size(0), m, settings.hidden_size)
    if weights.initial_h is not None and weights.initial_c is not None:
        h0, c0 = weights.initial_h.to(x.dtype), weights.initial_c.to(x.dtype)
        h, c = h0.expand(shape).masked_fill(padding, 0), c0.expand(shape).masked_fill(padding, 0)
        return State(h, c, h0.expand(node_shape), c0.expand(node_shape)) if m else State(h, c)
    if settings.transition.initial_state == "uniform":
        assert start is not None
        h, c = start[0], start[1]
    else:
        h, c = x, x
    h, c = h.masked_fill(padding, 0), c.masked_fill(padding, 0)
    if m == 0:
        return State(h, c)
    g, c_g = (_mean(states, counts).unsqueeze(1).expand(node_shape) for states in (h, c))
    return State(h, c, g, c_g)


def word_gates(
    state: State, sentences: Sentences, weights: SlstmWeights, settings: SlstmSettings
) -> WordGates:
    """Compute the gates of Eq. 2 for every word."""
    xi = torch.cat(_neighbors(state.h, settings), dim=-1)  # (B, N, S * h)
    pre = sentences.Ux + linear(xi, weights.word_W.flatten(2).flatten(0, 1))
    if state.g is not None and weights.word_V is not None:
        Vg = linear(state.g.flatten(1), weights.word_V.flatten(2).flatten(0, 1))
        pre = pre + Vg.unsqueeze(1)
    pre = pre.unflatten(-1, (len(settings.word_gates), settings.hidden_size))  # (B, N, G, h)
    if weights.word_norm_weight is not None and weights.word_norm_bias is not None:
        pre = _layer_norm(pre, weights.word_norm_weight, weights.word_norm_bias)

    normalized = len(settings.normalized_gates)
    has_candidate = settings.transition.candidate == "tanh"
    return WordGates(
        normalized=_normalize(pre[:, :, :normalized], 2, settings),
        o=torch.sigmoid(pre[:, :, normalized]),
        u=torch.tanh(pre[:, :, normalized + 1]) if has_candidate else sentences.x,
    )


def node_gates(
    state: State, sentences: Sentences, weights: SlstmWeights, settings: SlstmSettings
) -> Optional[NodeGates]:
    """Compute the gates of Eq. 3 for every node; None without nodes."""
    if state.g is None or weights.sentence_U is None:
        return None
    assert weights.sentence_W is not None and weights.sentence_b is not None
    m, h, gates = settings.num_sentence_nodes, settings.hidden_size, settings.sentence_gates
    Wg = linear(
        state.g.flatten(1), weights.sentence_W.flatten(3).flatten(0, 2), weights.sentence_b.flatten()
    ).view(-1, 1, m, len(gates), h)  # every gate reads every node's g

    def pre_activation(gate: str, states: Tensor) -> Tensor:
        """Compute a gate's pre-activation from h̄, (B, 1, h), or hᵢ, (B, N, h): (B, 1 or N, m, h)."""
        assert weights.sentence_U is not None
        index = gates.index(gate)
        Uh = linear(states, weights.sentence_U[:, index].flatten(0, 1)).unflatten(-1, (m, h))
        pre = Uh + Wg[:, :, :, index]
        if weights.sentence_norm_weight is None or weights.sentence_norm_bias is None:
            return pre
        return _layer_norm(
            pre, weights.sentence_norm_weight[:, index], weights.sentence_norm_bias[:, index]
        )

    h_bar = _mean(state.h, sentences.counts).unsqueeze(1)  # (B, 1, h)
    f = pre_activation("f", state.h)
    f_g = pre_activation("f" if settings.transition.sentence_forget == "shared" else "g", h_bar)
    o = torch.sigmoid(pre_activation("o", h_bar)).squeeze(1)
    # f_g comes after the words, and is never padding.
    blocked = pad(sentences.padding, (0, 0, 0, 1)).unsqueeze(-1)
    return NodeGates(_normalize(torch.cat([f, f_g], dim=1), 1, settings, blocked), o)


def next_state(
    state: State,
    of_words: WordGates,
    of_nodes: Optional[NodeGates],
    sentences: Sentences,
    settings: SlstmSettings,
) -> State:
    """Compute the next states from the current states and their gates."""
    h, c = _next_words(state, of_words, sentences, settings)
    if of_nodes is None or state.c_g is None:
        return State(h, c)
    f = of_nodes.f
    c_g = (f[:, :-1] * state.c.unsqueeze(2)).sum(1) + f[:, -1] * state.c_g
    return State(h, c, of_nodes.o * torch.tanh(c_g), c_g)


def _next_words(
    state: State, of_words: WordGates, sentences: Sentences, settings: SlstmSettings
) -> Tuple[Tensor, Tensor]:
    """Compute the next h and c of every word, (B, N, h) each."""
    gates = of_words.normalized.unbind(2)
    cells = _neighbors(state.c, settings)
    if state.c_g is not None:
        cells += state.c_g.unsqueeze(1).unbind(2)
    # Under autocast the gates may have lower precision than the cells, which keep their own.
    dtype = torch.promote_types(gates[-1].dtype, state.c.dtype)
    c = gates[-1].to(dtype) * of_words.u.to(dtype)
    for gate, cell in zip(gates, cells):
        c = torch.addcmul(c, gate.to(dtype), cell.to(dtype))
    c = c.masked_fill(sentences.padding, 0)
    return of_words.o * torch.tanh(c), c


def _neighbors(states: Tensor, settings: SlstmSettings) -> List[Tensor]:
    """
    Return the slots of ξ for every word: the left neighbours' states from far to near, its own state,
    the right neighbours' states from near to far. A summed window has one sum for each side instead.
    """
    k, length = settings.window_size, states.size(1)
    padded = pad(states, (0, 0, k, k))
    shifted = [padded[:, offset : offset + length] for offset in range(2 * k + 1)]
    if settings.transition.window == "summed" and k > 1:
        return [sum(shifted[1:k], shifted[0]), states, sum(shifted[k + 2 :], shifted[k + 1])]
    return shifted


def _normalize(
    pre: Tensor, dim: int, settings: SlstmSettings, blocked: Optional[Tensor] = None
) -> Tensor:
    """Normalise the gates so that they sum to one over `dim`. `blocked` gates are zero."""
    if settings.transition.gate_normalization == "sigmoid_softmax":
        pre = torch.sigmoid(pre)
    if blocked is not None:
        pre = pre.masked_fill(blocked, float("-inf"))
    return torch.softmax(pre, dim)


def _layer_norm(pre: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Normalise each gate separately, with its own gain and bias."""
    return layer_norm(pre, pre.shape[-1:]) * weight + bias


def _sentence_vector(state: State, counts: Tensor, settings: SlstmSettings) -> Tensor:
    """The words' mean without a node; else by `Transition.sentence_vector` from the first node's g."""
    if state.g is None:
        return _mean(state.h, counts)
    g, kind = state.g[:, 0], settings.transition.sentence_vector
    if kind == "node":
        return g
    total = state.h.sum(1) + g
    return total / (counts + 1 if kind == "mean" else counts.clamp(min=1))


def _mean(states: Tensor, counts: Tensor) -> Tensor:
    """The mean over each sentence's words; zero if it has none."""
    return states.sum(1) / counts.clamp(min=1)
