import os
from contextlib import contextmanager, nullcontext
from typing import Iterator, List, Optional, Tuple

import torch
from allennlp.training import GradientDescentTrainer, Trainer
from allennlp.training.moving_average import MovingAverage
from torch.cuda.amp.grad_scaler import OptState
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


@Trainer.register("gradient_descent", constructor="from_partial_objects", exist_ok=True)
class MendedTrainer(GradientDescentTrainer):
    """
    AllenNLP's trainer, with clipping for sparse gradients, which embeddings with `sparse: true` have:
    `grad_norm` fails on them with a current PyTorch, `grad_clipping` with any. And a recovered run ends
    as it would have without: AllenNLP writes an epoch's checkpoint before it notes that the epoch is the
    best so far, so that a run that goes on from there may take its last weights for its best; and a
    moving average that it loads is one of the checkpoint's weights, no more of the model's.

    Registered as a `Trainer` with name "gradient_descent", the default, in AllenNLP's place and with its
    parameters.
    """

    def _maybe_restore_checkpoint(self) -> None:
        weights = [] if self._moving_average is None else self._moving_average._parameters
        super()._maybe_restore_checkpoint()
        if self._moving_average is not None:
            _point_to(self._moving_average, weights)
        is_after_an_epoch = self._start_after_batches_in_epoch_completed == 0
        if (
            is_after_an_epoch
            and self._metric_tracker.best_epoch == self._start_after_epochs_completed - 1
        ):
            self._keep_as_best()

    def _keep_as_best(self) -> None:
        """What AllenNLP does after the best epoch so far, to which this run may not have got."""
        sharded = self._ddp_wrapped_model is not None and self._ddp_wrapped_model.is_sharded
        name = f"best_w{self._rank}.th" if sharded else "best.th"
        self._best_model_filename = os.path.join(self._serialization_dir, name)  # type: ignore[has-type]
        if not (sharded or self._primary):
            return
        if os.path.exists(self._best_model_filename):
            os.remove(self._best_model_filename)  # it may be a link to a checkpoint's file
        with nullcontext() if self._moving_average is None else _averaged(self._moving_average):
            self._save_model_state(self._best_model_filename)

    def rescale_gradients(self) -> Optional[float]:
        """Scales the gradients down to `grad_norm` and returns the norm that they had."""
        if isinstance(self._grad_norm, bool) or not self._has_sparse_gradients():
            return super().rescale_gradients()
        self._unscale()
        return clip_grad_norm_(self._with_dense_gradients(), self._grad_norm).item()

    def clip_gradient(self) -> None:
        """Clips each gradient's elements to plus or minus `grad_clipping`."""
        if self._grad_clipping is None or not self._has_sparse_gradients():
            super().clip_gradient()
            return
        self._unscale()
        clip_grad_value_(self._with_dense_gradients(), self._grad_clipping)

    def _unscale(self) -> None:
        """Takes the loss scale of mixed precision out of the gradients, once a step."""
        if self._scaler is None:
            return
        if self._scaler._per_optimizer_states[id(self.optimizer)]["stage"] is not OptState.UNSCALED:
            self._scaler.unscale_(self.optimizer)

    def _has_sparse_gradients(self) -> bool:
        return any(p.grad is not None and p.grad.is_sparse for p in self.model.parameters())

    def _with_dense_gradients(self) -> List[torch.Tensor]:
        """
        The parameters that have a gradient, those with a sparse one by a stand-in whose gradient is the
        sparse one's stored values: what is scaled there is scaled in the model.
        """
        parameters: List[torch.Tensor] = []
        for parameter in self.model.parameters():
            if parameter.grad is not None and parameter.grad.is_sparse:
                # A row that a batch has several times is stored as often: it counts as their sum.
                parameter.grad = parameter.grad.coalesce()
                values = parameter.grad.values()
                stand_in = torch.nn.Parameter(torch.empty_like(values))
                stand_in.grad = values
                parameters.append(stand_in)
            elif parameter.grad is not None:
                parameters.append(parameter)
        return parameters


def _point_to(average: MovingAverage, weights: List[Tuple[str, torch.Tensor]]) -> None:
    """Makes it the average of these weights, where they are."""
    average._parameters = weights
    for name, weight in weights:
        for kept in (average._shadows, average._backups):
            kept[name] = kept[name].to(weight.device)


@contextmanager
def _averaged(average: MovingAverage) -> Iterator[None]:
    """The averages in the place of the weights."""
    average.assign_average_value()
    try:
        yield
    finally:
        average.restore()
