from slstm_allennlp.predictors.sentence_tagger import SentenceTagger

__all__ = ["SentenceTagger"]
