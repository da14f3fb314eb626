"""
What AllenNLP 2.10.1 needs to run on a current PyTorch and Python, all in this one place and without a
change to its files: names registered anew, and PyTorch's list of types that a checkpoint may hold. On
the versions that AllenNLP was released for, the same code does the same as AllenNLP's own. And, on all
versions alike: what ends a training for no good reason, illegal tags in span F1, or for a reason that it
does not name, a BERT that is not there; what a run that was killed loses; the dropout in a frozen BERT;
and words that `SimpleGradient` mixes up.
"""

from slstm_allennlp.compatibility.checkpointer import write_checkpoints_whole
from slstm_allennlp.compatibility.data_loader import (
    SpawnSafeDataLoader,
    SpawnSafeMultiTaskDataLoader,
)
from slstm_allennlp.compatibility.noise import silence_known_warnings
from slstm_allennlp.compatibility.reduce_on_plateau import ReduceOnPlateau
from slstm_allennlp.compatibility.safe_globals import allow_numpy_scalars
from slstm_allennlp.compatibility.simple_gradient import multiply_gradients_by_their_own_words
from slstm_allennlp.compatibility.span_f1 import count_illegal_bioul_tags
from slstm_allennlp.compatibility.train_model import EarlyCheckedTrainModel
from slstm_allennlp.compatibility.trainer import MendedTrainer
from slstm_allennlp.compatibility.transformers import (
    EvalModeMismatchedEmbedder,
    explain_missing_transformers,
    leave_special_tokens_to_the_calls,
)

__all__ = [
    "EarlyCheckedTrainModel",
    "EvalModeMismatchedEmbedder",
    "MendedTrainer",
    "ReduceOnPlateau",
    "SpawnSafeDataLoader",
    "SpawnSafeMultiTaskDataLoader",
]

allow_numpy_scalars()
count_illegal_bioul_tags()
explain_missing_transformers()
leave_special_tokens_to_the_calls()
multiply_gradients_by_their_own_words()
silence_known_warnings()
write_checkpoints_whole()
