"""Find systems that differ only in the S-LSTM's steps or window size, and group them into lines."""

import inspect
import json
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from slstm_allennlp.comparison.plan import Config, System, flatten
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
        sweep = _sweep_over(key, systems)
        if sweep.lines:
            return sweep
    return None


def _sweep_over(key: str, systems: Sequence[System]) -> Sweep:
    values: Dict[str, int] = {}
    groups: Dict[str, List[str]] = {}  # systems by the rest of their config
    for system in systems:
        config = flatten(_with_defaults(system.config))
        # Not, for example, a scheduler's.
        of_slstms = {
            path.removesuffix("type") + key
            for path, part in config.items()
            if path.endswith(".type") and part == "slstm"
        }
        found = {config[path] for path in of_slstms}
        if len(found) != 1:
            continue
        values[system.name] = found.pop()
        rest = {path: part for path, part in config.items() if path not in of_slstms}
        groups.setdefault(json.dumps(rest, sort_keys=True), []).append(system.name)
    swept = {
        rest: sorted(names, key=values.__getitem__) for rest, names in groups.items() if len(names) > 1
    }
    labels = _labels([json.loads(rest) for rest in swept])
    lines = {
        label or f"{names[0]} to {names[-1]}": [(values[name], name) for name in names]
        for label, names in zip(labels, swept.values())
    }
    on_lines = {name for names in swept.values() for name in names}
    return Sweep(key, lines, [system.name for system in systems if system.name not in on_lines])


def _with_defaults(part: Any) -> Any:
    """Add the S-LSTM settings that are left out. Turn lists with an S-LSTM into dicts by index."""
    if isinstance(part, list) and _has_slstm(part):
        part = {str(number): inner for number, inner in enumerate(part)}
    if not isinstance(part, dict):
        return part
    defaults = _DEFAULTS if _is_slstm(part) else {}
    return {key: _with_defaults(inner) for key, inner in {**defaults, **part}.items()}


def _has_slstm(part: Any) -> bool:
    if isinstance(part, dict):
        return _is_slstm(part) or any(map(_has_slstm, part.values()))
    return isinstance(part, list) and any(map(_has_slstm, part))


def _is_slstm(part: Config) -> bool:
    return part.get("type") == "slstm"


def _labels(configs: Sequence[Config]) -> List[str]:
    """Label lines by their differences, such as `window_size=2`; empty if single or not unique."""
    keys = [
        path
        for path in sorted({path for config in configs for path in config})
        if len({json.dumps(config.get(path)) for config in configs}) > 1
    ]
    labels = [
        ", ".join(f"{path.rsplit('.', 1)[-1]}={config.get(path)}" for path in keys) for config in configs
    ]
    return labels if len(set(labels)) == len(labels) else [""] * len(labels)
