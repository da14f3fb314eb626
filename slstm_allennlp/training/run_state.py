"""
The state of a run that AllenNLP leaves out of its checkpoints: random states, and the losses and metrics
of an epoch so far. With it, `--recover` gives bit-identical results, in one process and without loader
workers.
"""

import logging
import random
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy
import torch
from allennlp.data import TensorDict
from allennlp.training import GradientDescentTrainer, TrainerCallback

from slstm_allennlp.training.metric_state import metric_states, set_metric_states

logger = logging.getLogger(__name__)


class RunState(TrainerCallback):
    """
    The state of a trainer's run. As its first callback, it is saved and loaded with each checkpoint, and
    it corrects the losses that other callbacks get: AllenNLP sums them from the last checkpoint.
    """

    def __init__(self, trainer: GradientDescentTrainer) -> None:
        super().__init__(trainer._serialization_dir)  # type: ignore[has-type]
        self._trainer = trainer
        # The random states at the start of each epoch: a recovered run draws the batches of completed
        # epochs again, without training.
        self.starts: List[Dict[str, Any]] = []
        # The sums of `loss` and, with a regularizer, `reg_loss` over the batches of the epoch.
        self.losses = {"loss": 0.0}
        # The state in the checkpoint, until the run has come to its position.
        self.resumed: Optional[Dict[str, Any]] = None

    def state_dict(self) -> Dict[str, Any]:
        is_within_epoch = self._trainer._batches_in_epoch_completed > 0
        scaler = self._trainer._scaler  # of `use_amp`
        return {
            **({} if scaler is None else {"scaler": scaler.state_dict()}),
            "starts": self.starts,
            "random": random_states(),
            "losses": self.losses,
            "metrics": metric_states(self._trainer._pytorch_model) if is_within_epoch else [],
        }

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        if "starts" not in state_dict:  # a checkpoint of AllenNLP's own trainer
            return
        if self._trainer._scaler is not None and state_dict.get("scaler"):
            self._trainer._scaler.load_state_dict(state_dict["scaler"])
        is_distributed = self._trainer._distributed
        workers = getattr(self._trainer.data_loader, "num_workers", 0)
        if is_distributed or workers:
            logger.warning(
                "Training resumes from the checkpoint, but its results will differ slightly from those "
                "of an uninterrupted run: with %s, random states are not restored completely",
                "several processes" if is_distributed else f"num_workers {workers}",
            )
        if not is_distributed:  # the checkpoint has the random state of one process only
            self.starts = list(state_dict["starts"])
            self.resumed = state_dict

    def start_epoch(self, number: int) -> None:
        """Set the random states to those at the start of the epoch, and the losses to zero."""
        self.losses = {"loss": 0.0}
        if number < len(self.starts):
            set_random_states(self.starts[number])
        else:
            self.starts.append(random_states(of_data_alone=True))

    def resume(self) -> None:
        """Restore the state in the checkpoint."""
        assert self.resumed is not None
        self.losses = dict(self.resumed["losses"])
        set_metric_states(self._trainer._pytorch_model, self.resumed["metrics"])
        set_random_states(self.resumed["random"])
        self.resumed = None

    def mean_losses(self) -> Dict[str, float]:
        """Return the losses per batch of the epoch so far."""
        number = self._trainer._batches_in_epoch_completed
        return {name: total / number for name, total in self.losses.items()}

    def on_batch(
        self,
        trainer: GradientDescentTrainer,
        batch_inputs: List[TensorDict],
        batch_outputs: List[Dict[str, Any]],
        batch_metrics: Dict[str, Any],
        epoch: int,
        batch_number: int,
        is_training: bool,
        is_primary: bool = True,
        batch_grad_norm: Optional[float] = None,
        **kwargs: Any,
    ) -> None:
        """Sum the losses as AllenNLP does, in its order, so that the sums are the same to the bit."""
        if not is_training:
            return
        self.losses["loss"] += batch_metrics["batch_loss"]
        for outputs in batch_outputs:
            penalty = outputs.get("reg_loss")
            if penalty is not None:
                so_far = self.losses.get("reg_loss", 0.0)
                self.losses["reg_loss"] = so_far + (penalty / len(batch_inputs)).item()
        batch_metrics.update(self.mean_losses())


class ResumedLoader:
    """A data loader that calls `resume` after the given number of batches."""

    def __init__(self, loader: Any, batches: int, resume: Callable[[], None]) -> None:
        self._loader, self._batches, self._resume = loader, batches, resume

    def __iter__(self) -> Iterator[Any]:
        batches = iter(self._loader)
        yield from islice(batches, self._batches)
        self._resume()
        yield from batches

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def random_states(of_data_alone: bool = False) -> Dict[str, Any]:
    """
    Return the random states of Python, NumPy and PyTorch, in types that the allow-list for checkpoints
    accepts. With `of_data_alone`, leave out PyTorch's, which AllenNLP's data loaders do not use.
    """
    name, keys, *rest = numpy.random.get_state()
    numbers = numpy.asarray(keys).tolist()  # the allow-list refuses arrays
    states: Dict[str, Any] = {"python": random.getstate(), "numpy": (name, numbers, *rest)}
    if not of_data_alone:
        states["torch"] = torch.get_rng_state()
        if torch.cuda.is_initialized():  # work on the CPU leaves the GPU alone
            states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def set_random_states(states: Dict[str, Any]) -> None:
    """Restore the states that `random_states` returned."""
    random.setstate(states["python"])
    numpy.random.set_state(states["numpy"])
    if "torch" in states:
        torch.set_rng_state(states["torch"])
    if "cuda" in states and len(states["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(states["cuda"])
