"""
What AllenNLP 2.10.1 needs to run on a current PyTorch and Python, all in this one place and without a
change to its files: functions and methods replaced, by `changes.replace`, and a few names registered
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

from slstm_allennlp.compatibility.checkpointer import write_checkpoints_whole
from slstm_allennlp.compatibility.config_keys import suggest_names
from slstm_allennlp.compatibility.data_loader import let_workers_inherit_the_lock
from slstm_allennlp.compatibility.finite import end_at_an_infinite_loss
from slstm_allennlp.compatibility.folder_lock import let_one_train_in_a_folder
from slstm_allennlp.compatibility.label_check import name_unknown_labels
from slstm_allennlp.compatibility.lost_process import name_a_lost_process
from slstm_allennlp.compatibility.predict import (
    predict_in_batches,
    predict_what_is_trained_on,
    write_predictions_whole,
)
from slstm_allennlp.compatibility.reduce_on_plateau import make_reduce_on_plateau_without_verbose
from slstm_allennlp.compatibility.run_state import keep_the_state_of_a_run
from slstm_allennlp.compatibility.signals import stop_behind_a_checkpoint
from slstm_allennlp.compatibility.simple_gradient import multiply_gradients_by_their_own_words
from slstm_allennlp.compatibility.size_check import check_sizes_before_training
from slstm_allennlp.compatibility.span_f1 import count_illegal_bioul_tags
from slstm_allennlp.compatibility.train_model import EarlyCheckedTrainModel
from slstm_allennlp.compatibility.trainer import mend_the_trainer
from slstm_allennlp.compatibility.transformers import (
    EvalModeMismatchedEmbedder,
    explain_missing_transformers,
    leave_special_tokens_to_the_calls,
)
from slstm_allennlp.compatibility.user_errors import explain_users_errors
from slstm_allennlp.compatibility.whole_files import write_results_whole

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

count_illegal_bioul_tags()
end_at_an_infinite_loss()
check_sizes_before_training()
explain_missing_transformers()
explain_users_errors()
keep_the_state_of_a_run()
leave_special_tokens_to_the_calls()
let_one_train_in_a_folder()
let_workers_inherit_the_lock()
make_reduce_on_plateau_without_verbose()
mend_the_trainer()
multiply_gradients_by_their_own_words()
name_a_lost_process()
name_unknown_labels()
predict_what_is_trained_on()
predict_in_batches()
stop_behind_a_checkpoint()
suggest_names()
write_checkpoints_whole()
write_predictions_whole()
write_results_whole()
