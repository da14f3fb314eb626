from slstm_allennlp.modules.seq2seq_encoders.slstm_seq2seq_encoder import SlstmSeq2SeqEncoder

__all__ = ["SlstmSeq2SeqEncoder"]
