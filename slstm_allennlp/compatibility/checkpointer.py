import os
from types import SimpleNamespace
from typing import Any

import torch
from allennlp.training import Checkpointer, Trainer

from slstm_allennlp.whole_file import whole_file

_save_checkpoint = Checkpointer.save_checkpoint


def write_checkpoints_whole() -> None:
    """
    Lets a run that is killed while it writes a checkpoint be recovered from the one before. AllenNLP
    writes the two files of a checkpoint in place and takes the latest for whole: after a kill between
    the first byte and the last, `--recover` ends in an error, and does so each time it is tried.
    """
    Checkpointer.save_checkpoint = _save_whole  # type: ignore[method-assign]


def _save_whole(self: Checkpointer, trainer: Trainer) -> None:
    """The files first, complete or not at all; AllenNLP then keeps them and does the rest."""
    state = trainer.get_checkpoint_state()
    if self._serialization_dir is not None and state is not None:
        at = [state.trainer_state[key] for key in ("epochs_completed", "batches_in_epoch_completed")]
        # What AllenNLP looks for is the model's state, so that one is last.
        _write(state.trainer_state, self._training_state_path(*at))
        _write(state.model_state, self._model_state_path(*at))
    taken: Any = SimpleNamespace(get_checkpoint_state=lambda: state)
    _save_checkpoint(self, taken)


def _write(state: Any, path: str) -> None:
    if not os.path.isfile(path):  # as AllenNLP: a checkpoint that is there stays
        with whole_file(path) as unfinished:
            torch.save(state, unfinished)
