"""Top-level keys of a config for `allennlp train`, and what is under them."""

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
