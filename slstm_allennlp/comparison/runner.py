"""Runs what is left of a comparison, several runs at a time, each in a process of its own."""

import contextlib
import os
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Deque, Dict, List, NamedTuple, Optional, Sequence

from slstm_allennlp.common.mistakes import MISTAKE
from slstm_allennlp.comparison.folders import ComparisonFolder, read_json, write_json
from slstm_allennlp.comparison.plan import Run
from slstm_allennlp.comparison.progress import Progress

_POLL_SECONDS = 0.2
_GRACE_SECONDS = 10.0  # for a process that is told to stop
_TAIL_LINES = 15


class Failure(NamedTuple):
    run: Run
    reason: str  # how the process ended
    log: Path
    tail: List[str]  # the log's last lines

    @property
    def mistake(self) -> Optional[str]:
        """The sentence, where it is a mistake in the config, which all of the system's runs share."""
        last = self.tail[-1] if self.tail else ""
        return last.removeprefix(MISTAKE) if last.startswith(MISTAKE) else None


@dataclass(frozen=True)
class Resources:
    """Devices are GPUs, dealt out to the runs, or -1 for the CPU. Without any, the configs choose."""

    jobs: int  # runs at a time
    devices: Sequence[int] = ()

    @property
    def jobs_of_a_device(self) -> int:
        """Those that share a GPU, or the CPU."""
        return -(-self.jobs // max(1, len(set(self.devices))))

    def environment(self, device: Optional[int]) -> Dict[str, str]:
        """
        For a run's process: it sees the one GPU, so that its config says nothing of the machine, and
        shares the cores with the others, unless OMP_NUM_THREADS says how many it may have.
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
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Active(NamedTuple):
    run: Run
    process: "subprocess.Popen[bytes]"
    device: Optional[int]


@dataclass(frozen=True)
class Runner:
    folder: ComparisonFolder
    resources: Resources
    command: Callable[[Run], List[str]]  # does a run, or what is left of it, in its folder
    is_done: Callable[[Run], bool]  # whether that has done all
    watch: Callable[[Run], None]  # has every run at work now and then; what it raises ends them all

    def __call__(self, runs: Sequence[Run], progress: Progress, lock: int) -> List[Failure]:
        """
        Runs them all; those that fail do not keep the others, but for a mistake in a config, which is
        every seed's. However this ends, no process of it is left.

        # Parameters

        runs : `Sequence[Run]`
        progress : `Progress`
        lock : `int`
            The comparison's lock, which the processes keep open.
        """
        waiting: Deque[Run] = deque(runs)
        devices: List[Optional[int]] = [*self.resources.devices] or [None]
        active: List[_Active] = []
        failures = []
        try:
            while waiting or active:
                while waiting and len(active) < self.resources.jobs:
                    run = waiting.popleft()
                    used = [one.device for one in active]
                    device = min(devices, key=used.count)
                    active.append(_Active(run, self._start(run, device, lock), device))
                    progress.begun(run)
                time.sleep(_POLL_SECONDS)
                for one in active:
                    self.watch(one.run)
                for one in [one for one in active if one.process.poll() is not None]:
                    active.remove(one)
                    _send(signal.SIGKILL, [one.process])  # what it started and left
                    failure = self._failure(one.run, one.process.returncode)
                    progress.ended(one.run, failure.reason if failure else None)
                    failures += [failure] if failure else []
                    if failure and failure.mistake:
                        waiting = self._without(failure.run.system, waiting, progress)
                progress.show()
        finally:
            stop([one.process for one in active])
        return failures

    @staticmethod
    def _without(system: str, waiting: Deque[Run], progress: Progress) -> Deque[Run]:
        """What waits, without the runs of a system whose config has a mistake."""
        for run in waiting:
            if run.system == system:
                progress.dropped(run)
        return deque(run for run in waiting if run.system != system)

    def _start(self, run: Run, device: Optional[int], lock: int) -> "subprocess.Popen[bytes]":
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
                start_new_session=True,  # a Ctrl-C reaches this process alone, which stops the others
                pass_fds=(lock,),
            )

    def _failure(self, run: Run, code: int) -> Optional[Failure]:
        if code == 0 and self.is_done(run):
            return None
        reason = f"ended with exit status {code}" if code >= 0 else f"was ended by {_signal_name(-code)}"
        write_json(self.folder.failure(run), {"reason": reason})
        log = self.folder.log(run)
        return Failure(run, reason, log, tail(log))


def recorded_failures(
    folder: ComparisonFolder, runs: Sequence[Run], is_done: Callable[[Run], bool]
) -> List[Failure]:
    """Of earlier calls of the `Runner`, those of runs that have not done all since."""
    failed = [run for run in runs if folder.failure(run).exists() and not is_done(run)]
    return [
        Failure(run, read_json(folder.failure(run))["reason"], folder.log(run), tail(folder.log(run)))
        for run in failed
    ]


def _signal_name(number: int) -> str:
    name = signal.Signals(number).name
    return f"{name} (the system does that when memory runs out)" if name == "SIGKILL" else name


def tail(log: Path, lines: int = _TAIL_LINES) -> List[str]:
    """The last lines of a log, without the empty ones."""
    with log.open(encoding="utf-8", errors="replace") as file:
        return list(deque((line.rstrip() for line in file if line.strip()), maxlen=lines))


def stop(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Ends processes and those that they started, which all can be gone on with afterwards."""
    _send(signal.SIGTERM, [process for process in processes if process.poll() is None])
    deadline = time.monotonic() + _GRACE_SECONDS
    while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    _send(signal.SIGKILL, processes)
    for process in processes:
        process.wait()


def _send(number: int, processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """To each and all that it started, which may be at work when it is not."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # none of them is
            os.killpg(process.pid, number)
