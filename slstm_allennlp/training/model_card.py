"""The model card of a trained model: architecture, training data and metrics."""

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, Iterator, List

import torch
from allennlp.common import Params
from allennlp.models import Model

from slstm_allennlp.models.summary import encoder_names, model_name, num_weights
from slstm_allennlp.version import __version__

NAME = "model_card.md"
_PATHS = ("train_data_path", "validation_data_path", "test_data_path")


def write_model_card(folder: Path, model: Model, metrics: Dict[str, Any]) -> None:
    """
    Write `model_card.md` into the folder of a trained model, which contains config.json.

    # Parameters

    folder : `Path`
    model : `Model`
    metrics : `Dict[str, Any]`
        The metrics that AllenNLP returns after training.
    """
    config = Params.from_file(str(folder / "config.json")).as_dict(quiet=True)
    lines = "\n".join(_lines(config, model, metrics))
    (folder / NAME).write_text(lines + "\n", encoding="utf-8")


def _lines(config: Dict[str, Any], model: Model, metrics: Dict[str, Any]) -> Iterator[str]:
    weights = num_weights(model)
    yield f"# {model_name(model)}: {', '.join(encoder_names(model)) or 'no encoder'}"
    yield ""
    yield f"- model: `{model_name(model)}`, {weights['all']:,} weights, {weights['trained']:,} trained"
    for encoder in _encoders(config.get("model", {})):
        yield f"- encoder: `{json.dumps(encoder)}`"
    for key in _PATHS:
        if config.get(key) is not None:
            yield f"- {key}: `{config[key]}`"
    yield f"- read by: `{json.dumps(config.get('dataset_reader'))}`"
    yield f"- seeds: {', '.join(f'{key} {config[key]}' for key in _seeds(config)) or 'the default ones'}"
    yield f"- command: `{' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}`"
    yield f"- versions: {', '.join(_versions())}"
    yield ""
    yield "| metric | value |"
    yield "|---|---|"
    for name, value in metrics.items():
        yield f"| {name} | {value:.4f} |" if isinstance(value, float) else f"| {name} | {value} |"


def _encoders(value: Any, key: str = "") -> Iterator[Dict[str, Any]]:
    """Find the configs under keys that end in `encoder`, except inside an embedder."""
    if isinstance(value, dict):
        if key.endswith("encoder") and "type" in value:
            yield value
            return
        for name, part in value.items():
            if "embedder" not in name:
                yield from _encoders(part, name)


def _seeds(config: Dict[str, Any]) -> List[str]:
    return [key for key in ("random_seed", "numpy_seed", "pytorch_seed") if key in config]


def _versions() -> Iterator[str]:
    yield f"slstm-allennlp {__version__}"
    yield f"AllenNLP {metadata.version('allennlp')}"
    yield f"PyTorch {torch.__version__}"
    yield f"Python {sys.version.split()[0]}"
