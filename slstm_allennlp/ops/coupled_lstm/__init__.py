"""The LSTM with coupled gates: the baseline of the S-LSTM paper (Section 3.1, Eq. 1)."""

from slstm_allennlp.ops.coupled_lstm.hoisted import hoisted_coupled_lstm
from slstm_allennlp.ops.coupled_lstm.naive import naive_coupled_lstm
from slstm_allennlp.ops.coupled_lstm.weights import CoupledLstmWeights, initial_weights
