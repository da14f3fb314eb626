"""
Fix gradient clipping and recovery in AllenNLP's trainer.

- Sparse gradients (of embeddings with `sparse: true`) are clipped. AllenNLP's `grad_norm` fails on them
  in a current PyTorch, and `grad_clipping` in every version.
- A recovered run keeps its best epoch. AllenNLP writes the checkpoint of an epoch before it saves the
  epoch's weights as the best, so that a run recovered from there may use its last weights instead.
- A recovered run keeps its moving average. AllenNLP connects it to the checkpoint's copy of the weights.
"""

import os
from contextlib import contextmanager, nullcontext
from typing import Iterator, List, Optional, Tuple

import torch
from allennlp.training import GradientDescentTrainer
from allennlp.training.moving_average import MovingAverage
from torch.cuda.amp.grad_scaler import OptState
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.compatibility.run_state import resume_run


@replaces(GradientDescentTrainer, "_maybe_restore_checkpoint")
def _restore_average_and_best(original: Original, self: GradientDescentTrainer) -> None:
    average = self._moving_average
    weights = [] if average is None else average._parameters
    original(self)
    resume_run(self)
    if average is not None:
        _reconnect(average, weights)
    is_after_an_epoch = self._start_after_batches_in_epoch_completed == 0
    if is_after_an_epoch and self._metric_tracker.best_epoch == self._start_after_epochs_completed - 1:
        _keep_as_best(self)


def _keep_as_best(trainer: GradientDescentTrainer) -> None:
    """Save the weights as the best, which AllenNLP does only after the checkpoint of the best epoch."""
    folder = trainer._serialization_dir  # type: ignore[has-type]
    if not folder:
        return
    sharded = trainer._ddp_wrapped_model is not None and trainer._ddp_wrapped_model.is_sharded
    name = f"best_w{trainer._rank}.th" if sharded else "best.th"
    best = os.path.join(folder, name)
    trainer._best_model_filename = best
    if not (sharded or trainer._primary):
        return
    if os.path.exists(best):
        os.remove(best)  # it may be a link to a checkpoint's file
    average = trainer._moving_average
    with nullcontext() if average is None else _averaged(average):
        trainer._save_model_state(best)


@replaces(GradientDescentTrainer, "rescale_gradients")
def _rescale_gradients(original: Original, self: GradientDescentTrainer) -> Optional[float]:
    """Scale the gradients down to `grad_norm`, and return their previous norm."""
    if isinstance(self._grad_norm, bool) or not _has_sparse_gradients(self.model):
        return original(self)
    _unscale(self)
    return clip_grad_norm_(_with_dense_gradients(self.model), self._grad_norm).item()


@replaces(GradientDescentTrainer, "clip_gradient")
def _clip_gradient(original: Original, self: GradientDescentTrainer) -> None:
    """Clip all elements of the gradients to plus or minus `grad_clipping`."""
    if self._grad_clipping is None or not _has_sparse_gradients(self.model):
        original(self)
        return
    _unscale(self)
    clip_grad_value_(_with_dense_gradients(self.model), self._grad_clipping)


def _unscale(trainer: GradientDescentTrainer) -> None:
    """Divide the gradients by the loss scale of mixed precision, once per step."""
    if trainer._scaler is None:
        return
    state = trainer._scaler._per_optimizer_states[id(trainer.optimizer)]
    if state["stage"] is not OptState.UNSCALED:
        trainer._scaler.unscale_(trainer.optimizer)


def _has_sparse_gradients(model: torch.nn.Module) -> bool:
    return any(p.grad is not None and p.grad.is_sparse for p in model.parameters())


def _with_dense_gradients(model: torch.nn.Module) -> List[torch.Tensor]:
    """
    Return the parameters that have a gradient. A parameter with a sparse gradient is replaced by a
    stand-in. Its gradient shares memory with the sparse values, so that clipping changes both.
    """
    parameters: List[torch.Tensor] = []
    for parameter in model.parameters():
        if parameter.grad is not None and parameter.grad.is_sparse:
            # A row that occurs several times in a batch has several entries: sum them first.
            parameter.grad = parameter.grad.coalesce()
            values = parameter.grad.values()
            stand_in = torch.nn.Parameter(torch.empty_like(values))
            stand_in.grad = values
            parameters.append(stand_in)
        elif parameter.grad is not None:
            parameters.append(parameter)
    return parameters


def _reconnect(average: MovingAverage, weights: List[Tuple[str, torch.Tensor]]) -> None:
    """Make it the moving average of these weights again, on their device."""
    average._parameters = weights
    for name, weight in weights:
        for kept in (average._shadows, average._backups):
            kept[name] = kept[name].to(weight.device)


@contextmanager
def _averaged(average: MovingAverage) -> Iterator[None]:
    """Replace the weights by their moving averages within this context."""
    average.assign_average_value()
    try:
        yield
    finally:
        average.restore()
