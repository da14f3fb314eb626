from slstm_allennlp.models.classifier_and_linear import ClassifierAndLinear
from slstm_allennlp.models.fitted_model import FittedModel
from slstm_allennlp.models.linear_classifier import LinearClassifier, LinearPairClassifier
from slstm_allennlp.models.linear_tagger import LinearTagger
from slstm_allennlp.models.sentence_pair_classifier import SentencePairClassifier
from slstm_allennlp.models.sizes import BasicClassifier, CrfTagger

__all__ = [
    "BasicClassifier",
    "ClassifierAndLinear",
    "CrfTagger",
    "FittedModel",
    "LinearClassifier",
    "LinearPairClassifier",
    "LinearTagger",
    "SentencePairClassifier",
]
