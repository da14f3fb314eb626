import logging
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer, TrainerCallback

from slstm_allennlp.linear.fitted_model import FittedModel

logger = logging.getLogger(__name__)


@TrainerCallback.register("fit_linear")
class FitLinear(TrainerCallback):
    """
    Fit the linear models inside a model, such as that of `classifier_and_linear`, to the whole train set
    before the first epoch. Hyperparameters are selected on the validation set.

    Registered as a `TrainerCallback` with name "fit_linear". `ConfigurationError` for a model without a
    linear model, and in distributed training, where each process has only a part of the train set.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        parts = [part for part in trainer.model.modules() if isinstance(part, FittedModel)]
        if not parts:
            raise ConfigurationError(
                f"fit_linear: the model {type(trainer.model).__name__} has no linear model, expected "
                "one such as classifier_and_linear"
            )
        if trainer._distributed:
            raise ConfigurationError("fit_linear: training is distributed, expected one process")
        for part in parts:
            if part.is_fitted:  # restored from a checkpoint
                continue
            validation = trainer._validation_data_loader
            chosen = part.fit(
                list(trainer.data_loader.iter_instances()),
                None if validation is None else list(validation.iter_instances()),
            )
            settings = ", ".join(f"{name} {value:.3g}" for name, value in chosen.items())
            logger.info("%s is fitted: %s.", type(part).__name__, settings)
