"""
Write down what users of the package have, so that two versions of the code can be compared:

    python tools/freeze.py archives FOLDER           # train small archives, with the version before
    python tools/freeze.py record FOLDER > now.json  # with each version; compare the files by diff

The record has every registered name with its class's parameters; every config, evaluated, with the
names and shapes of its model's weights; outputs and gradients of seeded encoders, for every preset,
window and number of sentence nodes; the metrics of one seeded epoch; and the predictions of the archives
in FOLDER. Use one thread: OMP_NUM_THREADS=1. Configs over pretrained vectors need `make vectors`.
"""

import hashlib
import inspect
import itertools
import json
import logging
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.from_params import infer_params
from allennlp.common.registrable import Registrable
from allennlp.common.util import import_module_and_submodules
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.predictors import Predictor

from slstm_allennlp.modules import (
    CellAwareStackedLSTM,
    CoupledLSTM,
    PaddedLSTM,
    SentenceStateLSTM,
    StackedCNN,
)

CONFIGS = sorted(Path("training_config").glob("*.jsonnet"))
EPOCHS = ("pos_slstm", "mr_slstm", "snli_cas_lstm")
ARCHIVES: Dict[str, Tuple[str, Dict[str, Any]]] = {
    "pos_slstm": ("fixtures/pos/raw.jsonl", {"trainer.num_epochs": 2}),
    "ner_slstm": ("fixtures/ner/raw.jsonl", {"trainer.num_epochs": 1}),
    "mr_slstm": ("fixtures/mr/raw.jsonl", {"trainer.num_epochs": 1}),
    "mr_coupled_lstm": ("fixtures/mr/raw.jsonl", {"trainer.num_epochs": 1}),
    "snli_cas_lstm": ("fixtures/snli/raw.jsonl", {"trainer.num_epochs": 1}),
    "snli_linear": ("fixtures/snli/raw.jsonl", {}),
    "mtl_linear": ("fixtures/mr/raw.jsonl", {}),
    "pos_linear": ("fixtures/pos/raw.jsonl", {}),
    "reviews_slstm": ("fixtures/mr/raw.jsonl", {"trainer.num_epochs": 1}),
    "tags_bilstm": ("fixtures/pos/raw.jsonl", {"trainer.num_epochs": 1}),
}


def names() -> Dict[str, Dict[str, Any]]:
    """Return the registered names of each base class, with the parameters of the package's classes."""
    found: Dict[str, Dict[str, Any]] = {}
    for base, registered in Registrable._registry.items():
        of_base = found.setdefault(base.__name__, {})
        for name, (cls, constructor) in registered.items():
            if cls.__module__.startswith("slstm_allennlp"):
                function = getattr(cls, constructor) if constructor else None
                parameters = infer_params(cls, function)
                of_base[name] = {
                    key: _parameter(one) for key, one in parameters.items() if key != "self"
                }
            else:
                of_base[name] = "AllenNLP's"
    return {base: dict(sorted(of_base.items())) for base, of_base in sorted(found.items())}


def _parameter(parameter: inspect.Parameter) -> str:
    text = f"{parameter.annotation} = {parameter.default}"
    return re.sub(r"[\w.]+\.(\w+)", r"\1", re.sub(r" at 0x\w+", "", text))


def configs() -> Dict[str, Any]:
    """Return each config as AllenNLP reads it, and the names and shapes of its model's weights."""
    return {path.stem: _config(path) for path in CONFIGS}


def _config(path: Path) -> Dict[str, Any]:
    print(path, file=sys.stderr)
    params = Params.from_file(str(path))
    found = {"config": params.as_dict(quiet=True)}
    try:
        reader = DatasetReader.from_params(params.duplicate()["dataset_reader"])
        instances = list(itertools.islice(reader.read(params["train_data_path"]), 50))
        vocab = Vocabulary.from_params(params.duplicate().pop("vocabulary", {}), instances=instances)
        torch.manual_seed(13)
        model = Model.from_params(params.duplicate()["model"], vocab=vocab)
        found["weights"] = {
            name: list(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
            for name, value in model.state_dict().items()
        }
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
    return found


def encoders() -> Dict[str, Any]:
    """Return digests of the outputs and gradients of seeded encoders, in single and double precision."""
    return {
        f"{name} {dtype}": _digest(make, dtype)
        for dtype in (torch.float32, torch.float64)
        for name, make in _encoders()
    }


def _encoders() -> Iterator[Tuple[str, Any]]:
    choices = itertools.product(
        ("paper", "released", "fastnlp", "balanced"), (1, 2, 3), (0, 1, 2, 3), (False, True)
    )
    for transition, window, nodes, norm in choices:
        settings = {
            "transition": transition,
            "window_size": window,
            "num_sentence_nodes": nodes,
            "layer_norm": norm,
        }
        yield (
            f"slstm {transition} {window} {nodes} {norm}",
            lambda s=settings: SentenceStateLSTM(12, 12, num_steps=4, **s),
        )
    for fusion in (0.5, "trainable", "sum", "peephole"):
        yield (
            f"cas_lstm {fusion}",
            lambda f=fusion: CellAwareStackedLSTM(12, 8, num_layers=3, fusion=f, bidirectional=True),
        )
    yield "padded_lstm", lambda: PaddedLSTM(12, 8, num_layers=2, bidirectional=True)
    yield "coupled_lstm", lambda: CoupledLSTM(12, 8)
    yield "stacked_cnn", lambda: StackedCNN(12, 8, num_layers=2)


def _digest(make: Any, dtype: torch.dtype) -> Dict[str, Any]:
    torch.manual_seed(7)
    module = make().to(dtype)
    inputs = torch.randn(4, 9, 12, dtype=dtype, requires_grad=True)
    mask = torch.arange(9) < torch.tensor([9, 1, 5, 8]).unsqueeze(1)
    outputs = module(inputs, mask)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    torch.manual_seed(8)
    sum((output * torch.randn_like(output)).sum() for output in outputs).backward()
    parts = {f"output {number}": output for number, output in enumerate(outputs)}
    parts["inputs"] = inputs.grad
    parts.update(
        {name: weight.grad for name, weight in module.named_parameters() if weight.grad is not None}
    )
    return {
        name: [list(part.shape), float(part.double().norm()), _sha(part)] for name, part in parts.items()
    }


def _sha(part: torch.Tensor) -> str:
    return hashlib.sha256(part.detach().contiguous().numpy().tobytes()).hexdigest()[:16]


def epochs() -> Dict[str, Any]:
    """Return the metrics of one seeded epoch of some configs."""
    found = {}
    for name in EPOCHS:
        with tempfile.TemporaryDirectory() as folder:
            _train(name, {"trainer.num_epochs": 1}, Path(folder, name))
            found[name] = json.loads(Path(folder, name, "metrics.json").read_text())
            found[name] = {key: value for key, value in found[name].items() if not _is_measured(key)}
    return found


def _is_measured(key: str) -> bool:
    return "duration" in key or "memory" in key


def _train(name: str, overrides: Dict[str, Any], folder: Path) -> None:
    print("training", name, file=sys.stderr)
    params = Params.from_file(f"training_config/{name}.jsonnet", json.dumps(overrides))
    train_model(params, str(folder))


def archives(folder: Path) -> None:
    """Train an archive for each config in `ARCHIVES`."""
    for name, (_, overrides) in ARCHIVES.items():
        _train(name, overrides, folder / name)


def predictions(folder: Path) -> Dict[str, Any]:
    """Return the predictions of the archives for the sample inputs and some sentences."""
    found = {}
    for name, (inputs, _) in ARCHIVES.items():
        print("predicting", name, file=sys.stderr)
        predictor = Predictor.from_path(str(folder / name / "model.tar.gz"))
        lines = Path(inputs).read_text(encoding="utf-8").splitlines()
        config = Params.from_file(f"training_config/{name}.jsonnet")
        instances = itertools.islice(predictor._dataset_reader.read(config["train_data_path"]), 20)
        found[name] = {
            "lines": [predictor.predict_json(predictor.load_line(line)) for line in lines],
            "instances": [predictor.predict_instance(instance) for instance in instances],
        }
    return found


def record(folder: Path) -> None:
    """Print the record."""
    parts = {
        "names": names(),
        "configs": configs(),
        "encoders": encoders(),
        "epochs": epochs(),
        "predictions": predictions(folder),
    }
    json.dump(parts, sys.stdout, indent=1, sort_keys=True, default=str)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    for package in ("allennlp_models", "slstm_allennlp"):
        import_module_and_submodules(package)
    {"archives": archives, "record": record}[sys.argv[1]](Path(sys.argv[2]))
