from slstm_allennlp.modules.cas_lstm_encoder import CasLstmSeq2SeqEncoder
from slstm_allennlp.modules.coupled_lstm_encoder import CoupledLstmSeq2SeqEncoder
from slstm_allennlp.modules.seq2seq_encoders.dropout_encoder import DropoutEncoder
from slstm_allennlp.modules.slstm_encoder import SlstmSeq2SeqEncoder
from slstm_allennlp.modules.stacked_cnn_encoder import StackedCnnSeq2SeqEncoder

__all__ = [
    "CasLstmSeq2SeqEncoder",
    "CoupledLstmSeq2SeqEncoder",
    "DropoutEncoder",
    "SlstmSeq2SeqEncoder",
    "StackedCnnSeq2SeqEncoder",
]
