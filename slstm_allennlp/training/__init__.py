from slstm_allennlp.training.fit_linear import FitLinear
from slstm_allennlp.training.fit_trainer import FitTrainer

__all__ = ["FitLinear", "FitTrainer"]
