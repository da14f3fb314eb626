"""Which of the compared systems differ in the S-LSTM's steps or window alone, as lines over these."""

import inspect
import json
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from slstm_allennlp.comparison.plan import System, flatten
from slstm_allennlp.modules import SentenceStateLSTM

AXES = {"num_steps": "recurrent steps", "window_size": "window size (words on each side)"}


class Sweep(NamedTuple):
    """
    # Parameters

    key : `str`
        Over which the lines go, `num_steps` or `window_size`.
    lines : `Dict[str, List[Tuple[int, str]]]`
        For each line the key's values, in order, with the systems that have them.
    others : `List[str]`
        Systems that are on no line.
    """

    key: str
    lines: Dict[str, List[Tuple[int, str]]]
    others: List[str]

    def line_of(self, system: str) -> str:
        """On which line it is, by that line's name; its own name if it is on none."""
        found = (label for label, points in self.lines.items() if system in [name for _, name in points])
        return next(found, system)


def find_sweep(systems: Sequence[System]) -> Optional[Sweep]:
    """
    The sweep over `num_steps` or, if the systems do not differ in it, `window_size`; None without one.
    Where an S-LSTM's config leaves one out, it has its default.
    """
    for key in AXES:
        sweep = _sweep_over(key, systems)
        if sweep.lines:
            return sweep
    return None


def _sweep_over(key: str, systems: Sequence[System]) -> Sweep:
    settings = {system.name: _with_defaults(system.config) for system in systems}
    values: Dict[str, int] = {}
    groups: Dict[str, List[str]] = {}  # systems that are equal but for the key
    for name, config in settings.items():
        found = {part for path, part in config.items() if path.rsplit(".", 1)[-1] == key}
        if len(found) != 1:
            continue
        values[name] = found.pop()
        rest = {path: part for path, part in config.items() if path.rsplit(".", 1)[-1] != key}
        groups.setdefault(json.dumps(rest, sort_keys=True), []).append(name)
    swept = [sorted(names, key=values.__getitem__) for names in groups.values() if len(names) > 1]
    labels = _labels([settings[names[0]] for names in swept], key)
    lines = {
        label or f"{names[0]} to {names[-1]}": [(values[name], name) for name in names]
        for label, names in zip(labels, swept)
    }
    on_lines = {name for names in swept for name in names}
    return Sweep(key, lines, [name for name in settings if name not in on_lines])


def _with_defaults(config: Dict[str, Any]) -> Dict[str, Any]:
    flat = flatten(config)
    for encoder in _slstms(config.get("model"), "model"):
        for key in AXES:
            flat.setdefault(
                f"{encoder}.{key}", inspect.signature(SentenceStateLSTM).parameters[key].default
            )
    return flat


def _slstms(config: Any, path: str) -> Iterator[str]:
    """Where the S-LSTMs are in a config."""
    if isinstance(config, dict):
        if config.get("type") == "slstm":
            yield path
        for key, part in config.items():
            yield from _slstms(part, f"{path}.{key}")


def _labels(configs: Sequence[Dict[str, Any]], key: str) -> List[str]:
    """What tells the lines apart, such as `window_size=2`; nothing for a single one."""
    keys = [
        path
        for path in sorted({path for config in configs for path in config})
        if path.rsplit(".", 1)[-1] != key
        and len({json.dumps(config.get(path)) for config in configs}) > 1
    ]
    labels = [
        ", ".join(f"{path.rsplit('.', 1)[-1]}={config.get(path)}" for path in keys) for config in configs
    ]
    return labels if len(set(labels)) == len(labels) else [""] * len(labels)
