"""Stop training if the loss or weights are NaN or infinite, before they are saved in a checkpoint."""

import math
from typing import Any, Dict, List

import torch
from allennlp.data.data_loaders.data_loader import TensorDict
from allennlp.training import GradientDescentTrainer

from slstm_allennlp.common.changes import Original, replaces


def check_finite_weights(trainer: Any) -> None:
    """Raise an error with the names of the weights that are NaN or infinite, if there are any."""
    if isinstance(trainer, GradientDescentTrainer):
        names = _not_finite(trainer)
        if names:
            raise ValueError(
                f"after {_where(trainer)} the weights {_listed(names)} are NaN or infinite, expected "
                "finite ones; they were not written, and the last checkpoint has finite ones"
            )


@replaces(GradientDescentTrainer, "batch_outputs")
def _checked_batch_outputs(
    original: Original, self: GradientDescentTrainer, batch: TensorDict, for_training: bool
) -> Dict[str, torch.Tensor]:
    """
    Raise an error if the loss of a batch is NaN or infinite. The message has the batch and the weights
    that are not finite. AllenNLP reports only that there was a NaN, and ignores an infinite loss.
    """
    outputs = original(self, batch, for_training)
    loss = outputs["loss"].item() if for_training else 0.0
    # In mixed precision, the gradient scaler skips steps that overflow.
    if math.isnan(loss) or (math.isinf(loss) and self._scaler is None):
        names = _not_finite(self)
        cause = f"the weights {_listed(names)} are not finite" if names else "all weights are finite"
        said = "nan loss encountered: " if math.isnan(loss) else ""  # AllenNLP's words
        raise ValueError(
            f"{said}the loss is {loss} in the batch after {_where(self)}, expected a finite number "
            f"({cause}); the last checkpoint has finite weights"
        )
    return outputs


def _not_finite(trainer: GradientDescentTrainer) -> List[str]:
    weights = trainer._pytorch_model.named_parameters()
    return [name for name, w in weights if w.requires_grad and not torch.isfinite(w).all()]


def _where(trainer: GradientDescentTrainer) -> str:
    return f"batch {trainer._batches_in_epoch_completed} of epoch {trainer._epochs_completed}"


def _listed(names: List[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
