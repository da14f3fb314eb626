from slstm_allennlp.training.calibration import Calibrate
from slstm_allennlp.training.checkpointer import ReliableCheckpointer
from slstm_allennlp.training.reduce_on_plateau import ReduceOnPlateau
from slstm_allennlp.training.train_model import TrainModelWithCard
from slstm_allennlp.training.trainer import ReliableTrainer

__all__ = [
    "Calibrate",
    "ReduceOnPlateau",
    "ReliableCheckpointer",
    "ReliableTrainer",
    "TrainModelWithCard",
]
