import errno
import logging
import os
import zipfile
import zlib
from contextlib import nullcontext
from typing import Any, Dict, List, Optional, Sequence

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import Checkpointer, Trainer
from allennlp.training.trainer import TrainerCheckpoint

from slstm_allennlp.common.atomic_write import atomic_write_by_torch
from slstm_allennlp.training.signals import Stopped

logger = logging.getLogger(__name__)
# Some of AllenNLP's learning rate schedulers (`cosine`) store NumPy numbers in the optimizer's state.
_NUMPY_NUMBERS = [numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_]
_NUMPY: List[Any] = [numpy.float64(0).__reduce__()[0], numpy.dtype]
_NUMPY += [type(numpy.dtype(number)) for number in _NUMPY_NUMBERS]
# What `torch.load` raises for a file that is cut off or changed.
_DAMAGE = (EOFError, KeyError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)


class _Damaged(ConfigurationError):
    pass


@Checkpointer.register("default", exist_ok=True)
class ReliableCheckpointer(Checkpointer):
    """
    AllenNLP's checkpointer, for runs that are killed at any moment. AllenNLP writes the two files of a
    checkpoint in place: if a run is killed while it writes them, every later `--recover` fails.

    - Files are written atomically.
    - If the last checkpoint is damaged, the previous one is loaded. The damaged files are renamed to
      `*.damaged`, so that the run can write them again.
    - After a signal (`signals`), it writes a checkpoint after the current batch and raises `Stopped`.
    """

    signals: Sequence[int] = ()  # those that the trainer has received
    has_run_state = False  # whether `RunState` is the trainer's first callback

    def maybe_save_checkpoint(
        self, trainer: Trainer, num_epochs_completed: int, num_batches_in_epoch_completed: int
    ) -> bool:
        saved = super().maybe_save_checkpoint(
            trainer, num_epochs_completed, num_batches_in_epoch_completed
        )
        if self.signals:
            if not saved:
                self.save_checkpoint(trainer)
            raise Stopped(128 + self.signals[0])
        return saved

    def save_checkpoint(self, trainer: Trainer) -> None:
        state = trainer.get_checkpoint_state()
        if state is not None:
            epochs = state.trainer_state["epochs_completed"]
            batches = state.trainer_state["batches_in_epoch_completed"]
            # A checkpoint is found by its model state, so that file is written last.
            _write(state.trainer_state, self._training_state_path(epochs, batches))
            _write(state.model_state, self._model_state_path(epochs, batches))
        # AllenNLP finds both files written, and removes those of old checkpoints.
        super().save_checkpoint(trainer)

    def load_checkpoint(self) -> Optional[TrainerCheckpoint]:
        """
        Load the last checkpoint without a damaged or missing file. `ConfigurationError` if the files of
        the only checkpoint are damaged.
        """
        while True:
            latest = self.find_latest_checkpoint()
            if latest is None:
                return None
            try:
                model_state, training_state = map(_load, latest)
                callbacks = training_state.get("callbacks")
                if self.has_run_state and callbacks and "starts" not in callbacks[0]:
                    training_state["callbacks"] = [{}, *callbacks]  # a checkpoint of AllenNLP's trainer
                return TrainerCheckpoint(model_state, training_state)
            except _Damaged as error:
                if len(self._find_all_checkpoints()) < 2:
                    raise
                logger.warning("%s; recovering from the previous checkpoint", error)
                for path in filter(os.path.exists, latest):
                    os.replace(path, f"{path}.damaged")


def _write(state: Dict[str, Any], path: str) -> None:
    if not os.path.isfile(path):  # like AllenNLP, keep an existing file
        with atomic_write_by_torch(path, "earlier checkpoints are unchanged") as unfinished:
            torch.save(state, unfinished)


def _load(path: str) -> Dict[str, Any]:
    """Load a file to the CPU. In PyTorch 2, only its allow-list and NumPy numbers are loaded."""
    has_list = hasattr(torch.serialization, "safe_globals")
    try:
        if zipfile.is_zipfile(path):  # PyTorch checks no checksum, and may write none
            with zipfile.ZipFile(path) as file:
                if any(record.CRC for record in file.infolist()) and file.testzip() is not None:
                    raise ValueError("a wrong checksum")
        with torch.serialization.safe_globals(_NUMPY) if has_list else nullcontext():
            state: Dict[str, Any] = torch.load(path, map_location="cpu")
        return state
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, errno.ENOENT):
            raise  # an error of the file system
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise _Damaged(f"{path} is damaged ({reason}), expected a file of torch.save") from error
