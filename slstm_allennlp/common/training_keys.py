"""Keys of a config for `allennlp train`, and what is under them."""

import json
from typing import Any, Dict, List

DATA_KEYS = ("train_data_path", "validation_data_path", "test_data_path")
SEED_KEYS = ("random_seed", "numpy_seed", "pytorch_seed")


def section(config: Dict[str, Any], key: str) -> Dict[str, Any]:
    """Return the object under a key, or an empty one for no value or a name alone, such as `"no_op"`."""
    part = config.get(key)
    return part if isinstance(part, dict) else {}


def validation_metrics(config: Dict[str, Any]) -> List[str]:
    """Return the trainer's metrics that select the best epoch, such as `+accuracy`."""
    metrics = section(config, "trainer").get("validation_metric") or "-loss"
    return [metrics] if isinstance(metrics, str) else list(metrics)


def is_fitted(config: Dict[str, Any]) -> bool:
    """Return whether the trainer is `fit`, which fits a model in one step, such as a linear model."""
    return "fit" in (config.get("trainer"), section(config, "trainer").get("type"))


def flatten(config: Dict[str, Any]) -> Dict[str, Any]:
    """Flatten a config to dotted keys. Lists and objects without keys stay values."""
    flat: Dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict) and value:
            flat.update({f"{key}.{inner}": part for inner, part in flatten(value).items()})
        else:
            flat[key] = value
    return flat


def differences(a: Dict[str, Any], b: Dict[str, Any]) -> Dict[str, List[str]]:
    """Return the dotted keys in which two configs differ, each with both values, as JSON."""
    a, b, missing = flatten(a), flatten(b), object()

    def differ(x: Any, y: Any) -> bool:
        return x != y or isinstance(x, bool) != isinstance(y, bool)  # in Python, True is 1

    return {
        key: [json.dumps(of[key], ensure_ascii=False) if key in of else "absent" for of in (a, b)]
        for key in {**a, **b}
        if differ(a.get(key, missing), b.get(key, missing))
    }
