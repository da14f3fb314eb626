"""The model card of a trained model, with the head that the Hub reads, and the metrics of all epochs."""

import csv
import inspect
import json
import re
import shlex
import sys
from importlib import metadata
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Dict, Iterator, List

import torch
from allennlp.common import Params
from allennlp.models import Model

from slstm_allennlp.common.training_keys import DATA_KEYS, SEED_KEYS, validation_metrics
from slstm_allennlp.models.summary import encoder_names, model_name, namespace_of, num_weights
from slstm_allennlp.version import __version__

NAME = "model_card.md"
_LICENCES = {  # of requirements-vectors.txt
    "en_core_web_md": "MIT",
    "glove-6b-50d": "PDDL 1.0",
    "all-MiniLM-L6-v2": "Apache 2.0",
}
_TASKS = {"tags": "token-classification", "label": "text-classification"}  # by a model's arguments
EPOCHS = "metrics_by_epoch.csv"
_PAPERS = {  # by the name of the encoder, as in CITATION.cff
    "slstm": "Zhang, Liu and Song: Sentence-State LSTM for Text Representation (ACL 2018)",
    "cas_lstm": "Choi, Kim and Lee: Cell-aware Stacked LSTMs for Modeling Sentences (ACML 2019)",
}


def write_model_card(folder: Path, model: Model, metrics: Dict[str, Any], sizes: str = "") -> None:
    """
    Write `model_card.md` into the folder of a trained model. What it says about the config is that in
    config.json, if the folder has it. The metrics are those that AllenNLP returns after training,
    `sizes` says how large the data are.
    """
    file = folder / "config.json"  # not there after `TrainModel.from_params` in Python
    config = Params.from_file(str(file)).as_dict(quiet=True) if file.exists() else {}
    title = f"{model_name(model)}: {', '.join(encoder_names(model)) or 'no encoder'}"
    head = [f"{key}: {json.dumps(value)}" for key, value in _head(title, config, model, metrics).items()]
    lines = "\n".join(
        ["---", *head, "---", "", f"# {title}", "", *_lines(folder, config, model, metrics, sizes)]
    )
    (folder / NAME).write_text(lines + "\n", encoding="utf-8")


def remove_paths(files: Dict[str, bytes]) -> None:
    """Remove the paths and the command of a training, which were temporary, from the card."""
    starts = (
        b"- command:",
        b"- to go on",
        b"- to use it:",
        *(f"- {key}:".encode() for key in DATA_KEYS),
    )
    if NAME in files:
        card = re.sub(rb'("dataset": {"name": )"[^"]*"', rb'\1"given in Python"', files[NAME])
        lines = card.splitlines(keepends=True)
        files[NAME] = b"".join(line for line in lines if not line.startswith(starts))


def write_metrics_by_epoch(folder: Path) -> None:
    """Write AllenNLP's `metrics_epoch_N.json` as one table, with a row for each epoch."""
    files = takewhile(Path.exists, (folder / f"metrics_epoch_{number}.json" for number in count()))
    epochs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    with (folder / EPOCHS).open("w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, list(dict.fromkeys(key for epoch in epochs for key in epoch)))
        writer.writeheader()
        writer.writerows(epochs)


def _head(title: str, config: Dict[str, Any], model: Model, metrics: Dict[str, Any]) -> Dict[str, Any]:
    """Return what the Hub reads. JSON is YAML, too."""
    inputs = inspect.signature(model.forward).parameters
    task = next((name for key, name in _TASKS.items() if key in inputs), "other")
    part = "test" if any(name.startswith("test_") for name in metrics) else "validation"
    tracked = [name.lstrip("+-") for name in validation_metrics(config)]
    best = "test_" if part == "test" else "best_validation_"  # of the weights in the archive
    found = {
        name: metrics.get(f"{best}{name}", metrics.get(f"{part}_{name}"))
        for name in dict.fromkeys([*tracked, "accuracy"])
        if name != "loss"
    }
    result = {
        "task": {"type": task},
        "dataset": {
            "name": Path(str(config.get(f"{part}_data_path"))).name,
            "type": "other",
            "split": part,
        },
        "metrics": [
            {"type": "f1" if "f1" in name else name, "name": f"{part} {name}", "value": value}
            for name, value in found.items()
            if value is not None
        ],
    }
    return {
        "library_name": "allennlp",
        "license": "unknown",  # who publishes the model chooses it
        "tags": ["allennlp", "slstm-allennlp", *encoder_names(model)],
        **({} if task == "other" else {"pipeline_tag": task}),
        "model-index": [{"name": title, "results": [result] if result["metrics"] else []}],
    }


def _lines(
    folder: Path, config: Dict[str, Any], model: Model, metrics: Dict[str, Any], sizes: str
) -> Iterator[str]:
    weights = num_weights(model)
    yield f"- model: `{model_name(model)}`, {weights['all']:,} weights, {weights['trained']:,} trained"
    labels = _labels(model)
    if labels:
        yield f"- {len(labels):,} labels: {', '.join(f'`{label}`' for label in labels)}"
    for encoder in _encoders(config.get("model", {})):
        yield f"- encoder: `{json.dumps(encoder)}`"
    for key in DATA_KEYS:
        if config.get(key) is not None:
            yield f"- {key}: `{config[key]}`"
    if sizes:
        yield f"- size of the data: {sizes}"
    for name in dict.fromkeys(_pretrained(config.get("model"))):
        yield f"- pretrained: `{name}`, licence: {_LICENCES.get(name, 'that of its source')}"
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
        if name in ("epoch", "best_epoch") and value is not None:
            value += 1  # AllenNLP counts from 0
        yield f"| {name} | {value:.4f} |" if isinstance(value, float) else f"| {name} | {value} |"
    yield ""
    yield "## Limits"
    yield ""
    if not any(name.startswith("test_") for name in metrics):
        yield "- It was not tested. The validation score, which chose the best epoch, is too high."
    yield "- On texts of another kind, or in another language, than the training data it is worse."
    no_others = "predicts the labels above and no others, and " if _labels(model) else ""
    yield f"- It {no_others}was not checked for bias."
    yield ""
    yield "`slstm predict model.tar.gz FILE` uses it, with slstm-allennlp installed."


def _labels(model: Model) -> List[str]:
    namespace = namespace_of(model)
    if namespace not in model.vocab.get_namespaces():
        return []
    return sorted(model.vocab.get_token_to_index_vocabulary(namespace))


def _pretrained(value: Any, key: str = "") -> Iterator[str]:
    """Find the names of pretrained vectors and transformers."""
    if isinstance(value, str) and key in ("vectors", "pretrained_file", "model_name"):
        yield value
    for name, part in value.items() if isinstance(value, dict) else ():
        yield from _pretrained(part, name)


def _encoders(value: Any, key: str = "") -> Iterator[Dict[str, Any]]:
    """Find the configs under keys that end in `encoder`, except inside an embedder."""
    if isinstance(value, dict):
        if key.endswith("encoder") and "type" in value:
            yield value
            return
        for name, part in value.items():
            if "embedder" not in name:
                yield from _encoders(part, name)
