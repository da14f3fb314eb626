"""Score every sentence of a validation or test set, and say so where a part was asked for."""

import copy
import logging
from typing import Any, Dict, Optional

from allennlp.data import DatasetReader

logger = logging.getLogger(__name__)


def on_all_data(loader_config: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without the settings that leave out a part of the data."""
    config = without_drop_last(loader_config)
    config.pop("batches_per_epoch", None)
    return config


def without_drop_last(loader_config: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without `drop_last`, also in its `batch_sampler`."""
    config = copy.deepcopy(loader_config)
    for part in (config, config.get("batch_sampler")):
        if isinstance(part, dict):
            part.pop("drop_last", None)
    return config


def say_what_is_scored(
    path: Any, reader: DatasetReader, batches_per_epoch: Optional[int] = None
) -> None:
    """
    Log a warning if the reader's `max_instances`, or `batches_per_epoch` of the loader for this file
    itself, may leave out a part of it.
    """
    if batches_per_epoch is not None:
        logger.warning("%s: only %d batches are scored (batches_per_epoch)", path, batches_per_epoch)
    limit = getattr(reader, "max_instances", None)  # AllenNLP's `multitask` has none
    if limit is not None:
        logger.warning("%s: at most the first %d are scored (max_instances)", path, limit)
