"""
Make AllenNLP's `reduce_on_plateau` work with every PyTorch version. It passes on `verbose`, which
PyTorch 2.7 removed. With `verbose`, this replacement logs each reduction.
"""

import inspect
import logging
from typing import Any, Optional

import torch
from allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers import (
    ReduceOnPlateauLearningRateScheduler,
)

from slstm_allennlp.common.changes import Original, replaces

logger = logging.getLogger(__name__)


@replaces(ReduceOnPlateauLearningRateScheduler, "__init__")
def _init_without_verbose(
    original: Original, self: ReduceOnPlateauLearningRateScheduler, *arguments: Any, **options: Any
) -> None:
    given = inspect.signature(original).bind(self, *arguments, **options).arguments
    del given["self"]
    self._verbose = given.pop("verbose", False)  # type: ignore[attr-defined]
    # The constructor of the base class accepts any scheduler.
    super(ReduceOnPlateauLearningRateScheduler, self).__init__(
        torch.optim.lr_scheduler.ReduceLROnPlateau(**given)  # type: ignore[arg-type]
    )


@replaces(ReduceOnPlateauLearningRateScheduler, "step")
def _step_and_log(
    original: Original, self: ReduceOnPlateauLearningRateScheduler, metric: Optional[float] = None
) -> None:
    groups = self.lr_scheduler.optimizer.param_groups
    before = [group["lr"] for group in groups]
    original(self, metric)
    after = [group["lr"] for group in groups]
    if self._verbose and before != after:  # type: ignore[attr-defined]
        logger.info("reduce_on_plateau: learning rates reduced from %s to %s", before, after)
