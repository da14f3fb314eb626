"""
Make AllenNLP 2.10.1 run on a current PyTorch and Python, fix bugs in it, and explain user errors.
Importing this package replaces functions and methods, by `changes.replaces`, and overrides a few
registered names. docs/allennlp_changes.md is the complete list. On the versions that AllenNLP was
released for, the changes for a current PyTorch have no effect.
"""

from allennlp.data.data_loaders import MultiProcessDataLoader, MultiTaskDataLoader
from allennlp.training import GradientDescentTrainer
from allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers import (
    ReduceOnPlateauLearningRateScheduler,
)

from slstm_allennlp.compatibility import (  # noqa: F401 (imported for its replacements)
    checkpointer,
    config_keys,
    data_loader,
    finite,
    folder_lock,
    label_check,
    lost_process,
    predict,
    reduce_on_plateau,
    run_state,
    signals,
    simple_gradient,
    size_check,
    span_f1,
    trainer,
    user_errors,
    whole_files,
)
from slstm_allennlp.compatibility.train_model import TrainModelWithCard
from slstm_allennlp.compatibility.transformers import EvalModeMismatchedEmbedder

# Old names. The last four were subclasses before AllenNLP's own classes were fixed.
EarlyCheckedTrainModel = TrainModelWithCard
MendedTrainer = GradientDescentTrainer
ReduceOnPlateau = ReduceOnPlateauLearningRateScheduler
SpawnSafeDataLoader = MultiProcessDataLoader
SpawnSafeMultiTaskDataLoader = MultiTaskDataLoader

__all__ = [
    "EarlyCheckedTrainModel",
    "EvalModeMismatchedEmbedder",
    "MendedTrainer",
    "ReduceOnPlateau",
    "SpawnSafeDataLoader",
    "SpawnSafeMultiTaskDataLoader",
    "TrainModelWithCard",
]
