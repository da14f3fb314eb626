"""The AllenNLP encoders over the torch modules. Each file has both roles, Seq2Seq and Seq2Vec."""

from slstm_allennlp.encoders.additive_attention import AdditiveAttentionEncoder
from slstm_allennlp.encoders.cas_lstm import CasLstmSeq2SeqEncoder, CasLstmSeq2VecEncoder
from slstm_allennlp.encoders.compose import ComposeSeq2VecEncoder
from slstm_allennlp.encoders.coupled_lstm import CoupledLstmSeq2SeqEncoder, CoupledLstmSeq2VecEncoder
from slstm_allennlp.encoders.dropout import DropoutEncoder
from slstm_allennlp.encoders.padded_cnn import PaddedCnnEncoder
from slstm_allennlp.encoders.padded_lstm import PaddedLstmSeq2SeqEncoder, PaddedLstmSeq2VecEncoder
from slstm_allennlp.encoders.pooling import MaxPoolingEncoder, PoolingEncoder
from slstm_allennlp.encoders.slstm import SlstmSeq2SeqEncoder, SlstmSeq2VecEncoder
from slstm_allennlp.encoders.stacked_cnn import StackedCnnSeq2SeqEncoder, StackedCnnSeq2VecEncoder
