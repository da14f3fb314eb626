import logging
from typing import List, Optional, Union

import torch
from allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers import (
    ReduceOnPlateauLearningRateScheduler,
)
from allennlp.training.optimizers import Optimizer

from slstm_allennlp.compatibility.changes import replace

logger = logging.getLogger(__name__)
_step = ReduceOnPlateauLearningRateScheduler.step


def make_reduce_on_plateau_without_verbose() -> None:
    """
    Makes AllenNLP's `reduce_on_plateau` work with any PyTorch: it hands on `verbose`, which PyTorch 2.7
    dropped. Here `verbose` logs each reduction.
    """
    replace(ReduceOnPlateauLearningRateScheduler, "__init__", _init)
    replace(ReduceOnPlateauLearningRateScheduler, "step", _step_and_log)


def _init(
    self: ReduceOnPlateauLearningRateScheduler,
    optimizer: Optimizer,
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
    # The constructor above it wraps any scheduler.
    super(ReduceOnPlateauLearningRateScheduler, self).__init__(
        torch.optim.lr_scheduler.ReduceLROnPlateau(  # type: ignore[arg-type]
            optimizer=optimizer,
            mode=mode,  # type: ignore[arg-type]
            factor=factor,
            patience=patience,
            threshold_mode=threshold_mode,  # type: ignore[arg-type]
            threshold=threshold,
            cooldown=cooldown,
            min_lr=min_lr,
            eps=eps,
        )
    )
    self._verbose = verbose  # type: ignore[attr-defined]


def _step_and_log(self: ReduceOnPlateauLearningRateScheduler, metric: Optional[float] = None) -> None:
    groups = self.lr_scheduler.optimizer.param_groups
    before = [group["lr"] for group in groups]
    _step(self, metric)  # type: ignore[arg-type]
    after = [group["lr"] for group in groups]
    if self._verbose and before != after:  # type: ignore[attr-defined]
        logger.info("reduce_on_plateau: learning rates reduced from %s to %s", before, after)
