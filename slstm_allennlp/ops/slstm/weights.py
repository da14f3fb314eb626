"""The weights of an S-LSTM, stacked so that one product serves all gates."""

import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor

from slstm_allennlp.ops.slstm.settings import SlstmSettings


class SlstmWeights(NamedTuple):
    """
    The weights, named as in the paper; None if the settings do not need one. There are G word gates
    (`settings.word_gates`), Q gates per sentence node (`settings.sentence_gates`), m nodes and S slots
    of ξ (`settings.neighbor_gates`); d' is `settings.gate_input_size`.
    """

    word_W: Tensor  # Eq. 2, for ξ: (G, h, S, h)
    word_U: Tensor  # Eq. 2, for x: (G, h, d')
    word_V: Optional[Tensor]  # Eq. 2, for every node's g: (G, h, m, h)
    word_b: Tensor  # Eq. 2: (G, h)
    # Eq. 3; the first m is the node that reads, the second the node whose g is read: (m, Q, h, m, h)
    sentence_W: Optional[Tensor]
    sentence_U: Optional[Tensor]  # Eq. 3, for h̄ or hᵢ: (m, Q, h, h)
    sentence_b: Optional[Tensor]  # Eq. 3: (m, Q, h)
    projection_weight: Optional[Tensor]  # for e = Linear(x): (h, d)
    projection_bias: Optional[Tensor]  # (h)
    initial_h: Optional[Tensor]  # h⁰ of every word and node: (h)
    initial_c: Optional[Tensor]  # c⁰ of every word and node: (h)
    boundary_inputs: Optional[Tensor]  # the inputs ⟨s⟩ and ⟨/s⟩: (2, d)
    word_norm_weight: Optional[Tensor]  # layer normalisation of Eq. 2's pre-activations: (G, h)
    word_norm_bias: Optional[Tensor]  # (G, h)
    sentence_norm_weight: Optional[Tensor]  # layer normalisation of Eq. 3's pre-activations: (m, Q, h)
    sentence_norm_bias: Optional[Tensor]  # (m, Q, h)


def initial_weights(settings: SlstmSettings) -> SlstmWeights:
    """
    Draw initial weights by `settings.transition.initialization`. Layer normalisation always starts with
    gain 1 and bias 0, and c⁰ with zero.
    """
    h, d, gate_d = settings.hidden_size, settings.input_size, settings.gate_input_size
    m, slots = settings.num_sentence_nodes, len(settings.neighbor_gates)
    gates, node_gates = len(settings.word_gates), len(settings.sentence_gates)
    normal = settings.transition.initialization == "normal"

    def draw(*shape: int, fan_in: int) -> Tensor:
        if normal:
            return torch.empty(shape).normal_(std=0.1)
        bound = 1 / math.sqrt(fan_in)
        return torch.empty(shape).uniform_(-bound, bound)

    learned = settings.transition.initial_state == "learned"
    project = settings.transition.project_input
    norm_nodes = settings.layer_norm and m > 0
    return SlstmWeights(
        word_W=draw(gates, h, slots, h, fan_in=slots * h),
        word_U=draw(gates, h, gate_d, fan_in=gate_d),
        word_V=draw(gates, h, m, h, fan_in=m * h) if m else None,
        word_b=draw(gates, h, fan_in=slots * h),
        sentence_W=draw(m, node_gates, h, m, h, fan_in=m * h) if m else None,
        sentence_U=draw(m, node_gates, h, h, fan_in=h) if m else None,
        sentence_b=draw(m, node_gates, h, fan_in=h) if m else None,
        projection_weight=draw(h, d, fan_in=d) if project else None,
        projection_bias=draw(h, fan_in=d) if project else None,
        initial_h=draw(h, fan_in=h) if learned else None,
        initial_c=torch.zeros(h) if learned else None,
        boundary_inputs=draw(2, d, fan_in=d) if settings.boundary else None,
        word_norm_weight=torch.ones(gates, h) if settings.layer_norm else None,
        word_norm_bias=torch.zeros(gates, h) if settings.layer_norm else None,
        sentence_norm_weight=torch.ones(m, node_gates, h) if norm_nodes else None,
        sentence_norm_bias=torch.zeros(m, node_gates, h) if norm_nodes else None,
    )
