from slstm_allennlp.modules.cas_lstm_encoder import CasLstmSeq2VecEncoder
from slstm_allennlp.modules.coupled_lstm_encoder import CoupledLstmSeq2VecEncoder
from slstm_allennlp.modules.seq2vec_encoders.additive_attention_encoder import AdditiveAttentionEncoder
from slstm_allennlp.modules.seq2vec_encoders.compose_encoder import ComposeSeq2VecEncoder
from slstm_allennlp.modules.seq2vec_encoders.pooling_encoder import MaxPoolingEncoder, PoolingEncoder
from slstm_allennlp.modules.slstm_encoder import SlstmSeq2VecEncoder
from slstm_allennlp.modules.stacked_cnn_encoder import StackedCnnSeq2VecEncoder

__all__ = [
    "AdditiveAttentionEncoder",
    "CasLstmSeq2VecEncoder",
    "ComposeSeq2VecEncoder",
    "CoupledLstmSeq2VecEncoder",
    "MaxPoolingEncoder",
    "PoolingEncoder",
    "SlstmSeq2VecEncoder",
    "StackedCnnSeq2VecEncoder",
]
