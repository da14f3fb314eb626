"""
Fix gradient clipping and recovery in AllenNLP's trainer.

- Sparse gradients (of embeddings with `sparse: true`) are clipped. AllenNLP's `grad_norm` fails on them
  in a current PyTorch, and `grad_clipping` in every version.
- A recovered run keeps its best epoch. AllenNLP writes the checkpoint of an epoch before it saves the
  epoch's weights as the best, so that a run recovered from there may use its last weights instead.
- A recovered run keeps its moving average. AllenNLP connects it to the checkpoint's copy of the weights.
"""

import copy
import os
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Iterator, Optional

import torch
from allennlp.training import GradientDescentTrainer

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.training.run_state import resume_run


@replaces(GradientDescentTrainer, "_maybe_restore_checkpoint")
def _restore_average_and_best(original: Original, self: GradientDescentTrainer) -> None:
    average = self._moving_average
    weights = [] if average is None else average._parameters
    original(self)
    resume_run(self)
    if average is not None:
        average._parameters = weights
        for name, weight in weights:
            for kept in (average._shadows, average._backups):
                kept[name] = kept[name].to(weight.device)
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
    average = trainer._moving_average
    with ExitStack() as stack:
        if average is not None:
            average.assign_average_value()
            stack.callback(average.restore)
        trainer._save_model_state(best)


@replaces(GradientDescentTrainer, "clip_gradient")
def _clip_sparse(original: Original, self: GradientDescentTrainer) -> Optional[float]:
    """Call AllenNLP's method, which uses only the model's parameters, with dense gradients."""
    if not any(p.grad is not None and p.grad.is_sparse for p in self.model.parameters()):
        return original(self)
    trainer = copy.copy(self)
    parameters = _with_dense_gradients(self.model)
    trainer.model = SimpleNamespace(parameters=lambda: parameters)  # type: ignore[assignment]
    trainer._ddp_wrapped_model = None
    return original(trainer)


@replaces(GradientDescentTrainer, "rescale_gradients")
def _rescale_sparse(original: Original, self: GradientDescentTrainer) -> Optional[float]:
    if self._grad_norm is True:  # the norm is returned, and the gradients stay as they are
        return original(self)
    return _clip_sparse(original, self)


def _with_dense_gradients(model: torch.nn.Module) -> Iterator[torch.Tensor]:
    """
    Yield the parameters. One with a sparse gradient is replaced by a stand-in, whose gradient shares
    memory with the sparse values, so that clipping changes both.
    """
    for parameter in model.parameters():
        if parameter.grad is None or not parameter.grad.is_sparse:
            yield parameter
            continue
        # A row that occurs several times in a batch has several entries: sum them first.
        parameter.grad = parameter.grad.coalesce()
        values = parameter.grad.values()
        stand_in = torch.nn.Parameter(torch.empty_like(values))
        stand_in.grad = values
        yield stand_in
