import inspect
import json
import logging
import math
import os
from typing import Any, Dict, Iterable, List, Optional, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TensorDict
from allennlp.training import GradientDescentTrainer, Trainer
from allennlp.training.metric_tracker import MetricTracker
from allennlp.training.trainer import TrainerCheckpoint
from torch.cuda.amp.grad_scaler import OptState  # AllenNLP's import

from slstm_allennlp.common.atomic_write import atomic_write_by_torch
from slstm_allennlp.common.errors import NotFinite
from slstm_allennlp.common.suggestions import did_you_mean
from slstm_allennlp.models.class_weights import BALANCED, WithClassWeights
from slstm_allennlp.training.checkpointer import ReliableCheckpointer
from slstm_allennlp.training.label_counts import count_labels
from slstm_allennlp.training.run_state import ResumedLoader, RunState, random_states, set_random_states
from slstm_allennlp.training.signals import received_signals
from slstm_allennlp.training.size_check import check_sizes
from slstm_allennlp.training.tag_check import check_tags

logger = logging.getLogger(__name__)


class LowerLossFirst(MetricTracker):
    """
    AllenNLP's tracker of the best epoch. Of epochs with the same metric, it takes the lowest loss, which
    the patience does not count as an improvement. A metric that is NaN is the worst.
    """

    def combined_score(self, metrics: Dict[str, float]) -> float:
        for _, name in self.tracked_metrics:
            if name not in metrics:
                raise ConfigurationError(
                    f"trainer.validation_metric is {name}, which the model does not have"
                    f"{did_you_mean(name, metrics)}"
                )
        score = super().combined_score(metrics)
        return -math.inf if math.isnan(score) else score

    def add_metrics(self, metrics: Dict[str, float]) -> None:
        is_tie = self.combined_score(metrics) == self._best_so_far
        without_improvement = self._epochs_with_no_improvement + 1
        if is_tie and metrics.get("loss", math.inf) < self.best_epoch_metrics.get("loss", -math.inf):
            self._best_so_far = None  # this epoch counts as the first, which is the best
        super().add_metrics(metrics)
        if is_tie:
            self._epochs_with_no_improvement = without_improvement


@Trainer.register("gradient_descent", constructor="from_partial_objects", exist_ok=True)
class ReliableTrainer(GradientDescentTrainer):
    """
    AllenNLP's trainer, for runs that may be interrupted or go wrong.

    - Before training, sizes that do not match and tags that are not in the model's `label_encoding` are
      an error, and a `validation_metric` that the model does not have is a warning.
    - A loss or weights that are NaN or infinite end the training. They are never written.
    - On SIGTERM or SIGINT, it writes a checkpoint after the current batch and exits with status 128 + n,
      where n is the signal's number. A second signal ends the process at once. With `distributed`, or
      another checkpointer, AllenNLP's behaviour is unchanged.
    - A recovered run has the weights and metrics of an uninterrupted one, to the bit, in one process and
      without loader workers. It keeps its best epoch and its moving average.
    - Of epochs with the same validation metric, the one with the lowest validation loss is the best.
    - The best weights are written atomically.
    - Sparse gradients (of embeddings with `sparse: true`) are clipped. AllenNLP's `grad_norm` fails on
      them in a current PyTorch, and `grad_clipping` in every version.

    `ConfigurationError` for an unknown key, which AllenNLP ignores, for `num_epochs` below 1, for sizes
    that do not match and for gold tags that do not fit. While training, `ValueError` for numbers that
    are not finite.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # AllenNLP's `from_partial_objects`, which reads the config, passes on unknown keys.
        self.expect_known(kwargs, inspect.signature(GradientDescentTrainer).parameters)
        super().__init__(*args, **kwargs)
        if self._num_epochs < 1:
            raise ConfigurationError(
                f"trainer.num_epochs is {self._num_epochs}, expected 1 or more: without an epoch there "
                "are no weights to archive"
            )
        tracker, self._metric_tracker = self._metric_tracker, LowerLossFirst("-loss")
        self._metric_tracker.tracked_metrics = tracker.tracked_metrics
        self._metric_tracker._patience = tracker._patience
        if isinstance(self._checkpointer, ReliableCheckpointer):
            self._checkpointer.has_run_state = True
        random = random_states()  # a reader may use them
        self._run = RunState(self)
        self._callbacks = [self._run, *self._callbacks]
        for loader in (self.data_loader, self._validation_data_loader):
            if loader is not None:
                check_tags(self.model, loader)
        for part in self._pytorch_model.modules():
            if isinstance(part, WithClassWeights) and part.class_weights == BALANCED:
                if self._distributed:
                    raise ConfigurationError(
                        'class_weights is "balanced" and a process has a part of the data, expected the '
                        "weights of the classes in distributed training"
                    )
                part.balance(count_labels(part, self.data_loader))
        if not self._distributed:  # a distributed model may be sharded
            found = check_sizes(self.model, self.data_loader, self.cuda_device)
            for _, name in tracker.tracked_metrics:
                if found and name not in found:  # now, because the error comes after the first epoch
                    missing = "trainer.validation_metric is %s, which the model does not have so far%s"
                    logger.warning(missing, name, did_you_mean(name, found))
        set_random_states(random)

    @classmethod
    def expect_known(cls, keys: Iterable[str], known: Iterable[str] = ()) -> None:
        """
        Raise `ConfigurationError` for keys that are not `known`, by default those of a config: AllenNLP
        would ignore them.
        """
        *of_config, _ = inspect.signature(cls.from_partial_objects).parameters  # without **kwargs
        for key in keys:
            if key not in {*(known or of_config), "run_sanity_checks"}:
                raise ConfigurationError(
                    f"trainer.{key} is no key of the trainer{did_you_mean(key, of_config)}"
                )

    def train(self) -> Dict[str, Any]:
        if self._distributed or not isinstance(self._checkpointer, ReliableCheckpointer):
            return super().train()
        with received_signals() as self._checkpointer.signals:
            return super().train()

    def batch_outputs(self, batch: TensorDict, for_training: bool) -> Dict[str, torch.Tensor]:
        """
        Raise an error if the loss of a batch is NaN or infinite. The message has the batch and the
        weights that are not finite. AllenNLP reports only that there was a NaN, and ignores an infinite
        loss.
        """
        outputs = super().batch_outputs(batch, for_training)
        # `find-lr` starts no epoch, and goes on to infinite losses.
        loss = outputs["loss"].item() if for_training and self._run.starts else 0.0
        # In mixed precision, the gradient scaler skips steps that overflow.
        if math.isnan(loss) or (math.isinf(loss) and self._scaler is None):
            names = self._weights_not_finite()
            cause = f"the weights {_listed(names)} are not finite" if names else "all weights are finite"
            said = "nan loss encountered: " if math.isnan(loss) else ""  # AllenNLP's words
            raise NotFinite(
                f"{said}the loss is {loss} in the batch after {self._position()}, expected a finite "
                f"number ({cause}); the last checkpoint has finite weights"
            )
        return outputs

    def get_checkpoint_state(self) -> Optional[TrainerCheckpoint]:
        names = self._weights_not_finite()
        if names:
            raise NotFinite(
                f"after {self._position()} the weights {_listed(names)} are NaN or infinite, expected "
                "finite ones; they were not written, and the last checkpoint has finite ones"
            )
        return super().get_checkpoint_state()

    def _weights_not_finite(self) -> List[str]:
        weights = self._pytorch_model.named_parameters()
        return [name for name, w in weights if w.requires_grad and not torch.isfinite(w).all()]

    def _position(self) -> str:
        return f"batch {self._batches_in_epoch_completed} of epoch {self._epochs_completed}"

    def rescale_gradients(self) -> Optional[float]:
        # If `grad_norm` is true, the norm is returned, and the gradients stay as they are.
        if isinstance(self._grad_norm, bool) or self._is_sharded():
            return super().rescale_gradients()
        self._unscale()
        return torch.nn.utils.clip_grad_norm_(self._with_dense_gradients(), self._grad_norm).item()

    def clip_gradient(self) -> None:
        if self._grad_clipping is not None:
            self._unscale()
            torch.nn.utils.clip_grad_value_(self._with_dense_gradients(), self._grad_clipping)

    def _is_sharded(self) -> bool:
        return self._ddp_wrapped_model is not None and self._ddp_wrapped_model.is_sharded

    def _unscale(self) -> None:
        """Divide the gradients by the scale of mixed precision, once in each step."""
        if self._scaler is not None:
            state = self._scaler._per_optimizer_states[id(self.optimizer)]
            if state["stage"] is not OptState.UNSCALED:
                self._scaler.unscale_(self.optimizer)

    def _with_dense_gradients(self) -> List[torch.Tensor]:
        """
        Return the parameters with gradients. Instead of one with a sparse gradient, return a stand-in,
        whose gradient shares memory with the sparse values, so that clipping changes both.
        """
        parameters: List[torch.Tensor] = []
        for parameter in self.model.parameters():
            if parameter.grad is not None and parameter.grad.is_sparse:
                # A row that occurs several times in a batch has several entries: sum them first.
                parameter.grad = parameter.grad.coalesce()
                values = parameter.grad.values()
                parameter = torch.nn.Parameter(torch.empty_like(values))
                parameter.grad = values
            if parameter.grad is not None:
                parameters.append(parameter)
        return parameters

    def _save_model_state(self, path: str) -> None:
        with atomic_write_by_torch(path) as unfinished:
            super()._save_model_state(str(unfinished))

    def _maybe_restore_checkpoint(self) -> None:
        average = self._moving_average
        weights = [] if average is None else average._parameters
        super()._maybe_restore_checkpoint()
        if average is not None:  # AllenNLP connects it to the checkpoint's copy of the weights
            average._parameters = weights
            for name, weight in weights:
                for kept in (average._shadows, average._backups):
                    kept[name] = kept[name].to(weight.device)
        is_after_an_epoch = self._start_after_batches_in_epoch_completed == 0
        best_epoch = self._metric_tracker.best_epoch
        if is_after_an_epoch and best_epoch == self._start_after_epochs_completed - 1:
            self._keep_as_best()

    def _keep_as_best(self) -> None:
        """
        Save the weights as the best. AllenNLP does so only after it has written the checkpoint of the
        best epoch, so that a run recovered from there might use its last weights instead.
        """
        name = f"best_w{self._rank}.th" if self._is_sharded() else "best.th"
        folder = self._serialization_dir  # type: ignore[has-type]
        self._best_model_filename = os.path.join(folder, name)
        if not (self._is_sharded() or self._primary):
            return
        average = self._moving_average
        if average is not None:
            average.assign_average_value()
        self._save_model_state(self._best_model_filename)
        if average is not None:
            average.restore()

    def _train_epoch(self, epoch: int) -> Dict[str, float]:
        run, loader = self._run, self.data_loader
        completed, batches = self._epochs_completed, self._start_after_batches_in_epoch_completed
        is_resumed = run.resumed is not None and completed == self._start_after_epochs_completed
        if is_resumed and batches == 0:
            run.resume()
        run.start_epoch(completed)
        if not is_resumed or batches == 0:
            metrics = super()._train_epoch(epoch)
            if self._total_batches_completed == 0:
                raise ConfigurationError(
                    "the data loader has no batch for training, expected one or more (with drop_last, "
                    "batch_size is at most the number of examples)"
                )
            return metrics
        count = batches * self._num_gradient_accumulation_steps
        self.data_loader = ResumedLoader(loader, count, run.resume)  # type: ignore[assignment]
        try:
            metrics = super()._train_epoch(epoch)
        finally:
            self.data_loader = loader
        if "loss" not in metrics:  # the checkpoint is after the epoch's last batch
            metrics.update(self.model.get_metrics(reset=True))
        metrics.update(run.mean_losses())
        return metrics

    def _try_train(self) -> Tuple[Dict[str, Any], int]:
        """
        Handle a run that was interrupted after its last epoch: do not train one more epoch if its
        patience was exhausted, and read its last metrics from the file.
        """
        completed, num_epochs = self._start_after_epochs_completed, self._num_epochs
        is_over = completed > 0 and self._start_after_batches_in_epoch_completed == 0
        if is_over and self._metric_tracker.should_stop_early():
            self._num_epochs = completed
        try:
            metrics, epoch = super()._try_train()
        finally:
            self._num_epochs = num_epochs
        if "epoch" not in metrics and completed > 0:
            folder = self._serialization_dir  # type: ignore[has-type]
            path = os.path.join(folder, f"metrics_epoch_{completed - 1}.json")
            if os.path.exists(path):  # the user may have removed it
                with open(path, encoding="utf-8") as file:
                    metrics = {**json.load(file), **metrics}
        return metrics, epoch


def _listed(names: List[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
