"""
Lets a run that is killed while it writes a checkpoint be recovered from the one before. AllenNLP writes
the two files of a checkpoint in place and takes the latest for whole: after a kill between the first
byte and the last, `--recover` ends in an error, and does so each time it is tried. The best weights are
written in that way, too.
"""

import logging
import os
from types import SimpleNamespace
from typing import Any, Optional

import torch
from allennlp.training import Checkpointer, GradientDescentTrainer, Trainer
from allennlp.training.trainer import TrainerCheckpoint

from slstm_allennlp.common.atomic_write import atomic_write_by_torch
from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.compatibility.finite import check_finite_weights
from slstm_allennlp.security.weights import DamagedFile

logger = logging.getLogger(__name__)


@replaces(Checkpointer, "load_checkpoint")
def _load_whole(original: Original, self: Checkpointer) -> Optional[TrainerCheckpoint]:
    """
    The last checkpoint, or the one before where its files are damaged or one of them is missing; they
    get the ending `.damaged`, so that the run can write its own.
    """
    while True:
        try:
            return original(self)
        except (DamagedFile, FileNotFoundError) as error:
            latest = self.find_latest_checkpoint()
            if latest is None or len(self._find_all_checkpoints()) < 2:
                raise
            logger.warning("%s; going on from the checkpoint before", error)
            for path in latest:
                if os.path.exists(path):
                    os.replace(path, f"{path}.damaged")


@replaces(Checkpointer, "save_checkpoint")
def _save_whole(original: Original, self: Checkpointer, trainer: Trainer) -> None:
    """The files first, complete or not at all; AllenNLP then keeps them and does the rest."""
    check_finite_weights(trainer)
    state = trainer.get_checkpoint_state()
    if self._serialization_dir is not None and state is not None:
        at = [state.trainer_state[key] for key in ("epochs_completed", "batches_in_epoch_completed")]
        # What AllenNLP looks for is the model's state, so that one is last.
        _write(state.trainer_state, self._training_state_path(*at))
        _write(state.model_state, self._model_state_path(*at))
    original(self, SimpleNamespace(get_checkpoint_state=lambda: state))


@replaces(GradientDescentTrainer, "_save_model_state")
def _save_best_whole(original: Original, self: GradientDescentTrainer, path: str) -> None:
    with atomic_write_by_torch(path) as unfinished:
        original(self, str(unfinished))


def _write(state: Any, path: str) -> None:
    if not os.path.isfile(path):  # as AllenNLP: a checkpoint that is there stays
        with atomic_write_by_torch(path, "the checkpoints before are as they were") as unfinished:
            torch.save(state, unfinished)
