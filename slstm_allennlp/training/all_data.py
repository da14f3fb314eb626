"""Score every sentence of a validation or test set, and say so where a part was asked for."""

import copy
import logging
from typing import Any, Dict, Optional, Tuple

from allennlp.data import DatasetReader

logger = logging.getLogger(__name__)

LIMITS = ("batches_per_epoch", "instances_per_epoch")
"""The keys of data loaders, the second of `multitask`, for a part of the data in each epoch."""


def on_all_data(loader_config: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without the settings that leave out a part of the data."""
    config = without_drop_last(loader_config)
    for key in LIMITS:
        config.pop(key, None)
    return config


def without_drop_last(loader_config: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without `drop_last`, also in its `batch_sampler`."""
    config = copy.deepcopy(loader_config)
    for part in (config, config.get("batch_sampler")):
        if isinstance(part, dict):
            part.pop("drop_last", None)
    return config


def say_what_is_scored(
    path: Any, reader: DatasetReader, limit: Optional[Tuple[str, int]] = None, done: str = "scored"
) -> None:
    """
    Log a warning if the reader's `max_instances`, or one of the `LIMITS` of the loader for this file
    itself, a key and its value, may leave out a part of it. `done` is what happens to the other part.
    """
    if limit is not None:
        key, number = limit
        logger.warning("%s: only %d %s are %s (%s)", path, number, key.partition("_")[0], done, key)
    first = getattr(reader, "max_instances", None)  # AllenNLP's `multitask` has none
    if first is not None:
        logger.warning("%s: at most the first %d are %s (max_instances)", path, first, done)
