"""What an S-LSTM did, step by step: every state and every gate, by the equations of `batched_slstm`."""

from typing import Dict, List, NamedTuple, Optional

import torch
from torch import Tensor

from slstm_allennlp.ops.slstm import batched
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class SlstmTrace(NamedTuple):
    """
    Every state and every gate of Eqs. 2 and 3, per dimension, zero at padding. T steps, B sentences, m
    sentence nodes; N words, boundary words included. States have T + 1 entries, since the first is that
    before the first step: the gates at `[t]` make the states at `[t + 1]` of those at `[t]`.
    """

    h: Tensor
    """The words' states. *Shape:* (T + 1, B, N, h)"""
    c: Tensor
    """The words' cells. *Shape:* (T + 1, B, N, h)"""
    word_gates: Dict[str, Tensor]
    """
    The gates of Eq. 2 that sum to one, by name: l1, l2, … of the left neighbours by their distance, f of
    the word's own cell, r1, r2, … of the right ones, s1, s2, … of the sentence nodes and i of the input.
    With a summed window, l1 and r1 are those of the sums. *Shape:* (T, B, N, h) each
    """
    o: Tensor
    """The words' output gates. *Shape:* (T, B, N, h)"""
    u: Tensor
    """What the input gate lets in: the candidate, or the input itself. *Shape:* (T, B, N, h)"""
    g: Optional[Tensor]
    """The sentence nodes' states, None without nodes, as all that follows. *Shape:* (T + 1, B, m, h)"""
    c_g: Optional[Tensor]
    """The sentence nodes' cells. *Shape:* (T + 1, B, m, h)"""
    f: Optional[Tensor]
    """Eq. 3's fᵢ, how much of each word a node takes; with f_g they sum to one over the words.
    *Shape:* (T, B, N, m, h)"""
    f_g: Optional[Tensor]
    """How much of itself a node keeps. *Shape:* (T, B, m, h)"""
    o_g: Optional[Tensor]
    """The sentence nodes' output gates. *Shape:* (T, B, m, h)"""
    mask: Tensor
    """True at words, boundary words included. *Shape:* (B, N)"""
    words: Tensor
    """The result for the words, as the module gives it. *Shape:* (B, seq_len, h)"""
    sentence: Tensor
    """The sentence vectors, as the module gives them. *Shape:* (B, h)"""


def trace_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    start: Optional[Tensor] = None,
    more_steps: int = 0,
) -> SlstmTrace:
    """
    The trace of a batch. Arguments as in `slstm_allennlp.ops.slstm.batched.batched_slstm`, but for
    `more_steps`, which are taken and traced behind the others and leave the results as they are.
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
    """One tensor of all steps', None where there are none."""
    present = [value for value in values if value is not None]
    return torch.stack(present) if present else None
