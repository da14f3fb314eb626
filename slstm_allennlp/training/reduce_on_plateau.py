import logging
from typing import List, Optional, Union

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

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        threshold_mode: str = "rel",
        threshold: float = 1e-4,
        cooldown: int = 0,
        min_lr: Union[float, List[float]] = 0,
        eps: float = 1e-8,
    ) -> None:
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer,
            mode=mode,  # type: ignore[arg-type]
            factor=factor,
            patience=patience,
            threshold=threshold,
            threshold_mode=threshold_mode,  # type: ignore[arg-type]
            cooldown=cooldown,
            min_lr=min_lr,
            eps=eps,
        )
        super(ReduceOnPlateauLearningRateScheduler, self).__init__(scheduler)  # type: ignore[arg-type]
        self._verbose = verbose

    def step(self, metric: Optional[float] = None) -> None:
        groups = self.lr_scheduler.optimizer.param_groups
        before = [group["lr"] for group in groups]
        super().step(metric)  # type: ignore[arg-type]
        after = [group["lr"] for group in groups]
        if self._verbose and before != after:
            logger.info("reduce_on_plateau: learning rates reduced from %s to %s", before, after)
