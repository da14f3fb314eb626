from slstm_allennlp.models.sentence_pair_classifier import SentencePairClassifier

__all__ = ["SentencePairClassifier"]
