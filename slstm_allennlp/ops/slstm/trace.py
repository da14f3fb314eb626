"""Trace an S-LSTM: record every state and every gate of every step, computed as in `batched_slstm`."""

from typing import Dict, List, NamedTuple, Optional

import torch
from torch import Tensor
from torch.nn.functional import linear

from slstm_allennlp.ops.slstm.batched import Gates, State, first_state, next_state, outputs, read
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class SlstmTrace(NamedTuple):
    """
    Every state and every gate of Eqs. 2 and 3, zero at padding. There are T steps, B sentences, m
    sentence nodes and N words, boundary words included. States have T + 1 entries, the first of which is
    the initial state: the gates at `[t]` compute the states at `[t + 1]` from those at `[t]`.
    """

    h: Tensor  # the words' states, (T + 1, B, N, h)
    c: Tensor  # the words' cells, (T + 1, B, N, h)
    # The gates of Eq. 2 that sum to one, by name: l1, l2, … for the left neighbours by distance, f for
    # the word's own cell, r1, r2, … for the right neighbours, s1, s2, … for the sentence nodes, and i
    # for the input. With a summed window, l1 and r1 are the gates of the sums. (T, B, N, h) each
    word_gates: Dict[str, Tensor]
    o: Tensor  # the words' output gates, (T, B, N, h)
    u: Tensor  # what the input gate multiplies, the candidate u or the input itself, (T, B, N, h)
    # The sentence nodes' states; g, c_g, f, f_g and o_g are None without nodes. (T + 1, B, m, h)
    g: Optional[Tensor]
    c_g: Optional[Tensor]  # the sentence nodes' cells, (T + 1, B, m, h)
    # Eq. 3's fᵢ, the weight of each word's cell; fᵢ of all words and f_g sum to one. (T, B, N, m, h)
    f: Optional[Tensor]
    f_g: Optional[Tensor]  # Eq. 3's f_g, the weight of the node's own cell, (T, B, m, h)
    o_g: Optional[Tensor]  # the sentence nodes' output gates, (T, B, m, h)
    mask: Tensor  # true at words, boundary words included, (B, N)
    words: Tensor  # the words' states as `forward` returns them, (B, seq_len, h)
    sentence: Tensor  # the sentence vectors as `forward` returns them, (B, h)


def trace_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor] = None,
    more_steps: int = 0,
) -> SlstmTrace:
    """
    Return the trace of a batch. Arguments as in `slstm_allennlp.ops.slstm.batched.batched_slstm`, and
    `more_steps`: additional steps, which are traced but do not change `words` and `sentence`.
    """
    x, padding = read(inputs, mask, weights)
    Ux = linear(x, weights.word_U.flatten(0, 1), weights.word_b.flatten())
    each_state = [first_state(x, padding, weights, settings, initial_state)]
    each_gates: List[Gates] = []
    for _ in range(settings.num_steps + more_steps):
        state, of_step = next_state(each_state[-1], x, Ux, padding, weights, settings)
        each_state.append(state)
        each_gates.append(of_step)
    words, sentence = outputs(each_state[settings.num_steps], mask, padding, settings)
    states = State._make(map(torch.stack, zip(*each_state)))
    gates = Gates._make(None if part[0] is None else torch.stack(part) for part in zip(*each_gates))
    of_words = gates.words.masked_fill(padding.unsqueeze(-1), 0)
    return SlstmTrace(
        h=states.h,
        c=states.c,
        word_gates={name: of_words[:, :, :, q] for q, name in enumerate(settings.normalized_gates)},
        o=gates.o.masked_fill(padding, 0),
        u=gates.u.masked_fill(padding, 0),
        g=None if gates.f is None else states.g,
        c_g=None if gates.f is None else states.c_g,
        f=None if gates.f is None else gates.f[:, :, :-1],
        f_g=None if gates.f is None else gates.f[:, :, -1],
        o_g=gates.o_g,
        mask=~padding.squeeze(-1),
        words=words,
        sentence=sentence,
    )
