"""
The sentence-state LSTM (Zhang, Liu and Song, ACL 2018). `naive_slstm` follows the paper's equations
literally. `batched_slstm` computes the same on padded batches, with one large product per step.
`fused_slstm` computes the same on packed sequences, with kernels for the elementwise part of a step.
`trace_slstm` returns every gate and every state.
"""

from slstm_allennlp.ops.slstm.batched import batched_slstm
from slstm_allennlp.ops.slstm.fused import fused_slstm, is_fusible
from slstm_allennlp.ops.slstm.naive import naive_slstm
from slstm_allennlp.ops.slstm.settings import SlstmSettings, Transition
from slstm_allennlp.ops.slstm.trace import SlstmTrace, trace_slstm
from slstm_allennlp.ops.slstm.weights import SlstmWeights, initial_weights
