"""
The sentence-state LSTM (Zhang, Liu and Song, ACL 2018): `naive_slstm` is the paper's equations as
one would write them down, `batched_slstm` computes the same with one large product a step, and
`fused_slstm` without the padding, with kernels of its own for the rest of a step. `trace_slstm` keeps
every gate and every state on the way.
"""

from slstm_allennlp.ops.slstm.batched import batched_slstm
from slstm_allennlp.ops.slstm.fused import fused_slstm, is_fusible
from slstm_allennlp.ops.slstm.naive import naive_slstm
from slstm_allennlp.ops.slstm.settings import SlstmSettings, Transition
from slstm_allennlp.ops.slstm.trace import SlstmTrace, trace_slstm
from slstm_allennlp.ops.slstm.weights import SlstmWeights, initial_weights

__all__ = [
    "SlstmSettings",
    "SlstmTrace",
    "SlstmWeights",
    "Transition",
    "batched_slstm",
    "fused_slstm",
    "initial_weights",
    "is_fusible",
    "naive_slstm",
    "trace_slstm",
]
