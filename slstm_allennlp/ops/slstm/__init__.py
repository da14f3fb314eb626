"""
The sentence-state LSTM (Zhang, Liu and Song, ACL 2018): `naive_slstm` is the paper's equations as
one would write them down, `batched_slstm` computes the same with one large product a step.
"""

from slstm_allennlp.ops.slstm.batched import batched_slstm
from slstm_allennlp.ops.slstm.naive import naive_slstm
from slstm_allennlp.ops.slstm.settings import SlstmSettings, Transition
from slstm_allennlp.ops.slstm.weights import SlstmWeights, initial_weights

__all__ = [
    "SlstmSettings",
    "SlstmWeights",
    "Transition",
    "batched_slstm",
    "initial_weights",
    "naive_slstm",
]
