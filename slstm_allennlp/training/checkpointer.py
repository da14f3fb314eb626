"""
Write checkpoints and the best weights atomically, and recover from the previous checkpoint if the last
one is damaged. AllenNLP writes the two files of a checkpoint in place. If a run is killed while it
writes them, every later `--recover` fails.
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
from slstm_allennlp.security.weights import DamagedFile
from slstm_allennlp.training.finite import check_finite_weights

logger = logging.getLogger(__name__)


@replaces(Checkpointer, "load_checkpoint")
def _load_undamaged(original: Original, self: Checkpointer) -> Optional[TrainerCheckpoint]:
    """
    Load the last checkpoint without a damaged or missing file. Files of damaged checkpoints are renamed
    to `*.damaged`, so that the run can write them again. If no checkpoint is left, the error is raised.
    """
    while True:
        try:
            return original(self)
        except (DamagedFile, FileNotFoundError) as error:
            latest = self.find_latest_checkpoint()
            if latest is None or len(self._find_all_checkpoints()) < 2:
                raise
            logger.warning("%s; recovering from the previous checkpoint", error)
            for path in latest:
                if os.path.exists(path):
                    os.replace(path, f"{path}.damaged")


@replaces(Checkpointer, "save_checkpoint")
def _save_atomically(original: Original, self: Checkpointer, trainer: Trainer) -> None:
    """Write the files atomically. AllenNLP then does not write files that exist, and does the rest."""
    check_finite_weights(trainer)
    state = trainer.get_checkpoint_state()
    if self._serialization_dir is not None and state is not None:
        position = [
            state.trainer_state[key] for key in ("epochs_completed", "batches_in_epoch_completed")
        ]
        # AllenNLP finds a checkpoint by its model state, so that file is written last.
        _write(state.trainer_state, self._training_state_path(*position))
        _write(state.model_state, self._model_state_path(*position))
    original(self, SimpleNamespace(get_checkpoint_state=lambda: state))


@replaces(GradientDescentTrainer, "_save_model_state")
def _save_best_atomically(original: Original, self: GradientDescentTrainer, path: str) -> None:
    with atomic_write_by_torch(path) as unfinished:
        original(self, str(unfinished))


def _write(state: Any, path: str) -> None:
    if not os.path.isfile(path):  # like AllenNLP, keep an existing file
        with atomic_write_by_torch(path, "earlier checkpoints are unchanged") as unfinished:
            torch.save(state, unfinished)
