"""The cell-aware stacked LSTM (CAS-LSTM): Eqs. 1-13 and 17-18 of Choi, Kim and Lee (ACML 2019)."""

from slstm_allennlp.ops.cas_lstm.fused import fused_cas_lstm_layer
from slstm_allennlp.ops.cas_lstm.hoisted import cas_lstm_step, hoisted_cas_lstm_layer
from slstm_allennlp.ops.cas_lstm.naive import naive_cas_lstm
from slstm_allennlp.ops.cas_lstm.weights import (
    FORGET_OFFSET,
    CasLstmStates,
    CasLstmWeights,
    initial_weights,
)
