from slstm_allennlp.predictors.sentence_pair import SentencePair
from slstm_allennlp.predictors.sentence_tagger import SentenceTagger
from slstm_allennlp.predictors.text_classifier import TextClassifier

__all__ = ["SentencePair", "SentenceTagger", "TextClassifier"]
