import inspect
import logging
from functools import wraps
from typing import Any, Optional

import torch
from allennlp.training.learning_rate_schedulers import (
    LearningRateScheduler,
    ReduceOnPlateauLearningRateScheduler,
)

logger = logging.getLogger(__name__)


@LearningRateScheduler.register("reduce_on_plateau", exist_ok=True)
class ReduceOnPlateau(ReduceOnPlateauLearningRateScheduler):
    """
    AllenNLP's scheduler with its parameters, for every PyTorch version. AllenNLP passes on `verbose`,
    which PyTorch 2.7 removed. Here each reduction is logged if `verbose` is true.
    """

    @wraps(ReduceOnPlateauLearningRateScheduler.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = inspect.signature(super().__init__).bind(*args, **kwargs)
        given.apply_defaults()
        self._verbose = given.arguments.pop("verbose")
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(**given.arguments)
        super(ReduceOnPlateauLearningRateScheduler, self).__init__(scheduler)  # type: ignore[arg-type]

    def step(self, metric: Optional[float] = None) -> None:
        groups = self.lr_scheduler.optimizer.param_groups
        before = [group["lr"] for group in groups]
        super().step(metric)  # type: ignore[arg-type]
        after = [group["lr"] for group in groups]
        if self._verbose and before != after:
            logger.info("reduce_on_plateau: learning rates reduced from %s to %s", before, after)
