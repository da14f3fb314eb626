"""Run the unfinished runs of a comparison in parallel, one process per run."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

from slstm_allennlp.common.mistakes import MISTAKE
from slstm_allennlp.comparison.folders import ComparisonFolder, read_json, write_json
from slstm_allennlp.comparison.plan import Run
from slstm_allennlp.comparison.progress import Progress
from slstm_allennlp.console.quiet import PATIENCE_WARNING

_POLL_SECONDS = 0.2
_GRACE_SECONDS = 10.0  # between SIGTERM and SIGKILL
_TAIL_LINES = 15
# Of AllenNLP, for each run: no patience, and the loss beside the predictions.
_KNOWN_WARNINGS = (PATIENCE_WARNING, "Encountered the loss key in the model's return dictionary")


class Failure(NamedTuple):
    run: Run
    reason: str  # how the process ended
    log: Path
    tail: List[str]  # the log's last lines

    @property
    def mistake(self) -> Optional[str]:
        """The message of a user error in the config, which affects all of the system's runs, or None."""
        last = self.tail[-1] if self.tail else ""
        return last.removeprefix(MISTAKE) if last.startswith(MISTAKE) else None


class Resources(NamedTuple):
    """Devices are GPUs to distribute over the runs, or -1 for the CPU. If empty, the configs decide."""

    jobs: int  # runs at a time
    devices: Sequence[int] = ()

    @property
    def jobs_of_a_device(self) -> int:
        """The number of runs that share a GPU, or the CPU."""
        return -(-self.jobs // max(1, len(set(self.devices))))

    def environment(self, device: Optional[int]) -> Dict[str, str]:
        """
        Return the environment variables of a run's process. It sees only its own GPU, so the config does
        not depend on the machine. It gets its share of the cores, unless OMP_NUM_THREADS is already set.
        """
        environment = dict(os.environ)
        environment.setdefault("OMP_NUM_THREADS", str(max(1, num_cores() // self.jobs)))
        if device is not None:
            visible = environment.get("CUDA_VISIBLE_DEVICES")
            names = visible.split(",") if visible else None
            chosen = "" if device < 0 else names[device] if names else str(device)
            environment["CUDA_VISIBLE_DEVICES"] = chosen
        return environment


def num_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Active(NamedTuple):
    run: Run
    process: "subprocess.Popen[bytes]"
    device: Optional[int]


class Runner(NamedTuple):
    folder: ComparisonFolder
    resources: Resources
    command: Callable[[Run], List[str]]  # command line that performs or resumes a run
    is_done: Callable[[Run], bool]  # whether the run is complete
    watch: Callable[[Run], None]  # called regularly for active runs; its exceptions stop all runs

    def __call__(self, runs: Sequence[Run], progress: Progress, lock: Sequence[int]) -> List[Failure]:
        """
        Perform all runs and return those that failed. After a failure the other runs continue, except
        that a user error in a config cancels the system's remaining runs. In any case, no process is
        left running. The processes inherit `lock`, file descriptors.
        """
        waiting = deque(runs)
        devices: List[Optional[int]] = [*self.resources.devices] or [None]
        active: List[_Active] = []
        failures = []
        try:
            while waiting or active:
                while waiting and len(active) < self.resources.jobs:
                    run = waiting.popleft()
                    devices_in_use = [one.device for one in active]
                    device = min(devices, key=devices_in_use.count)
                    active.append(_Active(run, self._start(run, device, lock), device))
                    progress.begun(run)
                time.sleep(_POLL_SECONDS)
                for one in active:
                    self.watch(one.run)
                for one in [one for one in active if one.process.poll() is not None]:
                    active.remove(one)
                    _send(signal.SIGKILL, [one.process])  # its orphaned children
                    failure = self._failure(one.run, one.process.returncode)
                    progress.ended(one.run, failure.reason if failure else None)
                    failures += [failure] if failure else []
                    if failure and failure.mistake:
                        for run in [run for run in waiting if run.system == one.run.system]:
                            waiting.remove(run)
                            progress.dropped(run)
                progress.show()
        finally:
            stop([one.process for one in active])
        return failures

    def _start(self, run: Run, device: Optional[int], lock: Sequence[int]) -> "subprocess.Popen[bytes]":
        log_path = self.folder.log(run)
        log_path.parent.mkdir(parents=True, exist_ok=True)
        self.folder.failure(run).unlink(missing_ok=True)
        with log_path.open("ab") as log:
            return subprocess.Popen(
                self.command(run),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.resources.environment(device),
                start_new_session=True,  # Ctrl-C reaches only this process, which stops the runs
                pass_fds=lock,
            )

    def _failure(self, run: Run, code: int) -> Optional[Failure]:
        if code == 0 and self.is_done(run):
            return None
        reason = f"ended with exit status {code}"
        if code < 0:
            reason = f"was ended by {signal.Signals(-code).name}"
        if code == -signal.SIGKILL:
            reason += " (the system does that when memory runs out)"
        write_json(self.folder.failure(run), {"reason": reason})
        return _recorded_failure(self.folder, run)


def recorded_failures(
    folder: ComparisonFolder, runs: Sequence[Run], is_done: Callable[[Run], bool]
) -> List[Failure]:
    """Return the failures of earlier calls of `Runner`, for runs that are still not complete."""
    failed = [run for run in runs if folder.failure(run).exists() and not is_done(run)]
    return [_recorded_failure(folder, run) for run in failed]


def _recorded_failure(folder: ComparisonFolder, run: Run) -> Failure:
    log = folder.log(run)
    return Failure(run, read_json(folder.failure(run))["reason"], log, tail(log))


def logged_warnings(log: Path) -> List[str]:
    """Return the warnings in a run's log, such as of settings without effect."""
    if not log.exists():  # of a run that did not begin, because of a mistake in its config
        return []
    texts = re.findall(r" - WARNING - \S+ - (.*)", log.read_text(encoding="utf-8", errors="replace"))
    return [text for text in texts if not text.startswith(_KNOWN_WARNINGS)]


def tail(log: Path) -> List[str]:
    with log.open(encoding="utf-8", errors="replace") as file:
        return list(deque((line.rstrip() for line in file if line.strip()), maxlen=_TAIL_LINES))


def stop(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Stop processes and their children: SIGTERM first, so that they can save, then SIGKILL."""
    _send(signal.SIGTERM, [process for process in processes if process.poll() is None])
    deadline = time.monotonic() + _GRACE_SECONDS
    while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    _send(signal.SIGKILL, processes)
    for process in processes:
        process.wait()


def _send(number: int, processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Send a signal to each process group: children may outlive their process."""
    for process in processes:
        # The group is gone. On macOS, PermissionError says that all its processes have ended.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
