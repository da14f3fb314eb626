"""The model card of a trained model: architecture, training data and metrics."""

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, Iterator

import torch
from allennlp.common import Params
from allennlp.models import Model

from slstm_allennlp.common.training_keys import DATA_KEYS, SEED_KEYS
from slstm_allennlp.models.summary import encoder_names, model_name, num_weights
from slstm_allennlp.version import __version__

NAME = "model_card.md"


def write_model_card(folder: Path, model: Model, metrics: Dict[str, Any]) -> None:
    """
    Write `model_card.md` into the folder of a trained model, which contains config.json. The metrics are
    those that AllenNLP returns after training.
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
    for key in DATA_KEYS:
        if config.get(key) is not None:
            yield f"- {key}: `{config[key]}`"
    yield f"- read by: `{json.dumps(config.get('dataset_reader'))}`"
    seeds = [f"{key} {config[key]}" for key in SEED_KEYS if key in config]
    yield f"- seeds: {', '.join(seeds) or 'the default ones'}"
    yield f"- command: `{' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}`"
    yield (
        f"- versions: slstm-allennlp {__version__}, AllenNLP {metadata.version('allennlp')}, "
        f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}"
    )
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
