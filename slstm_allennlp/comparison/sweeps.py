"""Find systems that differ only in the S-LSTM's steps or window size, and group them into lines."""

import inspect
import json
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from slstm_allennlp.comparison.plan import System, settings_of, varied_keys
from slstm_allennlp.modules import SentenceStateLSTM

AXES = {"num_steps": "recurrent steps", "window_size": "window size (words on each side)"}
_DEFAULTS = {key: inspect.signature(SentenceStateLSTM).parameters[key].default for key in AXES}


class Sweep(NamedTuple):
    key: str  # of the x axis, `num_steps` or `window_size`
    # For each line, the key's values in order, each with its system.
    lines: Dict[str, List[Tuple[int, str]]]
    others: List[str]  # systems that are not on a line

    def line_of(self, system: str) -> str:
        """Return the name of the system's line, or the system's own name if it is not on a line."""
        found = (label for label, points in self.lines.items() if system in [name for _, name in points])
        return next(found, system)


def find_sweep(systems: Sequence[System]) -> Optional[Sweep]:
    """
    Find the sweep over `num_steps` or, if there is none, over `window_size`. Returns None if there is
    neither. A setting that an S-LSTM's config leaves out has its default value.
    """
    for key in AXES:
        lines = _lines(key, systems)
        if lines:
            on_lines = {name for points in lines.values() for _, name in points}
            return Sweep(key, lines, [one.name for one in systems if one.name not in on_lines])
    return None


def _lines(key: str, systems: Sequence[System]) -> Dict[str, List[Tuple[int, str]]]:
    groups: Dict[str, List[Tuple[int, System]]] = {}  # by the rest of their configs
    for system in systems:
        values: Set[int] = set()
        rest = _without(key, system.config, values)
        if len(values) == 1:
            group = groups.setdefault(json.dumps(rest, sort_keys=True), [])
            group.append((values.pop(), System(system.name, rest)))
    swept = [
        sorted(group, key=lambda point: point[0])
        for group in groups.values()
        if len({value for value, _ in group}) > 1
    ]
    labels = _labels([group[0][1] for group in swept])
    lines = [[(value, system.name) for value, system in group] for group in swept]
    return {
        label or f"{points[0][1]} to {points[-1][1]}": points for label, points in zip(labels, lines)
    }


def _without(key: str, part: Any, values: Set[int]) -> Any:
    """
    Return a part of a config without this key of the S-LSTMs, and collect its values. A scheduler may
    have the key, too. Lists of objects become objects by index.
    """
    if isinstance(part, list) and any(isinstance(inner, dict) for inner in part):
        part = {str(number): inner for number, inner in enumerate(part)}
    if not isinstance(part, dict):
        return part
    if part.get("type") == "slstm":
        part = {**_DEFAULTS, **part}
        values.add(part.pop(key))
    return {name: _without(key, inner, values) for name, inner in part.items()}


def _labels(systems: Sequence[System]) -> List[str]:
    """Label lines by their differences, such as `window_size=2`; empty if single or not unique."""
    keys = sorted(varied_keys(systems)) if systems else []
    settings = map(settings_of, systems)
    labels = [", ".join(f"{key.rsplit('.', 1)[-1]}={of.get(key)}" for key in keys) for of in settings]
    return labels if len(set(labels)) == len(labels) else [""] * len(labels)
