"""The model card of a trained model, and the metrics of all epochs in one table."""

import csv
import json
import shlex
import sys
from importlib import metadata
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Dict, Iterator

import torch
from allennlp.common import Params
from allennlp.models import Model

from slstm_allennlp.common.training_keys import DATA_KEYS, SEED_KEYS
from slstm_allennlp.models.summary import encoder_names, model_name, num_weights
from slstm_allennlp.version import __version__

NAME = "model_card.md"
EPOCHS = "metrics_by_epoch.csv"
_PAPERS = {  # by the name of the encoder, as in CITATION.cff
    "slstm": "Zhang, Liu and Song: Sentence-State LSTM for Text Representation (ACL 2018)",
    "cas_lstm": "Choi, Kim and Lee: Cell-aware Stacked LSTMs for Modeling Sentences (ACML 2019)",
}


def write_model_card(folder: Path, model: Model, metrics: Dict[str, Any]) -> None:
    """
    Write `model_card.md` into the folder of a trained model, which contains config.json. The metrics are
    those that AllenNLP returns after training.
    """
    config = Params.from_file(str(folder / "config.json")).as_dict(quiet=True)
    lines = "\n".join(_lines(folder, config, model, metrics))
    (folder / NAME).write_text(lines + "\n", encoding="utf-8")


def write_metrics_by_epoch(folder: Path) -> None:
    """Write AllenNLP's `metrics_epoch_N.json` as one table, with a row for each epoch."""
    files = takewhile(Path.exists, (folder / f"metrics_epoch_{number}.json" for number in count()))
    epochs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    with (folder / EPOCHS).open("w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, list(dict.fromkeys(key for epoch in epochs for key in epoch)))
        writer.writeheader()
        writer.writerows(epochs)


def _lines(folder: Path, config: Dict[str, Any], model: Model, metrics: Dict[str, Any]) -> Iterator[str]:
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
    yield f"- command: `{shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])}`"
    yield "- to go on after an interruption: this command with `--recover`, without `--force`"
    yield f"- to use it: `slstm predict {shlex.quote(str(folder / 'model.tar.gz'))} FILE`"
    names = [name.split()[0] for name in encoder_names(model)]
    papers = "".join(f"; {paper}" for name, paper in _PAPERS.items() if name in names)
    yield f"- to cite it: slstm-allennlp {__version__}{papers}"
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
