"""The plan of a comparison: systems, seeds, and the config of each run."""

import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import with_overrides

from slstm_allennlp.common.training_keys import (
    SEED_KEYS,
    differences,
    flatten,
    is_fitted,
    section,
    validation_metrics,
)
from slstm_allennlp.comparison.linear import stand_in
from slstm_allennlp.training.own_data import with_data
from slstm_cli.bundled import is_bundled, whole_config

_KEYS_OF_RUN = (*SEED_KEYS, "evaluate_on_test")
DEFAULT_SEEDS = (13, 14, 15, 16, 17)
_VALID_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.,=+-]{0,199}")
_INVALID_IN_NAME = re.compile(r"[^A-Za-z0-9_.,=+-]+")
# The keys of a comparison file and of its systems. `Plan` checks the baseline.
_FILE_KEYS: Dict[str, type] = {
    "systems": dict,
    "seeds": list,
    "overrides": dict,
    "baseline": object,
    "metric": str,
    "linear": bool,
}
_SYSTEM_KEYS: Dict[str, type] = {"config": str, "overrides": dict}
_NUM_EPOCHS = 20  # AllenNLP's default
_TYPE_NAMES: Dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
}

Config = Dict[str, Any]


class Metric(NamedTuple):
    """A metric's name in AllenNLP's files, and whether higher is better."""

    name: str
    higher_is_better: bool = True

    @classmethod
    def parse(cls, text: str) -> "Metric":
        """Parse a string such as `"+accuracy"`. A loss without a sign could be mistaken for a score."""
        if text[:1] not in ("+", "-"):
            raise ConfigurationError(
                f"compare: the metric is {text!r}, expected +{text} where more of it is better, or "
                f"-{text} (on the command line, --metric=-{text})"
            )
        return cls(text.lstrip("+-"), not text.startswith("-"))

    def __str__(self) -> str:
        return f"{'+' if self.higher_is_better else '-'}{self.name}"


class System(NamedTuple):
    """One of the compared systems: a name and a config without seeds."""

    name: str
    config: Config


class Run(NamedTuple):
    """A system with one seed, and the config that AllenNLP trains from."""

    system: str
    seed: int
    config: Config

    @property
    def name(self) -> str:
        return f"{self.system}-{self.seed}"

    @property
    def num_epochs(self) -> int:
        if is_fitted(self.config):
            return 1
        return int(section(self.config, "trainer").get("num_epochs", _NUM_EPOCHS))


@dataclass(frozen=True)
class Plan:
    """
    The systems, the seeds, the name of the baseline system, and the metric; `ConfigurationError` if they
    do not fit together.
    """

    systems: List[System]
    seeds: List[int]
    baseline: str
    metric: Metric

    def __post_init__(self) -> None:
        names = [system.name for system in self.systems]
        for name in names:
            if not _VALID_NAME.fullmatch(name):
                raise ConfigurationError(
                    f"compare: a system's name is {name!r}, expected letters, digits and any of "
                    "_.,=+-, 200 at most, a letter or a digit first (it names a folder; --names and "
                    "--variant give it)"
                )
        # Some file systems ignore case.
        hint = ", whatever their case (--names gives others)"
        _expect_unique("the name", [name.lower() for name in names], hint)
        _expect_unique("the seed", self.seeds)
        for seed in self.seeds:
            if type(seed) is not int or not 0 <= seed < 2**32:
                raise ConfigurationError(
                    f"compare: a seed is {seed!r}, expected a whole number from 0 to 2³² - 1, as NumPy's"
                )
        if not self.seeds:
            raise ConfigurationError("compare: there are no seeds, expected one or more")
        if self.baseline not in names:
            raise ConfigurationError(
                f"compare: the baseline is {self.baseline!r}, expected one of {', '.join(names)}"
            )
        for system in self.systems:
            if system.config.get("test_data_path") is None:
                raise ConfigurationError(
                    f"compare: the config of {system.name} has no test_data_path, expected one, by "
                    """--test beside --data, or by --overrides '{"test_data_path": "test.txt"}'"""
                )

    def runs(self) -> List[Run]:
        """Return the runs, ordered by seed, so that an early report already covers all systems."""
        runs = []
        for seed in self.seeds:
            # The worker evaluates the archive's model on the test set itself, to keep the predictions.
            own = {**dict.fromkeys(SEED_KEYS, seed), "evaluate_on_test": False}
            runs += [Run(system.name, seed, {**system.config, **own}) for system in self.systems]
        return runs


def _expect_unique(what: str, values: Sequence[Any], hint: str = "") -> None:
    for value in values:
        if values.count(value) > 1:
            raise ConfigurationError(
                f"compare: {what} {value} is given twice, expected different ones{hint}"
            )


def plan_from_options(
    configs: Sequence[str],
    *,
    names: Optional[Sequence[str]] = None,
    variants: Optional[Mapping[str, Config]] = None,
    sweep: Optional[Mapping[str, Sequence[Any]]] = None,
    overrides: Optional[Config] = None,
    seeds: Optional[Sequence[int]] = None,
    baseline: Optional[str] = None,
    metric: Optional[str] = None,
    linear: bool = False,
    own_data: Optional[Mapping[str, Any]] = None,
) -> Plan:
    """
    Make the plan from the options of the `compare` command, whose help explains each of them. Instead of
    configs, one comparison file can be given, with the keys `_FILE_KEYS`. Options override the file. The
    option `overrides` is applied before a variant's overrides, and after those of a comparison file.
    `own_data` has arguments of `with_data`, which puts a user's files into each config.
    """
    given = load_jsonnet(configs[0])
    if not {"systems", "model"} & set(given):
        raise ConfigurationError(
            f"{configs[0]} has the keys {', '.join(given) or 'none'}, expected systems, as in a "
            "comparison file, or model, as in a config"
        )
    if "systems" in given:
        if len(configs) > 1 or names or variants or sweep or own_data:
            raise ConfigurationError(
                f"{configs[0]} is a comparison file, expected no other configs, --names, --variant, "
                "--sweep or --data beside it"
            )
        _expect_keys(configs[0], given, _FILE_KEYS)
        systems = _systems_of_file(configs[0], given, overrides or {})
        seeds = seeds or given.get("seeds")
        baseline = baseline or given.get("baseline")
        metric = metric or given.get("metric")
        linear |= given.get("linear", False)
    else:
        systems = _systems_of_configs(
            configs, names, variants or {}, sweep or {}, overrides or {}, own_data
        )
    baseline = baseline or systems[0].name
    chosen = Metric.parse(metric) if metric else _common_metric(systems)
    if linear:
        # Modelled on the baseline, or on the first system if the linear model is the baseline.
        model = next((system for system in systems if system.name == baseline), systems[0])
        systems.append(System("linear", stand_in(model.name, model.config, str(chosen))))
    return Plan(systems, list(DEFAULT_SEEDS if seeds is None else seeds), baseline, chosen)


def load_jsonnet(path: str) -> Config:
    """Read the object in a Jsonnet or JSON file, with AllenNLP's `Params`, or a bundled config."""
    if is_bundled(path):
        return whole_config(path)
    try:
        config = Params.from_file(path).params
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigurationError(f"{path}: {error}; expected a Jsonnet or JSON config") from None
    _expect(f"{path}: the content", config, dict)
    return config


def _systems_of_file(path: str, given: Config, overrides: Config) -> List[System]:
    if not given["systems"]:
        raise ConfigurationError(f"{path}: systems is empty, expected names with a config each")
    systems = []
    for name, system in given["systems"].items():
        if not isinstance(system, dict) or "config" not in system:
            raise ConfigurationError(
                f"{path}: the system {name} has no config, expected the path of one under that key"
            )
        _expect_keys(f"{path}: the system {name}", system, _SYSTEM_KEYS)
        config = load_jsonnet(system["config"])
        for part in (given.get("overrides", {}), system.get("overrides", {}), overrides):
            config = _override(name, config, part)
        systems.append(System(name, config))
    return systems


def _expect(where: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise ConfigurationError(f"{where}: it is {json.dumps(value)}, expected {_TYPE_NAMES[kind]}")


def _expect_keys(where: str, given: Config, known: Mapping[str, type]) -> None:
    for key, value in given.items():
        if key not in known:
            raise ConfigurationError(
                f"{where}: there is a key {key}, expected any of {', '.join(known)}"
            )
        _expect(f"{where}: {key}", value, known[key])


def _systems_of_configs(
    paths: Sequence[str],
    names: Optional[Sequence[str]],
    variants: Mapping[str, Config],
    sweep: Mapping[str, Sequence[Any]],
    overrides: Config,
    own_data: Optional[Mapping[str, Any]],
) -> List[System]:
    if names and len(names) != len(paths):
        raise ConfigurationError(
            f"compare: --names has {', '.join(names)} for {len(paths)} configs, expected one for each"
        )
    for key, values in sweep.items():
        if not isinstance(values, list) or not values or any(values.count(one) > 1 for one in values):
            raise ConfigurationError(
                f"compare: --sweep has {key}: {values!r}, expected a list of different values"
            )
    points = [dict(zip(sweep, values)) for values in itertools.product(*sweep.values())]
    systems = []
    for path, name in zip(paths, names or [Path(path).stem for path in paths]):
        base = _with_own_data(name, load_jsonnet(path), overrides, own_data)
        for (variant, of_variant), point in itertools.product((variants or {"": {}}).items(), points):
            # The name of a single config would be the same in all system names.
            parts = [name] if len(paths) > 1 or not (variants or sweep) else []
            parts += [variant] if variants else []
            parts += [f"{key.split('.')[-1]}={_name_part(value)}" for key, value in point.items()]
            system = ",".join(parts)
            config = _override(system, _override(system, base, of_variant), point)
            systems.append(System(system, config))
    return systems


def _with_own_data(
    name: str, config: Config, overrides: Config, own_data: Optional[Mapping[str, Any]]
) -> Config:
    """Return the config with overrides and, if any are given, with the user's own data."""
    if own_data is None:
        return _override(name, config, overrides)
    _expect_no_seeds(name, overrides)
    try:
        return with_data(config, **own_data, overrides=overrides)
    except ConfigurationError as error:
        raise type(error)(f"compare: {name}: {error}") from error


def _name_part(value: Any) -> str:
    """Format a sweep's value as a part of a system's name; an object by its keys and values."""
    if isinstance(value, dict):
        return "+".join(f"{key}={_name_part(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "+".join(map(_name_part, value))
    return _INVALID_IN_NAME.sub("-", str(value))


def _override(name: str, config: Config, overrides: Config) -> Config:
    _expect_no_seeds(name, overrides)
    try:
        return with_overrides(config, overrides)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"compare: the overrides {json.dumps(overrides)} do not fit the config of {name}: {error}"
        ) from None


def _expect_no_seeds(name: str, overrides: Config) -> None:
    for key in SEED_KEYS:
        if key in overrides:
            raise ConfigurationError(
                f"compare: {key} is given for {name}, and each run has its own, expected --seeds, or "
                "seeds in the comparison file"
            )


def _common_metric(systems: Sequence[System]) -> Metric:
    metrics: Dict[Metric, str] = {}
    for system in systems:
        metrics.setdefault(Metric.parse(validation_metrics(system.config)[0]), system.name)
    if len(metrics) > 1:
        each = ", ".join(f"{metric} in {name}" for metric, name in metrics.items())
        raise ConfigurationError(
            f"compare: the configs differ in trainer.validation_metric ({each}), expected the same or "
            "one by --metric"
        )
    return next(iter(metrics))


def settings_of(system: System) -> Dict[str, Any]:
    """Return the flattened config, without the keys that the comparison sets."""
    return {key: value for key, value in flatten(system.config).items() if key not in _KEYS_OF_RUN}


def varied_keys(systems: Sequence[System]) -> List[str]:
    """Return the dotted keys in which any of the systems differ."""
    first, *others = map(settings_of, systems)
    return list(dict.fromkeys(key for other in others for key in differences(first, other)))


def common_settings(systems: Sequence[System]) -> Dict[str, Any]:
    """Return the dotted keys that have the same value in all systems, with that value."""
    varied = varied_keys(systems)
    return {key: value for key, value in settings_of(systems[0]).items() if key not in varied}
