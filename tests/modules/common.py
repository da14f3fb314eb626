"""Modules and helpers for the tests of all modules."""

from typing import get_args, get_type_hints

import torch

from slstm_allennlp import modules
from slstm_allennlp.ops.slstm import Transition

LENGTHS = (4, 0, 1)
# Each choice of the S-LSTM with its values.
CHOICES = {name: get_args(kind) or (False, True) for name, kind in get_type_hints(Transition).items()}


def slstm(**settings):
    return lambda: modules.SentenceStateLSTM(6, 6, **{"num_steps": 2, **settings})


def cas_lstm(fusion):
    return lambda: modules.CellAwareStackedLSTM(6, 6, 2, bidirectional=True, fusion=fusion)


RECURRENT = {
    "slstm paper": slstm(),
    **{f"slstm {name}": slstm(transition=name) for name in ("released", "fastnlp", "balanced")},
    "slstm one step": slstm(num_steps=1),
    "slstm two nodes": slstm(num_sentence_nodes=2),
    "slstm no node": slstm(num_sentence_nodes=0),
    "slstm layer_norm": slstm(layer_norm=True),
    "slstm window": slstm(window_size=2),
    "slstm recompute": slstm(recompute=True),
    "cas_lstm": cas_lstm(0.5),
    "cas_lstm trainable": cas_lstm("trainable"),
    "cas_lstm peephole": cas_lstm("peephole"),
    "coupled_lstm": lambda: modules.CoupledLSTM(6, 6, 2, bidirectional=True),
    "padded_lstm": lambda: modules.PaddedLSTM(6, 6, 2, bidirectional=True),
}
MODULES = {**RECURRENT, "stacked_cnn": lambda: modules.StackedCNN(6, 6, 2)}
MODULES["additive_attention"] = lambda: modules.AdditiveAttention(6)


def batch(size=3, lengths=LENGTHS):
    """Return sentences of these lengths, padded with NaN, and their mask."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randn(*mask.shape, size).masked_fill(~mask.unsqueeze(-1), float("nan")), mask


def randomized(module):
    """Add noise to every parameter, also to those that are initially zero or have no effect."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return module
