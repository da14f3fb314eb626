"""Trace an S-LSTM: record every state and every gate of every step, computed as in `batched_slstm`."""

from typing import Dict, List, NamedTuple, Optional

import torch
from torch import Tensor

from slstm_allennlp.ops.slstm import batched
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class SlstmTrace(NamedTuple):
    """
    Every state and every gate of Eqs. 2 and 3, zero at padding. There are T steps, B sentences, m
    sentence nodes and N words, boundary words included. States have T + 1 entries, the first of which is
    the initial state: the gates at `[t]` compute the states at `[t + 1]` from those at `[t]`.
    """

    h: Tensor
    """The words' states. *Shape:* (T + 1, B, N, h)"""
    c: Tensor
    """The words' cells. *Shape:* (T + 1, B, N, h)"""
    word_gates: Dict[str, Tensor]
    """
    The gates of Eq. 2 that sum to one, by name: l1, l2, … for the left neighbours by distance, f for the
    word's own cell, r1, r2, … for the right neighbours, s1, s2, … for the sentence nodes, and i for the
    input. With a summed window, l1 and r1 are the gates of the sums. *Shape:* (T, B, N, h) each
    """
    o: Tensor
    """The words' output gates. *Shape:* (T, B, N, h)"""
    u: Tensor
    """What the input gate multiplies: the candidate u, or the input itself. *Shape:* (T, B, N, h)"""
    g: Optional[Tensor]
    """The sentence nodes' states; g, c_g, f, f_g and o_g are None without nodes.
    *Shape:* (T + 1, B, m, h)"""
    c_g: Optional[Tensor]
    """The sentence nodes' cells. *Shape:* (T + 1, B, m, h)"""
    f: Optional[Tensor]
    """Eq. 3's fᵢ, the weight of each word's cell; fᵢ of all words and f_g sum to one.
    *Shape:* (T, B, N, m, h)"""
    f_g: Optional[Tensor]
    """Eq. 3's f_g, the weight of the node's own cell. *Shape:* (T, B, m, h)"""
    o_g: Optional[Tensor]
    """The sentence nodes' output gates. *Shape:* (T, B, m, h)"""
    mask: Tensor
    """True at words, boundary words included. *Shape:* (B, N)"""
    words: Tensor
    """The words' states as `forward` returns them. *Shape:* (B, seq_len, h)"""
    sentence: Tensor
    """The sentence vectors as `forward` returns them. *Shape:* (B, h)"""


def trace_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    start: Optional[Tensor] = None,
    more_steps: int = 0,
) -> SlstmTrace:
    """
    Return the trace of a batch. Arguments as in `slstm_allennlp.ops.slstm.batched.batched_slstm`, and
    `more_steps`: additional steps, which are traced but do not change `words` and `sentence`.
    """
    sentences = batched.read(inputs, mask, weights)
    states = [batched.initial_state(sentences, weights, settings, start)]
    of_words: List[batched.WordGates] = []
    of_nodes: List[Optional[batched.NodeGates]] = []
    for _ in range(settings.num_steps + more_steps):
        of_words.append(batched.word_gates(states[-1], sentences, weights, settings))
        of_nodes.append(batched.node_gates(states[-1], sentences, weights, settings))
        states.append(batched.next_state(states[-1], of_words[-1], of_nodes[-1], sentences, settings))

    def at_words(values: List[Tensor]) -> Tensor:
        return torch.stack(values).masked_fill(sentences.padding, 0)

    forget = _stacked([None if gates is None else gates.f for gates in of_nodes])
    words, sentence = batched.outputs(states[settings.num_steps], sentences, mask, settings)
    return SlstmTrace(
        h=torch.stack([state.h for state in states]),
        c=torch.stack([state.c for state in states]),
        word_gates={
            name: at_words([gates.normalized[:, :, index] for gates in of_words])
            for index, name in enumerate(settings.normalized_gates)
        },
        o=at_words([gates.o for gates in of_words]),
        u=at_words([gates.u for gates in of_words]),
        g=_stacked([state.g for state in states]),
        c_g=_stacked([state.c_g for state in states]),
        f=None if forget is None else forget[:, :, :-1],
        f_g=None if forget is None else forget[:, :, -1],
        o_g=_stacked([None if gates is None else gates.o for gates in of_nodes]),
        mask=~sentences.padding.squeeze(-1),
        words=words,
        sentence=sentence,
    )


def _stacked(values: List[Optional[Tensor]]) -> Optional[Tensor]:
    """Stack the tensors of all steps; None if there are none."""
    present = [value for value in values if value is not None]
    return torch.stack(present) if present else None
