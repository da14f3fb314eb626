"""
The folder of a comparison and of each of its runs: which files there are and what they say of a run.
"""

import contextlib
import fcntl
import itertools
import json
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.comparison.checksums import checksums
from slstm_allennlp.comparison.plan import Config, Run, differences, flatten

_STATE = re.compile(r"model_state_e(\d+)_b(\d+)\.th")


class Checkpoint(NamedTuple):
    """From where a run goes on: epochs that are done and batches of the next one."""

    epochs: int
    batches: int


class RunFolder:
    """
    The folder of a run: what `allennlp train` writes there (config.json, metrics.json,
    metrics_epoch_N.json, model.tar.gz, out.log and its checkpoints), and from the worker

    * `training.json`, when training is done: peak memory, and the conditions it ran under,
    * `recoveries.json`, for a run that was interrupted: the checkpoints from which it went on,
    * `predictions.jsonl`, what the best model says of each test sentence,
    * `measurements.json`, when all is done: its metrics on the test set, seconds, parameters, and the
      conditions under which the seconds were taken,
    * `time_over_length.json`, if that was asked for, with its conditions.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.metrics = path / "metrics.json"
        self.archive = path / "model.tar.gz"
        self.training = path / "training.json"
        self.recoveries = path / "recoveries.json"
        self.predictions = path / "predictions.jsonl"
        self.measurements = path / "measurements.json"
        self.time_over_length = path / "time_over_length.json"

    def is_done(self, *, time_over_length: bool = False) -> bool:
        return self.measurements.exists() and (not time_over_length or self.time_over_length.exists())

    def is_begun(self) -> bool:
        """Whether there is something that would be used again."""
        return self.count_epochs() > 0 or self.latest_checkpoint() is not None or self.metrics.exists()

    def remove_checkpoints(self) -> None:
        """AllenNLP keeps two, of several times the model's size; its weights are in the archive."""
        for kind in ("model", "training"):
            for path in self.path.glob(f"{kind}_state_e*_b*.th"):
                path.unlink()

    def epochs(self) -> List[Dict[str, Any]]:
        """AllenNLP's metrics after each finished epoch."""
        return [read_json(path) for path in self._epoch_files()]

    def count_epochs(self) -> int:
        """How many epochs are finished."""
        return len(self._epoch_files())

    def remove_epochs(self, first: int) -> None:
        """Their metrics, from this epoch on: of a run that went on after its last checkpoint."""
        for path in self._epoch_files()[first:]:
            path.unlink()

    def _epoch_files(self) -> List[Path]:
        paths = (self.path / f"metrics_epoch_{number}.json" for number in itertools.count())
        return list(itertools.takewhile(Path.exists, paths))

    def validation_metrics(self) -> Optional[List[str]]:
        """Their names after the first epoch; None before it, and while AllenNLP is writing them."""
        path = self.path / "metrics_epoch_0.json"
        try:
            metrics = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        prefix = "validation_"
        return [name.removeprefix(prefix) for name in metrics if name.startswith(prefix)]

    def recovered_from(self) -> List[Checkpoint]:
        if not self.recoveries.exists():
            return []
        return [Checkpoint(**checkpoint) for checkpoint in read_json(self.recoveries)]

    def latest_checkpoint(self) -> Optional[Checkpoint]:
        matches = (_STATE.fullmatch(path.name) for path in self.path.glob("model_state_e*_b*.th"))
        return max((Checkpoint(*map(int, found.groups())) for found in matches if found), default=None)

    def expect_config(self, run: Run) -> None:
        """
        # Errors

        `ConfigurationError` if what is in the folder was made by another config.
        """
        there = read_json(self.config)
        keys = differences(there, run.config)
        if keys:
            old, new = (_shown(keys[0], config) for config in (there, run.config))
            more = f" (and {len(keys) - 1} more)" if len(keys) > 1 else ""
            raise ConfigurationError(
                f"{self.path} holds a run with another config: {keys[0]} is {old} there and {new} here"
                f"{more}; expected the same, or another name or --output-dir"
            )


def _shown(key: str, config: Config) -> str:
    flat = flatten(config)
    return json.dumps(flat[key]) if key in flat else "absent"


class ComparisonFolder:
    """
    The folder of a comparison, beside its report:

    * `runs/NAME-SEED`,
    * `configs/NAME-SEED.json`, what the run was asked to do, and `NAME-SEED.data.json`, the checksums of
      what it read,
    * `logs/NAME-SEED.log`, all that it printed, and, if it failed, `NAME-SEED.failed.json`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, run: Run) -> RunFolder:
        return RunFolder(self.path / "runs" / run.name)

    def config(self, run: Run) -> Path:
        return self.path / "configs" / f"{run.name}.json"

    def data(self, run: Run) -> Path:
        return self.path / "configs" / f"{run.name}.data.json"

    def log(self, run: Run) -> Path:
        return self.path / "logs" / f"{run.name}.log"

    def failure(self, run: Run) -> Path:
        return self.path / "logs" / f"{run.name}.failed.json"

    def expect_run(self, run: Run) -> None:
        """
        # Errors

        `ConfigurationError` if the epochs in the run's folder, or more, were made by another config, or
        of data that is another here now.
        """
        folder = self.run(run)
        if not folder.is_begun():
            return
        folder.expect_config(run)
        read = read_json(self.data(run)) if self.data(run).exists() else {}
        for key, checksum in checksums(run.config).items():
            if read.get(key, checksum) != checksum:
                raise ConfigurationError(
                    f"{folder.path} holds a run of other data: {run.config[key]} ({key}) has changed "
                    "since; expected it as it was, or another name or --output-dir"
                )

    def write_task(self, run: Run) -> None:
        """What the run is to do, and, if it is to begin, the checksums of what it reads."""
        write_json(self.config(run), run.config)
        if not self.run(run).is_begun():
            write_json(self.data(run), checksums(run.config))

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """
        Keeps a second comparison out of the folder as long as this one is at work, or, if it was
        killed, as long as one of its runs is, which are given the file that this yields.

        # Errors

        `ConfigurationError` if another is at work there.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ConfigurationError(f"--output-dir is {self.path}, a file, expected a folder") from None
        with (self.path / ".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConfigurationError(
                    f"{self.path}: another comparison, or a run of one that was killed, is at work "
                    "there; expected to be the only one (wait for it, stop it, or give another "
                    "--output-dir)"
                ) from None
            yield lock.fileno()


def read_json(path: Path) -> Any:
    """
    # Errors

    `ConfigurationError`, with the path, if there is none or it is not whole.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise damaged(path, error) from None


def damaged(path: Path, error: Exception) -> ConfigurationError:
    """For a file that was whole when it was written."""
    reason = getattr(error, "strerror", None) or error
    return ConfigurationError(
        f"{path}: cannot be read ({reason}), expected what the run wrote; remove the run's folder, and "
        "the same command makes it again"
    )


def write_json(path: Path, value: Any) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as unfinished:
        unfinished.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
