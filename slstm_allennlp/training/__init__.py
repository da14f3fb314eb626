from slstm_allennlp.training.fit_trainer import FitTrainer

__all__ = ["FitTrainer"]
