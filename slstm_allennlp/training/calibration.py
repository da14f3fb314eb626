"""Calibrate a classifier's probabilities on held-out data, by temperature scaling (Guo et al. 2017)."""

import logging
from typing import Any, Dict, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model
from allennlp.nn.util import move_to_device
from allennlp.training import GradientDescentTrainer, TrainerCallback
from torch import Tensor
from torch.nn.functional import cross_entropy

logger = logging.getLogger(__name__)


@TrainerCallback.register("calibrate")
class Calibrate(TrainerCallback):
    """
    Calibrate the probabilities of a classifier after training: multiply its logits by the factor with
    the lowest loss on the validation set (`calibration_factor`). The factor goes into the weights of the
    last layer and into the metrics. Predicted labels and the metrics of the epochs do not change.
    Without a validation set, and in distributed training, the log says that nothing is calibrated.

    `ConfigurationError` for a model that is not `basic_classifier`, `sentence_pair_classifier` or
    `classifier_and_linear`.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        scale_logits(trainer.model, 1.0)  # an error now, not after the training
        if trainer._validation_data_loader is None or trainer._distributed:
            logger.warning(
                "The probabilities are not calibrated: that needs validation data, one process"
            )

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: Optional[Dict[str, Any]] = None,
        epoch: Optional[int] = None,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        loader = trainer._validation_data_loader
        if loader is None or trainer._distributed:
            return
        if metrics is None:
            logger.warning("The training was stopped: the probabilities are not calibrated")
            return
        model = trainer.model.eval()
        logits, labels = [], []
        with torch.no_grad():
            for batch in loader:
                batch = move_to_device(batch, trainer.cuda_device)
                logits.append(model(**batch)["logits"])
                labels.append(batch["label"].view(-1))
        model.get_metrics(reset=True)
        factor = calibration_factor(torch.cat(logits), torch.cat(labels))
        scale_logits(model, factor)
        if trainer._best_model_filename is not None:
            trainer._save_model_state(trainer._best_model_filename)
        metrics["calibration_factor"] = factor
        logger.info("The probabilities are calibrated on the validation data: factor %.3g.", factor)


def calibration_factor(logits: Tensor, labels: Tensor) -> float:
    """
    Return the factor, from 0.01 to 100, with which logits of held-out data, (n, k), have the least loss.
    Gold labels have the probability (n + 1) / (n + 2), not 1, as in Platt's scaling: with few texts that
    are all right, the factor would grow without a bound.
    """
    number, classes = logits.shape
    smoothing = classes / (max(1, classes - 1) * (number + 2))

    factors = torch.logspace(-2, 2, 2001, dtype=logits.dtype, device=logits.device)

    def loss(index: int) -> float:
        return float(cross_entropy(factors[index] * logits, labels.long(), label_smoothing=smoothing))

    # The loss is convex in the factor, so the lowest lies between the neighbours of a coarse search's.
    coarse = min(range(0, 2001, 40), key=loss)
    return float(factors[min(range(max(0, coarse - 40), min(2001, coarse + 41)), key=loss)])


def scale_logits(model: Model, factor: float) -> None:
    """Multiply the logits of a classifier by a factor, in the weights of its last layer."""
    own = getattr(model, "scale_logits", None)
    layer = getattr(model, "_classification_layer", None)
    if own is not None:
        own(factor)
    elif layer is not None:
        for parameter in layer.parameters():
            parameter.data *= factor
    else:
        raise ConfigurationError(
            f"calibrate: the model is {type(model).__name__}, expected basic_classifier, "
            'sentence_pair_classifier or classifier_and_linear, or no "calibrate" in trainer.callbacks'
        )
