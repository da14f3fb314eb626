"""
Measure whole jobs: seconds per batch of `allennlp train` and sentences per second of `allennlp predict`,
for one or more variants of a config, which take turns.

    python benchmarks/jobs.py CONFIG TRAIN --sentences FILE [--system NAME=JSON ...] [--batches 60]

TRAIN is training data for the config's reader. FILE has inputs for `allennlp predict`, one JSON object
per line. A system is a name and overrides of the config. The end of its name may change how it runs:

- "without kernels": with SLSTM_ALLENNLP_KERNELS=0, so with PyTorch's own operations;
- "bare products": the S-LSTM is replaced by the matrix products of its equations, forward and backward.
  This is a lower bound of the time of any S-LSTM. All states are zero.

The script prints a table and writes it as JSON.

    python benchmarks/jobs.py --predict ARCHIVE FILE [--bare]

prints the sentences per second of an archive.
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
from allennlp.commands import main as allennlp
from allennlp.predictors import Predictor
from run import sizes_of_products
from torch import Tensor

from slstm_allennlp.comparison.results import epoch_seconds
from slstm_allennlp.console.predict import AHEAD
from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.products import packed, product, product_over_rows

HERE = pathlib.Path(__file__).parent
WARM_UP = 20  # sentences, before the measurement
MAX_ROWS = 20_000  # of a product: the words of a batch, times the steps


def python(*arguments: str, kernels: bool = True, **environment: str) -> str:
    """
    Run a new Python process, with or without compiled kernels and with more variables in its
    environment, and return its output.
    """
    environment = {**os.environ, "SLSTM_ALLENNLP_KERNELS": str(int(kernels)), **environment}
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def training(
    folder: pathlib.Path,
    config: str,
    settings: Dict[str, Any],
    name: str,
    epochs: int = 1,
    **environment: str,
) -> List[float]:
    """Return the seconds of each training epoch, without reading, indexing and evaluation."""
    overrides = {**settings, "validation_data_path": None, "test_data_path": None}
    overrides.update({"evaluate_on_test": False, "trainer.num_epochs": epochs})
    train = [__file__, "--allennlp", *flags(name), "train", config, "-s", str(folder)]
    train += ["-o", json.dumps(overrides), "--include-package", "slstm_allennlp"]
    python(*train, kernels=has_kernels(name), **environment)
    files = [folder / f"metrics_epoch_{epoch}.json" for epoch in range(epochs)]
    return epoch_seconds([json.loads(file.read_text())["training_duration"] for file in files], [])


def has_kernels(name: str) -> bool:
    return not name.endswith("without kernels")


def flags(name: str) -> List[str]:
    return ["--bare"] if name.endswith("bare products") else []


@functools.cache
def weight(m: int, n: int) -> Tensor:
    return packed(torch.randn(m, n), rows=64)


@functools.cache
def random_rows(n: int) -> Tensor:
    return torch.randn(MAX_ROWS, n)


class BareProducts(torch.autograd.Function):
    """
    Compute the products of all equations, forward and backward, on random numbers. Return zeros. All
    gradients are zero tensors, so that an optimizer has the same work as with the S-LSTM.
    """

    @staticmethod
    def forward(ctx: Any, sizes: List[Tuple[int, ...]], zeros: Tensor, *inputs: Tensor) -> Tensor:
        ctx.sizes = sizes
        ctx.save_for_backward(*inputs)
        if max(rows * times for rows, *_, times in sizes) > MAX_ROWS:
            raise ValueError(
                f"a batch has {sizes[0][0]} words, too many for products of {MAX_ROWS} rows"
            )
        for rows, n, m, times in sizes:
            for _ in range(times):
                product(random_rows(n)[:rows], weight(m, n))
        return zeros

    @staticmethod
    def backward(ctx: Any, _: Tensor) -> Any:
        for rows, n, m, times in ctx.sizes:
            for _ in range(times):
                product(random_rows(m)[:rows], weight(n, m))
            # The gradient of a weight is one product over all steps.
            product_over_rows(random_rows(m)[: rows * times], random_rows(n)[: rows * times])
        return None, None, *map(torch.zeros_like, ctx.saved_tensors)


def bare_products(
    module: SentenceStateLSTM, inputs: Tensor, mask: Tensor, **_: Any
) -> Tuple[Tensor, Tensor]:
    """Replace `SentenceStateLSTM.forward`."""
    h, sentences = module.hidden_size, len(mask)
    words = int(mask.sum()) + 2 * sentences
    sizes = sizes_of_products(words, sentences, module.input_size, h, module.settings.num_steps)
    zeros = inputs.new_zeros(mask.numel() + sentences, h)
    states = BareProducts.apply(sizes, zeros, inputs, *module.parameters())
    return states[: mask.numel()].view(*mask.shape, h), states[mask.numel() :]


def sentences_a_second(archive: str, path: str) -> float:
    """Measure prediction as `allennlp predict` batches it without `--batch-size`, after a warm-up."""
    predictor = Predictor.from_path(archive)
    inputs = [predictor.load_line(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]
    for sentence in inputs[:WARM_UP]:
        predictor.predict_json(sentence)
    start = time.perf_counter()
    for first in range(WARM_UP, len(inputs), AHEAD):
        predictor.predict_batch_json(inputs[first : first + AHEAD])
    return (len(inputs) - WARM_UP) / (time.perf_counter() - start)


def system_option(text: str) -> Tuple[str, Dict[str, Any]]:
    name, equals, settings = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=JSON")
    return name, json.loads(settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("config")
    parser.add_argument("train")
    parser.add_argument("--sentences", type=pathlib.Path, required=True)
    parser.add_argument("--system", type=system_option, action="append", metavar="NAME=JSON")
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
            with tempfile.TemporaryDirectory() as parent:
                folder = pathlib.Path(parent) / "run"
                (seconds,) = training(folder, arguments.config, {**base, **settings}, name)
                row["seconds a batch"].append(seconds / arguments.batches)
                predict = [__file__, "--predict", str(folder / "model.tar.gz"), str(arguments.sentences)]
                answer = python(*predict, *flags(name), kernels=has_kernels(name))
                row["sentences a second"].append(float(answer))
    print("| | seconds a batch | sentences a second |\n|---|---|---|")
    for name, row in rows.items():
        cells = (f"{statistics.median(v):.3g} ({min(v):.3g}-{max(v):.3g})" for v in row.values())
        print(f"| {name} | " + " | ".join(cells) + " |")
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"jobs-{pathlib.Path(arguments.config).stem}.json"
    path.write_text(json.dumps({"batches": arguments.batches, "rows": rows}, indent=2))


if __name__ == "__main__":
    if "--bare" in sys.argv:
        sys.argv.remove("--bare")
        SentenceStateLSTM.forward = bare_products  # type: ignore[method-assign]
    # `main` runs the first two in new processes.
    if sys.argv[1:2] == ["--predict"]:
        print(sentences_a_second(*sys.argv[2:]))
    elif sys.argv[1:2] == ["--allennlp"]:
        sys.argv[:2] = ["allennlp"]
        allennlp()
    else:
        main()
