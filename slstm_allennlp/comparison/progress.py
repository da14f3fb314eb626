"""Progress of a whole comparison: active runs, remaining epochs, and the expected time."""

import sys
import time
from typing import List, Optional, Sequence

from allennlp.common import logging as common_logging
from allennlp.common.tqdm import Tqdm

from slstm_allennlp.comparison.folders import ComparisonFolder
from slstm_allennlp.comparison.plan import Run

# The active runs come last, so that a narrow terminal cuts off only them.
_BAR = "{percentage:3.0f}%|{bar:20}| {n_fmt}/{total_fmt} epochs [{elapsed}, {remaining} left] {desc}"


class Progress:
    """
    A progress bar over the epochs of the unfinished runs, with AllenNLP's tqdm. If a run stops early,
    the total shrinks by its remaining epochs. With AllenNLP's `FILE_FRIENDLY_LOGGING`, it prints a line
    when a run begins or ends, and once a minute.
    """

    def __init__(self, folder: ComparisonFolder, runs: Sequence[Run], num_done: int) -> None:
        self._folder = folder
        self._runs = runs
        self._epochs = {run.name: run.num_epochs for run in runs}  # that each run will have
        self._running: List[Run] = []
        self._num_runs = len(runs) + num_done
        self._num_done, self._num_failed = num_done, 0
        is_file = common_logging.FILE_FRIENDLY_LOGGING
        self._interval = 60.0 if is_file else 1.0  # seconds
        self._shown = time.monotonic()
        self._bar = Tqdm.tqdm(
            total=sum(self._epochs.values()),
            initial=sum(map(self._finished, runs)),
            smoothing=0,  # the average rate: runs differ in speed
            bar_format=_BAR,
            mininterval=0,
            # In file-friendly mode, AllenNLP's own file turns the bar into lines.
            **({} if is_file else {"file": sys.stderr, "dynamic_ncols": True}),
        )

    def begun(self, run: Run) -> None:
        self._running.append(run)
        self._show()

    def ended(self, run: Run, reason: Optional[str]) -> None:
        """Record the end of a run, which failed if there is a reason."""
        self._running.remove(run)
        self._epochs[run.name] = self._finished(run)
        self._num_done += reason is None
        self._num_failed += reason is not None
        if reason:
            self._bar.write(f"{run.name} {reason}; see {self._folder.log(run)}", file=sys.stderr)
        self._show()

    def dropped(self, run: Run) -> None:
        self._epochs[run.name] = self._finished(run)
        self._num_runs -= 1

    def show(self) -> None:
        """Update the display, if the last update was long enough ago."""
        if time.monotonic() - self._shown >= self._interval:
            self._show()

    def close(self) -> None:
        self._bar.close()

    def _show(self) -> None:
        self._shown = time.monotonic()
        self._bar.total = sum(self._epochs.values())
        self._bar.n = sum(map(self._finished, self._runs))
        parts = [f"{self._num_done} of {self._num_runs} runs done"]
        if self._num_failed:
            parts.append(f"{self._num_failed} failed")
        if self._running:
            each = (f"{run.name} ({self._stage(run)})" for run in self._running)
            parts.append("at " + " ".join(each))
        self._bar.set_description_str(", ".join(parts), refresh=False)
        self._bar.refresh()

    def _stage(self, run: Run) -> str:
        is_trained = self._folder.run(run).metrics.exists()
        return "testing" if is_trained else f"{self._finished(run)}/{run.num_epochs}"

    def _finished(self, run: Run) -> int:
        return min(len(self._folder.run(run).epoch_files()), run.num_epochs)
