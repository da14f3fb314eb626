"""The metrics of a model."""

from typing import Dict, List

import torch
from allennlp.training.metrics import Metric


def metrics_of(model: torch.nn.Module) -> List[Metric]:
    """Return all metrics that are attributes of a model's modules, or in dictionaries or lists there."""
    found: Dict[int, Metric] = {}
    for module in model.modules():
        for value in vars(module).values():
            values = value.values() if isinstance(value, dict) else value
            for item in values if isinstance(value, (dict, list, tuple)) else (value,):
                if isinstance(item, Metric):
                    found[id(item)] = item
    return list(found.values())
