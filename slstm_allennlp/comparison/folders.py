"""The folders of a comparison and of its runs: their files, and the state of a run."""

import itertools
import json
from pathlib import Path
from typing import Any, Collection, ContextManager, Dict, List, NamedTuple, Optional, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.training import Checkpointer

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.common.training_keys import SEED_KEYS, differences
from slstm_allennlp.comparison.plan import Run
from slstm_allennlp.console import output_folder
from slstm_allennlp.dataset_readers.parts import checksums, file_of
from slstm_allennlp.training.train_model import CHECKSUMS


class Checkpoint(NamedTuple):
    """The point from which a run resumes: finished epochs, and finished batches of the next epoch."""

    epochs: int
    batches: int


class RunFolder:
    """The folder of a run, with the files of `allennlp train` and those that the worker adds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.metrics = path / "metrics.json"
        self.archive = path / "model.tar.gz"
        self.training = path / "training.json"  # after training: peak memory, and the run's conditions
        self.checksums = path / CHECKSUMS  # of its data, by key of the config
        self.recoveries = path / "recoveries.json"  # the checkpoints from which it resumed
        self.predictions = path / "predictions.jsonl"  # the best model's, for each test sentence
        # At the end: metrics on the test set, seconds, parameters, and the conditions of the timing.
        self.measurements = path / "measurements.json"
        self.time_over_length = path / "time_over_length.json"  # if requested, with its conditions

    def is_done(self, *, time_over_length: bool = False) -> bool:
        return self.measurements.exists() and (not time_over_length or self.time_over_length.exists())

    def is_begun(self) -> bool:
        """Return whether the folder has anything that a new attempt would reuse."""
        return bool(self.epoch_files()) or self.latest_checkpoint() is not None or self.metrics.exists()

    def epochs(self) -> List[Dict[str, Any]]:
        return [read_json(path) for path in self.epoch_files()]

    def epoch_files(self) -> List[Path]:
        paths = (self.path / f"metrics_epoch_{number}.json" for number in itertools.count())
        return list(itertools.takewhile(Path.exists, paths))

    def validation_metrics(self) -> List[str]:
        """Return their names, or none while the first epoch's metrics are not written completely."""
        prefix = "validation_"
        try:
            metrics = read_json(self.path / "metrics_epoch_0.json")
        except ConfigurationError:
            return []
        return [name.removeprefix(prefix) for name in metrics if name.startswith(prefix)]

    def recovered_from(self) -> List[Checkpoint]:
        if not self.recoveries.exists():
            return []
        return [Checkpoint(**checkpoint) for checkpoint in read_json(self.recoveries)]

    def read_checksums(self) -> Dict[str, str]:
        return read_json(self.checksums) if self.checksums.exists() else {}

    def latest_checkpoint(self) -> Optional[Checkpoint]:
        found = Checkpointer(self.path)._find_all_checkpoints()
        return Checkpoint(*max(found)) if found else None


class ComparisonFolder:
    """The folder of a comparison: the report, and what belongs to each run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, run: Run) -> RunFolder:
        return RunFolder(self.path / "runs" / run.name)

    def config(self, run: Run) -> Path:
        return self.path / "configs" / f"{run.name}.json"

    def log(self, run: Run) -> Path:
        return self.path / "logs" / f"{run.name}.log"

    def failure(self, run: Run) -> Path:
        """Return the path of the reason why it failed, a file only then."""
        return self.path / "logs" / f"{run.name}.failed.json"

    def earlier_runs(self, planned: Collection[Run]) -> List[Run]:
        """Return the finished runs of earlier comparisons here, without those that are planned."""
        names = {run.name for run in planned}
        found = []
        for path in sorted(self.path.glob("configs/*[0-9].json")):
            config = read_json(path)
            seed = config[SEED_KEYS[0]]
            run = Run(path.stem.removesuffix(f"-{seed}"), seed, config)
            if run.name not in names and self.run(run).is_done():
                found.append(run)
        return found

    def is_outdated(self, run: Run, planned: Collection[Run]) -> bool:
        """
        Return whether an earlier run does not belong to the planned ones: data of theirs have changed
        since, or the config of its system.
        """
        before = self.run(run).read_checksums()
        for other in planned:
            keys = differences(run.config, other.config)
            if run.system == other.system and not set(keys) <= set(SEED_KEYS):
                return True
            now = self.run(other).read_checksums()
            same_paths = before.keys() & now.keys() - set(keys)
            if any(before[key] != now[key] for key in same_paths):
                return True
        return False

    def expect_run(self, run: Run) -> None:
        """Check that the config and data of a run that has begun are the same as then."""
        folder = self.run(run)
        if not folder.is_begun():
            return
        changed = differences(read_json(folder.config), run.config)
        if any(key.endswith(".split_checksum") for key in changed):  # of `--data`
            raise _other_data(folder, file_of(run.config["train_data_path"]))
        if changed:
            key, (old, new) = next(iter(changed.items()))
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            raise ConfigurationError(
                f"{folder.path} holds a run with another config: {key} is {old} there and {new} here"
                f"{more}; expected the same, or another name or --output-dir"
            )
        read = folder.read_checksums()
        for key, checksum in checksums(run.config).items():
            if read.get(key, checksum) != checksum:
                raise _other_data(folder, f"{run.config[key]} ({key})")

    def locked(self) -> ContextManager[Sequence[int]]:
        """
        Lock the folder against a second comparison. The runs inherit the lock: if this comparison is
        killed, the lock lasts until they have ended.
        """
        output_folder.make(self.path, "--output-dir")
        runs = "another comparison, or a run of one that was killed, is still"
        return output_folder.locked(self.path, runs, "--output-dir")


def _other_data(folder: RunFolder, changed: str) -> ConfigurationError:
    return ConfigurationError(
        f"{folder.path} holds a run of other data: {changed} has changed since; expected the same data, "
        "or another name or --output-dir"
    )


def read_json(path: Path) -> Any:
    """Read a JSON file that a run wrote; `ConfigurationError` if it is missing or incomplete."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise damaged(path, error) from None


def damaged(path: Path, error: Exception) -> ConfigurationError:
    """Return the error for a file of a run that is missing or incomplete."""
    reason = getattr(error, "strerror", None) or error
    return ConfigurationError(
        f"{path}: cannot be read ({reason}), expected what the run wrote; remove the run's folder, and "
        "the same command makes it again"
    )


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as unfinished:
        unfinished.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
