"""
The S-LSTM as in the paper's equations: one sentence, one word and one gate at a time. It is slow, and
meant for float64: the reference that the tests compare the fast versions with.
"""

from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights

State = Tuple[List[Tensor], List[Tensor], List[Tensor], List[Tensor]]  # h and c; g and c_g


def naive_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor] = None,
) -> Tuple[Tensor, Tensor]:
    """
    Compute the final word states and the sentence vectors. Arguments, shapes and results as in
    `slstm_allennlp.ops.slstm.batched.batched_slstm`.
    """
    words = inputs.new_zeros(*mask.shape, settings.hidden_size)
    sentences = inputs.new_zeros(len(inputs), settings.hidden_size)
    for b in range(len(inputs)):
        n = int(mask[b].sum())
        x = [inputs[b, i] for i in range(n)]
        if settings.boundary:
            assert weights.boundary_inputs is not None
            x = [weights.boundary_inputs[0], *x, weights.boundary_inputs[1]]  # ⟨s⟩, w₁ … wₙ, ⟨/s⟩
        drawn = None if initial_state is None else initial_state[:, b, : len(x)]
        h, g = _sentence(x, weights, settings, drawn)
        real = h[1:-1] if settings.boundary else h
        for i in range(n):
            words[b, i] = real[i]
        if h or g:  # without a word and a node, the sentence vector is zero
            sentences[b] = _sentence_vector(h, g, settings)
    return words, sentences


def _sentence(
    x: List[Tensor], weights: SlstmWeights, settings: SlstmSettings, initial_state: Optional[Tensor]
) -> Tuple[List[Tensor], List[Tensor]]:
    """Return one sentence's hᵢᵀ and its nodes' gᵀ. `x` are its inputs, boundary words included."""
    if settings.transition.project_input:
        assert weights.projection_weight is not None and weights.projection_bias is not None
        x = [weights.projection_weight @ x_i + weights.projection_bias for x_i in x]

    kind, m = settings.transition.initial_state, settings.num_sentence_nodes
    if kind == "learned":
        assert weights.initial_h is not None and weights.initial_c is not None
        h, c = [weights.initial_h] * len(x), [weights.initial_c] * len(x)
        g, c_g = [weights.initial_h] * m, [weights.initial_c] * m
    else:
        h = c = x
        if kind == "uniform":
            assert initial_state is not None
            h, c = list(initial_state[0]), list(initial_state[1])
        zero = weights.word_b.new_zeros(settings.hidden_size)
        g, c_g = [_mean(h, zero)] * m, [_mean(c, zero)] * m

    for _ in range(settings.num_steps):
        state = h, c, g, c_g
        new_words = [_word(i, x, state, weights, settings) for i in range(len(x))]
        new_nodes = [_node(j, state, weights, settings) for j in range(len(g))]
        h, c = [new[0] for new in new_words], [new[1] for new in new_words]
        g, c_g = [new[0] for new in new_nodes], [new[1] for new in new_nodes]
    return h, g


def _word(
    i: int, x: List[Tensor], state: State, weights: SlstmWeights, settings: SlstmSettings
) -> Tuple[Tensor, Tensor]:
    """Compute Eq. 2: the next hᵢ and cᵢ."""
    h, c, g, c_g = state
    k = settings.window_size
    beyond = [torch.zeros_like(weights.word_b[0])] * k

    def neighbors(states: List[Tensor]) -> List[Tensor]:
        left, right = [*beyond, *states][i : i + k], [*states, *beyond][i + 1 : i + 1 + k]
        if settings.transition.window == "summed":
            left, right = [_sum(left)], [_sum(right)]
        return [*left, states[i], *right]

    xi = neighbors(h)
    hat: Dict[str, Tensor] = {}
    for index, gate in enumerate(settings.word_gates):
        value = weights.word_U[index] @ x[i] + weights.word_b[index]
        for slot, h_slot in enumerate(xi):
            value = value + weights.word_W[index, :, slot] @ h_slot
        for node, g_node in enumerate(g):
            assert weights.word_V is not None
            value = value + weights.word_V[index, :, node] @ g_node
        hat[gate] = _layer_norm(value, weights.word_norm_weight, weights.word_norm_bias, index)

    o = torch.sigmoid(hat["o"])
    u = torch.tanh(hat["u"]) if settings.transition.candidate == "tanh" else x[i]
    names = settings.normalized_gates
    gates = dict(zip(names, _normalize([hat[name] for name in names], settings)))
    new_c = gates["i"] * u
    for gate, c_slot in zip(settings.neighbor_gates, neighbors(c)):
        new_c = new_c + gates[gate] * c_slot
    for node, c_node in enumerate(c_g, start=1):
        new_c = new_c + gates[f"s{node}"] * c_node
    return o * torch.tanh(new_c), new_c


def _node(j: int, state: State, weights: SlstmWeights, settings: SlstmSettings) -> Tuple[Tensor, Tensor]:
    """Compute Eq. 3: the next g and c_g of node j."""
    h, c, g, c_g = state
    assert weights.sentence_W is not None and weights.sentence_U is not None
    assert weights.sentence_b is not None
    W, U, b = weights.sentence_W[j], weights.sentence_U[j], weights.sentence_b[j]

    def pre_activation(gate: str, state: Tensor) -> Tensor:
        index = settings.sentence_gates.index(gate)
        value = U[index] @ state + b[index]
        for node, g_node in enumerate(g):  # node j's own g, and the other nodes'
            value = value + W[index, :, node] @ g_node
        return _layer_norm(value, weights.sentence_norm_weight, weights.sentence_norm_bias, j, index)

    shared = settings.transition.sentence_forget == "shared"
    h_bar = _mean(h, torch.zeros_like(g[j]))
    f_hat = [pre_activation("f", h_i) for h_i in h]
    f_g_hat = pre_activation("f" if shared else "g", h_bar)
    o = torch.sigmoid(pre_activation("o", h_bar))
    *f, f_g = _normalize([*f_hat, f_g_hat], settings)
    new_c = f_g * c_g[j]
    for f_i, c_i in zip(f, c):
        new_c = new_c + f_i * c_i
    return o * torch.tanh(new_c), new_c


def _layer_norm(value: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], *gate: int) -> Tensor:
    """Apply the gate's own layer normalisation, if the settings have one."""
    if weight is None or bias is None:
        return value
    return layer_norm(value, value.shape, weight[gate], bias[gate])


def _normalize(pre_activations: List[Tensor], settings: SlstmSettings) -> List[Tensor]:
    """Normalise the gates so that they sum to one in each of the h dimensions."""
    if settings.transition.gate_normalization == "sigmoid_softmax":
        pre_activations = [torch.sigmoid(value) for value in pre_activations]
    exponentials = [torch.exp(value) for value in pre_activations]
    total = _sum(exponentials)
    return [value / total for value in exponentials]


def _sentence_vector(h: List[Tensor], g: List[Tensor], settings: SlstmSettings) -> Tensor:
    """The words' mean without a node; else by `Transition.sentence_vector` from the first node's g."""
    if not g:
        return _sum(h) / len(h)
    kind = settings.transition.sentence_vector
    if kind == "node":
        return g[0]
    if kind == "mean":
        return _sum([*h, g[0]]) / (len(h) + 1)
    return _sum([*h, g[0]]) / max(len(h), 1)


def _sum(values: List[Tensor]) -> Tensor:
    return sum(values[1:], values[0])


def _mean(values: List[Tensor], of_none: Tensor) -> Tensor:
    """Return the mean, or `of_none` if there are no values (a sentence without words)."""
    return _sum(values) / len(values) if values else of_none
