from slstm_allennlp.modules.seq2vec_encoders.slstm_seq2vec_encoder import SlstmSeq2VecEncoder

__all__ = ["SlstmSeq2VecEncoder"]
