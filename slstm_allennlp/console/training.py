"""The console output of `slstm train` and `slstm evaluate`."""

import json
import shlex
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

from allennlp.common import Params
from allennlp.training import GradientDescentTrainer, TrainerCallback

from slstm_allennlp.common.training_keys import validation_metrics
from slstm_allennlp.models.summary import encoder_names, model_name, num_weights
from slstm_allennlp.training.label_counts import count_labels, labels_found, num_instances


class EpochLines(TrainerCallback):
    """Print one line at the start of training and one after each epoch."""

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        self._began = self._epoch_began = time.monotonic()
        self._epochs_here = 0
        if is_primary:
            print(_model_summary(trainer), flush=True)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: Dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        now = time.monotonic()
        self._epochs_here += 1
        tracker = trainer._metric_tracker
        left = trainer._num_epochs - epoch - 1
        stops_early = left > 0 and tracker.should_stop_early()
        parts = [
            f"epoch {epoch + 1:{len(str(trainer._num_epochs))}}/{trainer._num_epochs}",
            *_scores(metrics, [name for _, name in tracker.tracked_metrics]),
            _duration(now - self._epoch_began),
        ]
        if left and not stops_early:
            parts.append(f"at most {_duration((now - self._began) / self._epochs_here * left)} left")
        if metrics.get("best_epoch") == epoch and "best_validation_loss" in metrics:
            parts.append("best so far")
        self._epoch_began = now
        if is_primary:
            print("  ".join(parts), flush=True)
            if stops_early:
                print(
                    f"stopped early: no better epoch in the last {tracker._patience} (trainer.patience)"
                )


def result_lines(folder: Path) -> Iterator[str]:
    """Yield the best epoch with its metrics, and the archive with a command that uses it."""
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    config = Params.from_file(str(folder / "config.json")).as_dict(quiet=True)
    names = [name.lstrip("+-") for name in validation_metrics(config)]
    best = [*_values(metrics, "best_validation_", names), *_values(metrics, "test_", names)]
    if not any(key.startswith("best_validation_") for key in metrics):
        best = [*_values(metrics, "training_", names), *best]
    if "epoch" in metrics:  # not of a trainer without epochs, such as `no_op`
        epoch = metrics.get("best_epoch", metrics["epoch"])
        yield f"best epoch {epoch + 1} of {metrics['epoch'] + 1}: {', '.join(best)}"
    archive = folder / "model.tar.gz"
    yield f"the model: {archive}; to use it: slstm predict {shlex.quote(str(archive))} FILE"


def metric_lines(metrics: Dict[str, Any]) -> Iterator[str]:
    """Yield one line per metric of `allennlp evaluate`, which may be for several files."""
    width = max(map(len, metrics), default=0)
    for name, value in metrics.items():
        yield f"{name:{width}}  {value:.4f}" if isinstance(value, float) else f"{name:{width}}  {value}"


def _model_summary(trainer: GradientDescentTrainer) -> str:
    weights = num_weights(trainer.model)
    encoders = encoder_names(trainer.model)
    used = f" with {', '.join(dict.fromkeys(encoders))}" if encoders else ""
    trained = "" if weights["trained"] == weights["all"] else f" ({weights['trained']:,} trained)"
    what = f"Training {model_name(trainer.model)}{used}: {weights['all']:,} weights{trained}"
    sentences = num_instances(trainer.data_loader)
    if sentences is not None:
        what += f", {sentences:,} sentences"
        validation = num_instances(trainer._validation_data_loader)
        what += "" if validation is None else f" and {validation:,} to validate"
        counts = count_labels(trainer.model, trainer.data_loader)
        what += f", {labels_found(counts)}" if counts else ""
    return what


def _scores(metrics: Dict[str, Any], tracked: List[str]) -> Iterator[str]:
    if "training_loss" in metrics:
        yield f"loss {metrics['training_loss']:.4f}"
    is_validated = "validation_loss" in metrics
    yield from _values(metrics, "validation_" if is_validated else "training_", tracked)


def _values(metrics: Dict[str, Any], prefix: str, tracked: List[str]) -> Iterator[str]:
    """Yield the metrics that select the best epoch, and the loss (except the training loss)."""
    label = prefix.replace("best_", "").rstrip("_")
    for name in dict.fromkeys([*tracked, "loss"]):
        value = metrics.get(prefix + name)
        if isinstance(value, (int, float)) and not (prefix == "training_" and name == "loss"):
            yield f"{label} {name} {value:.4f}"


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"
