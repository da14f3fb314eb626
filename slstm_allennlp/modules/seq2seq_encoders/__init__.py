from slstm_allennlp.modules.seq2seq_encoders.cas_lstm_seq2seq_encoder import CasLstmSeq2SeqEncoder
from slstm_allennlp.modules.seq2seq_encoders.coupled_lstm_seq2seq_encoder import (
    CoupledLstmSeq2SeqEncoder,
)
from slstm_allennlp.modules.seq2seq_encoders.dropout_encoder import DropoutEncoder
from slstm_allennlp.modules.seq2seq_encoders.slstm_seq2seq_encoder import SlstmSeq2SeqEncoder
from slstm_allennlp.modules.seq2seq_encoders.stacked_cnn_seq2seq_encoder import StackedCnnSeq2SeqEncoder

__all__ = [
    "CasLstmSeq2SeqEncoder",
    "CoupledLstmSeq2SeqEncoder",
    "DropoutEncoder",
    "SlstmSeq2SeqEncoder",
    "StackedCnnSeq2SeqEncoder",
]
