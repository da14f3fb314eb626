"""Linear models by scikit-learn and CRFsuite, over counts of words or fixed vectors."""

from slstm_allennlp.linear.classifier import LinearClassifier, LinearPairClassifier
from slstm_allennlp.linear.classifier_and_linear import ClassifierAndLinear, FitLinear
from slstm_allennlp.linear.fit_trainer import FitTrainer
from slstm_allennlp.linear.fitted_model import FittedModel
from slstm_allennlp.linear.tagger import LinearTagger
