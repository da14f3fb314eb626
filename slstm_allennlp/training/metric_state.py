"""The metrics of a model, and their counts so far."""

from typing import Any, Dict, List

import torch
from allennlp.nn.util import move_to_device

from slstm_allennlp.models.summary import metrics_of


def metric_states(model: torch.nn.Module) -> List[Dict[str, Any]]:
    """Return the state of each metric of a model: its attributes of plain values and tensors."""
    return [
        {name: _plain(value) for name, value in vars(metric).items() if _is_plain(value)}
        for metric in metrics_of(model)
    ]


def set_metric_states(model: torch.nn.Module, states: List[Dict[str, Any]]) -> None:
    """
    Restore the states that `metric_states` returned, on the model's device. Dictionaries keep their
    type.
    """
    parameter = next(model.parameters(), None)
    states = states if parameter is None else move_to_device(states, parameter.device)
    for metric, state in zip(metrics_of(model), states):
        for name, value in state.items():
            current = getattr(metric, name, None)
            if isinstance(current, dict):  # such as a defaultdict
                current.clear()
                current.update(value)
            else:
                setattr(metric, name, value)


def _plain(value: Any) -> Any:
    """Convert subclasses of `dict` and `list`, which the allow-list for checkpoints refuses."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return list(map(_plain, value)) if isinstance(value, list) else value


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(item) for pair in value.items() for item in pair)
    if isinstance(value, (list, tuple, set)):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, (bool, int, float, str, torch.Tensor))
