"""
Measures whole jobs: seconds a batch of `allennlp train` and sentences a second of `allennlp predict`,
for a config as it is and with other encoders or settings, in turn.

    python benchmarks/jobs.py CONFIG TRAIN --sentences FILE [--system NAME=JSON ...] [--batches 60]

TRAIN is training data for the config's reader, FILE has inputs for `allennlp predict`, a JSON object a
line. A system is a name and overrides of the config; one whose name ends in "without kernels" runs with
SLSTM_ALLENNLP_KERNELS=0, as before there were any. Prints a table and writes it as JSON.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List, Tuple

HERE = pathlib.Path(__file__).parent
FEW = 50  # sentences of the short prediction, whose time is taken off that of the long one


def allennlp(*arguments: str, kernels: bool) -> float:
    """Runs the command; how many seconds it took."""
    environment = {**os.environ, "SLSTM_ALLENNLP_KERNELS": str(int(kernels))}
    command = [sys.executable, "-W", "ignore", "-m", "allennlp", *arguments]
    start = time.perf_counter()
    done = subprocess.run(
        [*command, "--include-package", "slstm_allennlp"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout.decode()[-2000:]}")
    return time.perf_counter() - start


def training(folder: pathlib.Path, config: str, settings: Dict[str, Any], kernels: bool) -> float:
    """The seconds of one epoch of training, without reading, indexing and evaluation."""
    overrides = {**settings, "validation_data_path": None, "test_data_path": None}
    overrides.update({"evaluate_on_test": False, "trainer.num_epochs": 1})
    allennlp("train", config, "-s", str(folder), "-o", json.dumps(overrides), kernels=kernels)
    duration = json.loads((folder / "metrics.json").read_text())["training_duration"]
    hours, minutes, seconds = duration.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def prediction(folder: pathlib.Path, sentences: List[str], kernels: bool) -> float:
    """Sentences per second, one at a time as `allennlp predict` has it, without its start."""
    times = []
    for count in (FEW, len(sentences)):
        path = folder / "sentences.jsonl"
        path.write_text("\n".join(sentences[:count]) + "\n")
        archive, output = str(folder / "model.tar.gz"), str(folder / "predicted.jsonl")
        times.append(
            allennlp("predict", archive, str(path), "--output-file", output, "--silent", kernels=kernels)
        )
    return (len(sentences) - FEW) / (times[1] - times[0])


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
    sentences = arguments.sentences.read_text(encoding="utf-8").splitlines()
    if len(sentences) <= 2 * FEW:
        sys.exit(f"{arguments.sentences} has {len(sentences)} lines, expected more than {2 * FEW}")
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
                row["sentences a second"].append(prediction(folder, sentences, kernels))
    print("| | seconds a batch | sentences a second |\n|---|---|---|")
    for name, row in rows.items():
        cells = (f"{statistics.median(v):.3g} ({min(v):.3g}-{max(v):.3g})" for v in row.values())
        print(f"| {name} | " + " | ".join(cells) + " |")
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"jobs-{pathlib.Path(arguments.config).stem}.json"
    path.write_text(json.dumps({"batches": arguments.batches, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
