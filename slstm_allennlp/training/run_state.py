"""
Restore the random state and the partial losses and metrics of an epoch, so that `--recover` gives
bit-identical results, in one process and without loader workers. AllenNLP saves none of them in a
checkpoint.
"""

import json
import logging
import os
import random
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Dict, Iterator, List, Optional, Tuple
from weakref import WeakKeyDictionary

import numpy
import torch
from allennlp.common.util import is_distributed
from allennlp.training import Checkpointer, GradientDescentTrainer
from allennlp.training import util as training_util
from allennlp.training.metrics import Metric
from allennlp.training.trainer import TrainerCheckpoint

from slstm_allennlp.common.changes import Original, replaces

logger = logging.getLogger(__name__)
_KEY = "slstm_allennlp_run"
_get_metrics = training_util.get_metrics


@dataclass
class Run:
    """
    The state of one trainer's run.

    `starts` has the random states at the start of each epoch: a recovered run draws the batches of
    completed epochs again, without training. `loss` and `reg_loss` are sums over the current epoch.
    `resumed` is the state of the checkpoint until the run reaches its position.
    """

    starts: List[Dict[str, Any]] = field(default_factory=list)
    loss: float = 0.0
    reg_loss: Optional[float] = None
    resumed: Optional[Dict[str, Any]] = None

    def resume(self, model: torch.nn.Module) -> None:
        """Restore the state of the checkpoint."""
        assert self.resumed is not None
        self.loss, self.reg_loss = self.resumed["loss"], self.resumed["reg_loss"]
        set_metric_states(model, self.resumed["metrics"])
        set_random_states(self.resumed["random"])
        self.resumed = None


_runs: "WeakKeyDictionary[GradientDescentTrainer, Run]" = WeakKeyDictionary()
_loaded: "WeakKeyDictionary[Checkpointer, Dict[str, Any]]" = WeakKeyDictionary()
_in_training: List[Run] = []  # the run that is training an epoch, if any


def resume_run(trainer: GradientDescentTrainer) -> None:
    """Take the run's state from the checkpoint that the trainer has just loaded, if it is there."""
    run = _runs[trainer] = Run()
    state = None if trainer._checkpointer is None else _loaded.pop(trainer._checkpointer, None)
    workers = getattr(trainer.data_loader, "num_workers", 0)
    if state is not None and (trainer._distributed or workers):
        what = "several processes" if trainer._distributed else f"num_workers {workers}"
        logger.warning(
            "Training resumes from the checkpoint, but its results will differ slightly from those of "
            "an uninterrupted run: with %s, random states are not restored completely",
            what,
        )
    # The checkpoint has the random state of one process only.
    if state is not None and not trainer._distributed:
        run.starts = list(state["starts"])
        run.resumed = state


@replaces(Checkpointer, "load_checkpoint")
def _load_with_run(original: Original, self: Checkpointer) -> Optional[TrainerCheckpoint]:
    checkpoint = original(self)
    if checkpoint is not None and _KEY in checkpoint.trainer_state:
        _loaded[self] = checkpoint.trainer_state[_KEY]
    return checkpoint


@replaces(GradientDescentTrainer, "get_checkpoint_state")
def _checkpoint_state_with_run(
    original: Original, self: GradientDescentTrainer
) -> Optional[TrainerCheckpoint]:
    checkpoint = original(self)
    if checkpoint is not None:
        run, is_within_epoch = _run(self), self._batches_in_epoch_completed > 0
        checkpoint.trainer_state[_KEY] = {
            "starts": run.starts,
            "random": random_states(),
            "loss": run.loss,
            "reg_loss": run.reg_loss,
            "metrics": metric_states(self._pytorch_model) if is_within_epoch else [],
        }
    return checkpoint


def _run(trainer: GradientDescentTrainer) -> Run:
    return _runs.setdefault(trainer, Run())


@replaces(GradientDescentTrainer, "_train_epoch")
def _train_epoch_of_run(
    original: Original, self: GradientDescentTrainer, epoch: int
) -> Dict[str, float]:
    run, model, loader = _run(self), self._pytorch_model, self.data_loader
    completed, batches = self._epochs_completed, self._start_after_batches_in_epoch_completed
    is_resumed_epoch = run.resumed is not None and completed == self._start_after_epochs_completed
    if is_resumed_epoch and batches == 0:
        run.resume(model)
    run.loss, run.reg_loss = 0.0, None
    if completed < len(run.starts):
        set_random_states(run.starts[completed])
    else:
        run.starts.append(random_states(of_data_alone=True))
    if is_resumed_epoch and batches > 0:
        count = batches * self._num_gradient_accumulation_steps
        self.data_loader = _Resumed(loader, count, lambda: run.resume(model))  # type: ignore[assignment]
    _in_training.append(run)
    try:
        metrics = original(self, epoch)
        if is_resumed_epoch and "loss" not in metrics:  # the checkpoint is after the epoch's last batch
            number = self._batches_in_epoch_completed
            totals = _get_metrics(model, run.loss, run.reg_loss, None, None, number, reset=True)
            metrics = {**totals, **metrics}
        return metrics
    finally:
        _in_training.pop()
        self.data_loader = loader


class _Resumed:
    """A data loader that calls `resume` after the given number of batches."""

    def __init__(self, loader: Any, batches: int, resume: Any) -> None:
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


@replaces(training_util, "get_metrics")
def _get_metrics_of_epoch(
    original: Original,
    model: Any,
    total_loss: float,
    total_reg_loss: Optional[float],
    batch_loss: Optional[float],
    batch_reg_loss: Optional[float],
    num_batches: int,
    reset: bool = False,
) -> Dict[str, float]:
    """Call AllenNLP's function with losses that include those before the checkpoint, summed in order."""
    if _in_training and not is_distributed():
        run = _in_training[-1]
        if batch_loss is not None:
            run.loss += batch_loss
        if batch_reg_loss is not None:
            run.reg_loss = (run.reg_loss or 0.0) + batch_reg_loss
        total_loss = run.loss
        total_reg_loss = total_reg_loss if run.reg_loss is None else run.reg_loss
    return original(model, total_loss, total_reg_loss, batch_loss, batch_reg_loss, num_batches, reset)


@replaces(GradientDescentTrainer, "_try_train")
def _try_train_with_last_metrics(
    original: Original, self: GradientDescentTrainer
) -> Tuple[Dict[str, Any], int]:
    """
    Handle a run that was interrupted after its last epoch: do not train one more epoch if its patience
    was exhausted, and read its last metrics from the file.
    """
    completed, num_epochs = self._start_after_epochs_completed, self._num_epochs
    is_over = completed > 0 and self._start_after_batches_in_epoch_completed == 0
    if is_over and self._metric_tracker.should_stop_early():
        self._num_epochs = completed
    try:
        metrics, epoch = original(self)
    finally:
        self._num_epochs = num_epochs
    folder = self._serialization_dir  # type: ignore[has-type]
    if "epoch" not in metrics and completed > 0 and folder:
        path = os.path.join(folder, f"metrics_epoch_{completed - 1}.json")
        if os.path.exists(path):  # the user may have removed it
            with open(path, encoding="utf-8") as file:
                metrics = {**json.load(file), **metrics}
    return metrics, epoch


def random_states(of_data_alone: bool = False) -> Dict[str, Any]:
    """
    Return the random states of Python, NumPy and PyTorch, in types that the allow-list for checkpoints
    accepts. With `of_data_alone`, leave out PyTorch's, which AllenNLP's data loaders do not use.
    """
    version, numbers, gauss = random.getstate()
    name, keys, *rest = numpy.random.get_state()
    states: Dict[str, Any] = {
        "python": (version, torch.tensor(numbers), gauss),
        "numpy": (
            str(name),
            torch.tensor(numpy.asarray(keys).tolist()),
            *(float(value) for value in rest),
        ),
    }
    if not of_data_alone:
        states["torch"] = torch.get_rng_state()
        if torch.cuda.is_available():
            states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def set_random_states(states: Dict[str, Any]) -> None:
    """Restore the states that `random_states` returned."""
    version, numbers, gauss = states["python"]
    random.setstate((version, tuple(numbers.tolist()), gauss))
    name, keys, position, has_gauss, cached = states["numpy"]
    numpy.random.set_state(
        (name, keys.numpy().astype(numpy.uint32), int(position), int(has_gauss), cached)
    )
    if "torch" in states:
        torch.set_rng_state(states["torch"])
    if "cuda" in states and len(states["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(states["cuda"])


def metric_states(model: torch.nn.Module) -> List[Dict[str, Any]]:
    """Return the state of each metric of a model: its attributes of plain values and tensors."""
    return [
        {name: _plain(value) for name, value in vars(metric).items() if _is_plain(value)}
        for metric in _metrics(model)
    ]


def set_metric_states(model: torch.nn.Module, states: List[Dict[str, Any]]) -> None:
    """Restore the states that `metric_states` returned. Dictionaries keep their type."""
    for metric, state in zip(_metrics(model), states):
        for name, value in state.items():
            current = getattr(metric, name, None)
            if isinstance(current, dict):  # such as a defaultdict
                current.clear()
                current.update(value)
            else:
                setattr(metric, name, value)


def _metrics(model: torch.nn.Module) -> List[Metric]:
    """Return all metrics that are attributes of a model's modules, or in dictionaries or lists there."""
    found: Dict[int, Metric] = {}
    for module in model.modules():
        for value in vars(module).values():
            values = value.values() if isinstance(value, dict) else value
            for item in values if isinstance(value, (dict, list, tuple)) else (value,):
                if isinstance(item, Metric):
                    found[id(item)] = item
    return list(found.values())


def _plain(value: Any) -> Any:
    """Convert subclasses of `dict` and `list`, which the allow-list for checkpoints refuses."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return list(map(_plain, value)) if isinstance(value, list) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(item) for pair in value.items() for item in pair)
    if isinstance(value, (list, tuple, set)):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, (bool, int, float, str, torch.Tensor))
