from slstm_allennlp.models.cas_lstm_cell_decoder_net import CasLstmCellDecoderNet
from slstm_allennlp.models.sentence_pair_classifier import SentencePairClassifier
from slstm_allennlp.models.sizes import BasicClassifier, CrfTagger

__all__ = ["BasicClassifier", "CasLstmCellDecoderNet", "CrfTagger", "SentencePairClassifier"]
