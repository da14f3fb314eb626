"""
Measures whole jobs: seconds a batch of `allennlp train` and sentences a second of `allennlp predict`,
for a config as it is and with other encoders or settings, in turn.

    python benchmarks/jobs.py CONFIG TRAIN --sentences FILE [--system NAME=JSON ...] [--batches 60]

TRAIN is training data for the config's reader, FILE has inputs for `allennlp predict`, a JSON object a
line. A system is a name and overrides of the config; one whose name ends in "without kernels" runs with
SLSTM_ALLENNLP_KERNELS=0, as before there were any. Prints a table and writes it as JSON.

    python benchmarks/jobs.py --predict ARCHIVE FILE [--bare]

prints the sentences a second of an archive; `--bare` puts the bare products of all equations into the
S-LSTM's place, which shows what a faster S-LSTM could gain. The answers are zeros then.
"""

import argparse
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Tuple

import torch
from allennlp.predictors import Predictor
from run import sizes_of_products
from torch import Tensor

from slstm_allennlp.comparison.results import epoch_seconds
from slstm_allennlp.compatibility.predict import AHEAD
from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.products import packed, product

HERE = pathlib.Path(__file__).parent
WARM_UP = 20  # sentences that are predicted before the clock starts


def python(*arguments: str, kernels: bool) -> str:
    """What a Python of its own prints, with kernels or without."""
    environment = {**os.environ, "SLSTM_ALLENNLP_KERNELS": str(int(kernels))}
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def training(folder: pathlib.Path, config: str, settings: Dict[str, Any], kernels: bool) -> float:
    """The seconds of one epoch of training, without reading, indexing and evaluation."""
    overrides = {**settings, "validation_data_path": None, "test_data_path": None}
    overrides.update({"evaluate_on_test": False, "trainer.num_epochs": 1})
    train = ["-m", "allennlp", "train", config, "-s", str(folder), "-o", json.dumps(overrides)]
    python(*train, "--include-package", "slstm_allennlp", kernels=kernels)
    duration = json.loads((folder / "metrics.json").read_text())["training_duration"]
    return epoch_seconds([duration], [])[0]


@functools.cache
def weight(m: int, n: int) -> Tensor:
    return packed(torch.randn(m, n), rows=64, keep=True)


def bare_products(
    module: SentenceStateLSTM, inputs: Tensor, mask: Tensor, **_: Any
) -> Tuple[Tensor, Tensor]:
    """In the place of `forward`: the products of all equations, and zeros."""
    h, sentences = module.hidden_size, len(mask)
    words = int(mask.sum()) + 2 * sentences
    for rows, n, m, times in sizes_of_products(
        words, sentences, module.input_size, h, module.settings.num_steps
    ):
        x = torch.randn(rows, n)
        for _ in range(times):
            product(x, weight(m, n))
    return inputs.new_zeros(*mask.shape, h), inputs.new_zeros(sentences, h)


def sentences_a_second(archive: str, path: str, bare: str = "") -> float:
    """As `allennlp predict` without `--batch-size` has it, without its start."""
    predictor = Predictor.from_path(archive)
    if bare == "--bare":
        SentenceStateLSTM.forward = bare_products  # type: ignore[method-assign]
    inputs = [predictor.load_line(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]
    for sentence in inputs[:WARM_UP]:
        predictor.predict_json(sentence)
    start = time.perf_counter()
    for first in range(WARM_UP, len(inputs), AHEAD):
        predictor.predict_batch_json(inputs[first : first + AHEAD])
    return (len(inputs) - WARM_UP) / (time.perf_counter() - start)


def named(text: str) -> Tuple[str, Dict[str, Any]]:
    name, equals, settings = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=JSON")
    return name, json.loads(settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("config")
    parser.add_argument("train")
    parser.add_argument("--sentences", type=pathlib.Path, required=True)
    parser.add_argument("--system", type=named, action="append", metavar="NAME=JSON")
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    arguments = parser.parse_args()
    lines = len(arguments.sentences.read_text(encoding="utf-8").splitlines())
    if lines <= 2 * WARM_UP:
        sys.exit(f"{arguments.sentences} has {lines} lines, expected more than {2 * WARM_UP}")
    base = {"train_data_path": arguments.train, "data_loader.batches_per_epoch": arguments.batches}
    rows: Dict[str, Dict[str, List[float]]] = {}
    for _ in range(arguments.repeats):
        for name, settings in arguments.system or [("as it is", {})]:
            row = rows.setdefault(name, {"seconds a batch": [], "sentences a second": []})
            kernels = not name.endswith("without kernels")
            with tempfile.TemporaryDirectory() as parent:
                folder = pathlib.Path(parent) / "run"
                seconds = training(folder, arguments.config, {**base, **settings}, kernels)
                row["seconds a batch"].append(seconds / arguments.batches)
                predict = [__file__, "--predict", str(folder / "model.tar.gz"), str(arguments.sentences)]
                row["sentences a second"].append(float(python(*predict, kernels=kernels)))
    print("| | seconds a batch | sentences a second |\n|---|---|---|")
    for name, row in rows.items():
        cells = (f"{statistics.median(v):.3g} ({min(v):.3g}-{max(v):.3g})" for v in row.values())
        print(f"| {name} | " + " | ".join(cells) + " |")
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"jobs-{pathlib.Path(arguments.config).stem}.json"
    path.write_text(json.dumps({"batches": arguments.batches, "rows": rows}, indent=2))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--predict"]:  # in a process of its own, by `main`
        print(sentences_a_second(*sys.argv[2:]))
    else:
        main()
