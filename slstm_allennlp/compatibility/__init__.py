"""
What AllenNLP 2.10.1 needs to run on a current PyTorch and Python, all in this one place and without a
change to its files: functions and methods replaced, by `changes.replaces`, and a few names registered
anew; docs/allennlp_changes.md is the list. On the versions that AllenNLP was released for, the same code
does the same as AllenNLP's own. And, on all versions alike: what ends a training for no good reason,
illegal tags in span F1, or for a reason that it does not name, a BERT that is not there; what a run that
was killed loses; the dropout in a frozen BERT; words that `SimpleGradient` mixes up; and mistakes that
it does not explain to its user: a wrong key, size, label, device or folder.
"""

from allennlp.data.data_loaders import MultiProcessDataLoader, MultiTaskDataLoader
from allennlp.training import GradientDescentTrainer
from allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers import (
    ReduceOnPlateauLearningRateScheduler,
)

from slstm_allennlp.compatibility import (  # noqa: F401 (each replaces what it says)
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
from slstm_allennlp.compatibility.train_model import EarlyCheckedTrainModel
from slstm_allennlp.compatibility.transformers import EvalModeMismatchedEmbedder

# Once subclasses of AllenNLP's classes, which are mended themselves now.
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
]
