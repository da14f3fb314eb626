"""
Measure whether memory and speed stay constant over many sentences, in `allennlp predict` and in training
on batches of varying lengths.

    python benchmarks/endurance.py predict ARCHIVE INPUTS --number 100000
    python benchmarks/endurance.py train CONFIG TRAIN --minutes 60 [--overrides JSON]

INPUTS has lines for `allennlp predict`, which are repeated. TRAIN is training data for the reader of a
text classifier's config. Its texts are cut and joined to lengths of 1 to 60 words. For each hundredth of
the run, the script writes the memory of the process and the sentences (in training: words) per second as
JSON. It prints each tenth and plots the hundredths.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import random
import statistics
import tempfile
import time
from typing import Any, ClassVar, Dict, Iterator, List, Tuple

from allennlp.commands.predict import _PredictManager
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import TextField
from allennlp.predictors import Predictor
from allennlp.training import TrainerCallback
from run import HERE, machine
from varied import megabytes

SENTENCES = 10  # per batch
LONGEST = 60  # words
BATCHES = 400  # per epoch
Point = Tuple[float, float, int, float]  # seconds, CPU seconds, sentences or words done, megabytes


class TimeIsUp(Exception):
    """End the training: the time is up."""


@DatasetReader.register("ever_other_lengths")
class EverOtherLengths(DatasetReader):
    """The sentences of another reader, cut and joined to new random lengths in each epoch."""

    def __init__(self, reader: DatasetReader, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._reader = reader
        self._numbers = random.Random(0)
        self._instances: List[Instance] = []

    def _read(self, file_path: str) -> Iterator[Instance]:
        self._instances = self._instances or list(self._reader.read(file_path))
        for _ in range(BATCHES):
            longest = self._numbers.randint(1, LONGEST)
            for _ in range(SENTENCES):
                yield self._of_length(self._numbers.randint(1, longest))

    def _of_length(self, length: int) -> Instance:
        chosen = self._numbers.choice(self._instances)
        tokens = list(chosen["tokens"].tokens)  # type: ignore[attr-defined]
        while len(tokens) < length:
            tokens += self._numbers.choice(self._instances)["tokens"].tokens  # type: ignore[attr-defined]
        return Instance({**chosen.fields, "tokens": TextField(tokens[:length])})

    def apply_token_indexers(self, instance: Instance) -> None:
        self._reader.apply_token_indexers(instance)


class Points:
    """Measurements at each hundredth of a run. There are so few that they need hardly any memory."""

    def __init__(self) -> None:
        self._start, self._used = time.perf_counter(), time.process_time()
        self.kept: List[Point] = []

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    def add(self, share: float, done: int) -> None:
        """Add a point, if `share` of the run has reached the next hundredth."""
        if share >= (len(self.kept) + 1) / 100:
            self.kept.append((self.elapsed, time.process_time() - self._used, done, megabytes()))


@TrainerCallback.register("endurance")
class Endurance(TrainerCallback):
    """Add the points, and end the training when the time is up."""

    points: ClassVar[Points]
    seconds: ClassVar[float]
    words: ClassVar[int] = 0

    def on_start(self, trainer: Any, *args: Any, **kwargs: Any) -> None:
        type(self).points = Points()

    def on_batch(self, trainer: Any, batch_inputs: Any, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        cls.words += sum(
            int((batch["tokens"]["tokens"]["tokens"] > 0).sum().item()) for batch in batch_inputs
        )
        share = cls.points.elapsed / cls.seconds
        cls.points.add(share, cls.words)
        if share >= 1:
            raise TimeIsUp


def train(config: str, data: str, minutes: float, overrides: str) -> List[Point]:
    params = Params.from_file(config, overrides).as_dict(quiet=True)
    params["dataset_reader"] = {"type": "ever_other_lengths", "reader": params.pop("dataset_reader")}
    for key in (
        "validation_data_path",
        "test_data_path",
        "evaluate_on_test",
        "validation_dataset_reader",
    ):
        params.pop(key, None)
    params["train_data_path"] = data
    params["data_loader"] = {"batch_size": SENTENCES, "max_instances_in_memory": 50 * SENTENCES}
    trainer = params["trainer"]
    trainer["num_epochs"] = 10**6
    trainer["callbacks"] = ["endurance"]
    for key in ("patience", "validation_metric"):
        trainer.pop(key, None)
    Endurance.seconds = 60 * minutes
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(TimeIsUp):
        train_model(Params(params), str(pathlib.Path(folder) / "run"))
    return Endurance.points.kept


def predict(archive: str, inputs: str, number: int) -> List[Point]:
    """Predict as `allennlp predict ARCHIVE FILE --output-file FILE --silent` does."""
    predictor = Predictor.from_path(archive)
    lines = [line for line in pathlib.Path(inputs).read_text("utf-8").splitlines() if line]
    count = itertools.count(1)
    dump_line = predictor.dump_line

    def counted(outputs: Any) -> str:
        done = next(count)
        points.add(done / number, done)
        return dump_line(outputs)

    predictor.dump_line = counted  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        repeated, predictions = (
            pathlib.Path(folder) / "inputs.jsonl",
            pathlib.Path(folder) / "outputs.jsonl",
        )
        with repeated.open("w", encoding="utf-8") as file:
            for line in itertools.islice(itertools.cycle(lines), number):
                file.write(f"{line}\n")
        points = Points()
        _PredictManager(predictor, str(repeated), str(predictions), None, False, False).run()
    return points.kept


def rates(points: List[Point]) -> List[Dict[str, float]]:
    """
    Return for each hundredth the throughput per second and per CPU second, and the memory at its end.
    """
    result = []
    before: Point = (0.0, 0.0, 0, 0.0)
    for seconds, used, done, memory in points:
        more = done - before[2]
        result.append(
            {
                "seconds": seconds,
                "a second": more / (seconds - before[0]),
                "a processor's second": more / (used - before[1]),
                "megabytes": memory,
            }
        )
        before = (seconds, used, done, memory)
    return result


def tenths(parts: List[Dict[str, float]]) -> Iterator[List[str]]:
    """Return for each tenth the throughput per second and CPU second, and the range of memory."""
    for first in range(0, len(parts), 10):
        tenth = parts[first : first + 10]
        memory = [part["megabytes"] for part in tenth]
        yield [
            *(
                f"{statistics.harmonic_mean(part[key] for part in tenth):.0f}"
                for key in ("a second", "a processor's second")
            ),
            f"{min(memory):.1f}-{max(memory):.1f}",
        ]


def draw(parts: List[Dict[str, float]], unit: str, path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, sharex=True, figsize=(7, 5))
    minutes = [part["seconds"] / 60 for part in parts]
    above.plot(minutes, [part["megabytes"] for part in parts])
    above.set(ylabel="MB of the process", ylim=(0, 1.1 * max(part["megabytes"] for part in parts)))
    for key in ("a second", "a processor's second"):
        below.plot(minutes, [part[key] for part in parts], label=f"{unit} {key}")
    below.set(xlabel="minutes", ylim=(0, None))
    below.legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    commands = parser.add_subparsers(dest="command", required=True)
    predicting = commands.add_parser("predict")
    predicting.add_argument("archive")
    predicting.add_argument("inputs")
    predicting.add_argument("--number", type=int, default=100_000, help="of sentences")
    training = commands.add_parser("train")
    training.add_argument("config")
    training.add_argument("data")
    training.add_argument("--minutes", type=float, default=60)
    training.add_argument("--overrides", default="")
    arguments = parser.parse_args()
    import_plugins()
    if arguments.command == "predict":
        points = predict(arguments.archive, arguments.inputs, arguments.number)
        unit = "sentences"
    else:
        points = train(arguments.config, arguments.data, arguments.minutes, arguments.overrides)
        unit = "words"
    parts = rates(points)
    about = machine("cpu")
    about.update({unit: points[-1][2], "minutes": points[-1][0] / 60})
    print(", ".join(f"{name}: {value}" for name, value in about.items()))
    print(f"\n| tenth | {unit} a second | a processor's second | MB |\n|---|---|---|---|")
    for number, cells in enumerate(tenths(parts), 1):
        print(f"| {number} | {' | '.join(cells)} |")
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"endurance-{arguments.command}.json"
    path.write_text(json.dumps({**about, "hundredths": parts}, indent=1))
    draw(parts, unit, path.with_suffix(".png"))


if __name__ == "__main__":
    main()
