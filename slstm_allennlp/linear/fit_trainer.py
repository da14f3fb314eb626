import datetime
import logging
import os
import time
from typing import Any, Dict, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import dump_metrics
from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.training import Trainer
from allennlp.training.util import evaluate

from slstm_allennlp.common.atomic_write import atomic_write_by_torch
from slstm_allennlp.linear.fitted_model import FittedModel
from slstm_allennlp.models.summary import model_name
from slstm_allennlp.training.label_counts import count_labels, labels_found
from slstm_allennlp.training.tag_check import check_tags

logger = logging.getLogger(__name__)


@Trainer.register("fit")
class FitTrainer(Trainer):
    """
    Fit a model that needs no gradients, such as `linear_classifier`, to the whole train set at once, on
    the CPU. The output files are those of AllenNLP's trainer after one epoch. An interrupted fit
    restarts from the beginning. `ConfigurationError` for a model that is not a `FittedModel`, and for
    gold tags that do not fit the model's `label_encoding`.

    # Parameters

    serialization_dir, model, data_loader
        As in AllenNLP's trainer.
    validation_data_loader : `DataLoader`, optional (default = `None`)
        The model selects its hyperparameters on it.
    validation_metric : `str`, optional (default = `None`)
        Such as `"+accuracy"`. `allennlp compare` uses it. It must be a metric of the model.
    """

    def __init__(
        self,
        serialization_dir: str,
        model: Model,
        data_loader: DataLoader,
        validation_data_loader: Optional[DataLoader] = None,
        validation_metric: Optional[str] = None,
    ) -> None:
        super().__init__(serialization_dir, cuda_device=torch.device("cpu"))
        if not isinstance(model, FittedModel):
            raise ConfigurationError(
                f"the trainer fit has a model {type(model).__name__}, expected linear_classifier, "
                "linear_pair_classifier or linear_tagger"
            )
        check_tags(model, data_loader)
        if validation_data_loader is not None:
            check_tags(model, validation_data_loader)
        self.model = model
        self.data_loader = data_loader
        self._validation_data_loader = validation_data_loader
        self._metric = validation_metric
        self._weights = os.path.join(serialization_dir, "best.th")
        self._epoch = os.path.join(serialization_dir, "metrics_epoch_0.json")

    def train(self) -> Dict[str, Any]:
        start = time.time()
        validation = self._validation_data_loader
        train = list(self.data_loader.iter_instances())
        held_out = None if validation is None else list(validation.iter_instances())
        sizes = f"{len(train):,} sentences"
        sizes += "" if held_out is None else f" and {len(held_out):,} to validate"
        found = labels_found(count_labels(self.model, self.data_loader))
        logger.info("Training %s: %s, %s", model_name(self.model), sizes, found)
        chosen = self.model.fit(train, held_out)
        metrics: Dict[str, Any] = {"epoch": 0, "best_epoch": 0}
        training_metrics = {**chosen, **evaluate(self.model, self.data_loader)}
        metrics.update({f"training_{name}": value for name, value in training_metrics.items()})
        if validation is not None:
            validation_metrics = evaluate(self.model, validation)
            if self._metric is not None and self._metric.lstrip("+-") not in validation_metrics:
                raise ConfigurationError(
                    f"trainer.validation_metric is {self._metric}, which {type(self.model).__name__} "
                    f"does not have, expected + or - before one of {', '.join(validation_metrics)}"
                )
            for kind in ("validation", "best_validation"):
                metrics.update({f"{kind}_{name}": value for name, value in validation_metrics.items()})
        with atomic_write_by_torch(self._weights) as path:
            torch.save(self.model.state_dict(), path)
        metrics["training_duration"] = str(datetime.timedelta(seconds=time.time() - start))
        dump_metrics(self._epoch, metrics)
        return metrics
