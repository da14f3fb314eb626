"""The metrics of a model, and the encoding of the tags that they count."""

from typing import Dict, List, Optional

import torch
from allennlp.training.metrics import Metric, SpanBasedF1Measure


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


def encoding_of(model: torch.nn.Module) -> Optional[str]:
    """Return the encoding of a tagger, or that of its span F1. None if it has neither."""
    encoding: Optional[str] = getattr(model, "label_encoding", None)
    of_metrics = (m._label_encoding for m in metrics_of(model) if isinstance(m, SpanBasedF1Measure))
    return encoding or next(of_metrics, None)
