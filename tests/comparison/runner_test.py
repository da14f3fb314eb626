"""The runner starts several runs at a time. Here, small scripts replace the training."""

import contextlib
import json
import shutil
import sys
import time

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.comparison.progress import Progress
from slstm_allennlp.comparison.runner import Resources, Runner, logged_warnings, recorded_failures, tail
from slstm_allennlp.console.quiet import PATIENCE_WARNING
from tests.comparison.common import plan, write_epoch

# The code of each system. AFTER writes when it ran, and its environment.
SCRIPTS = {
    "good": "time.sleep(0.5)",
    "bad": "print('first'); print(); sys.exit('last words')",
    "killed": "os.kill(os.getpid(), 9)",
    "lazy": "folder = None",
    "endless": "subprocess.Popen(['sleep', '60'], close_fds=False); (folder / 'asleep').touch(); "
    "time.sleep(60)",
    "deserted": "os.fork() and os.kill(os.getpid(), 9); time.sleep(60)",
    "polite": "on_sigterm(lambda *_: sys.exit((folder / 'saved').touch())); time.sleep(60)",
    "deaf": "on_sigterm(signal.SIG_IGN); (folder / 'deaf').touch(); time.sleep(60)",
}
BEFORE = """
import json, os, pathlib, signal, subprocess, sys, time
folder, start = pathlib.Path(sys.argv[1]), time.time()
folder.mkdir(parents=True)

def on_sigterm(handler): signal.signal(signal.SIGTERM, handler)
"""
AFTER = """
if folder:
    seen = {key: os.environ.get(key) for key in ('OMP_NUM_THREADS', 'CUDA_VISIBLE_DEVICES')}
    (folder / 'done.json').write_text(json.dumps({**seen, 'from': start, 'to': time.time()}))
"""


@pytest.fixture
def run_all(comparison):
    def run_all(names, seeds=(1,), watch=lambda run: None, **resources):
        runs = plan(*names, seeds=seeds).runs()

        def command(run):
            code = BEFORE + SCRIPTS[run.system] + AFTER
            return [sys.executable, "-c", code, str(comparison.run(run).path)]

        def is_done(run):
            return (comparison.run(run).path / "done.json").exists()

        runner = Runner(comparison, Resources(**{"jobs": 1, **resources}), command, is_done, watch)
        progress = Progress(comparison, runs, 0)
        with comparison.locked() as lock, contextlib.closing(progress):
            return runner(runs, progress, lock)

    return run_all


def results(comparison):
    return [json.loads(path.read_text()) for path in comparison.path.glob("runs/*/done.json")]


def test_a_failed_run_does_not_keep_the_others(run_all, comparison, monkeypatch):
    failures = run_all(["bad", "killed", "lazy", "good"])
    assert {failure.run.name: failure.reason for failure in failures} == {
        "bad-1": "ended with exit status 1",
        "killed-1": "was ended by SIGKILL (the system does that when memory runs out)",
        "lazy-1": "ended with exit status 0",
    }
    assert failures[0].tail == ["first", "last words"]
    log = comparison.path / "logs" / "bad-1.log"
    assert failures[0].log == log and len(results(comparison)) == 1
    runs = plan("bad", "killed", "lazy", "good", seeds=(1,)).runs()
    assert recorded_failures(comparison, runs, lambda run: False) == failures
    # A run that is done by now has not failed.
    assert recorded_failures(comparison, runs, lambda run: run.name == "bad-1") == failures[1:]
    # A failure is forgotten when the run begins again. The log still has what was said before.
    shutil.rmtree(comparison.path / "runs")
    monkeypatch.setitem(SCRIPTS, "bad", "print('better')")
    assert run_all(["bad"]) == []
    assert recorded_failures(comparison, runs, lambda run: False) == failures[1:]
    assert log.read_text().split() == ["first", "last", "words", "better"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_number_of_runs_at_a_time(run_all, comparison, jobs):
    assert run_all(["good"], seeds=range(5), jobs=jobs) == []
    found = results(comparison)
    most = max(sum(a["from"] <= b["from"] < a["to"] for a in found) for b in found)
    assert (len(found), most) == (5, jobs)


def test_devices_and_cores_are_dealt_out(run_all, comparison, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    run_all(["good"], seeds=range(4), jobs=2, devices=[0, 3])
    assert sorted(one["CUDA_VISIBLE_DEVICES"] for one in results(comparison)) == ["0", "0", "3", "3"]
    # They are counted among those that are visible.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-abc")
    resources = Resources(1, [0, 1, -1])
    visible = [resources.environment(device)["CUDA_VISIBLE_DEVICES"] for device in (0, 1, -1, None)]
    assert visible == ["4", "GPU-abc", "", "4,GPU-abc"]
    # Runs share devices and cores.
    shared = [
        Resources(jobs, devices).jobs_of_a_device
        for jobs, devices in ((1, []), (4, []), (2, [0, 1]), (4, [0, 1]), (2, [-1, -1]))
    ]
    assert shared == [1, 4, 1, 2, 2]
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("slstm_allennlp.comparison.runner.num_cores", lambda: 8)
    threads = [Resources(jobs).environment(None)["OMP_NUM_THREADS"] for jobs in (1, 3, 8, 20)]
    assert threads == ["8", "2", "1", "1"]
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert Resources(2).environment(None)["OMP_NUM_THREADS"] == "5"


def test_an_interruption_leaves_no_process(run_all, comparison):
    """The processes that a run has started, such as data loader workers, end too."""

    def watch(run):
        if len(list(comparison.path.glob("runs/*/asleep"))) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(["endless"], seeds=range(3), jobs=2, watch=watch)
    expect_no_process(comparison, 2)
    # Those of a run that dies, too.
    (failure,) = run_all(["deserted"])
    assert "was ended by SIGKILL" in failure.reason
    expect_no_process(comparison, 3)


def expect_no_process(comparison, count):
    """No process is left of so many runs that were begun: each of their processes holds the lock."""
    assert len(list(comparison.path.glob("runs/*"))) == count
    deadline = time.time() + 10
    while True:
        with contextlib.suppress(ConfigurationError), comparison.locked():
            return
        assert time.time() < deadline
        time.sleep(0.05)


def test_a_run_that_is_stopped_can_save_what_it_has(run_all, comparison, monkeypatch):
    """A run that ignores SIGTERM is killed after the grace period."""
    monkeypatch.setattr("slstm_allennlp.comparison.runner._GRACE_SECONDS", 2.0)

    def watch(run):
        if len(list(comparison.path.glob("runs/*/deaf"))) == 1:
            time.sleep(0.5)
            raise ValueError(run.name)

    with pytest.raises(ValueError, match="-1"):
        run_all(["polite", "deaf"], watch=watch, jobs=2)
    assert (comparison.path / "runs" / "polite-1" / "saved").exists()
    assert results(comparison) == []  # neither run came to its end
    expect_no_process(comparison, 2)


def test_the_end_of_a_log(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"a\n\nb\xff\n" + b"".join(b"%d  \n" % number for number in range(20)))
    assert tail(log) == [str(number) for number in range(5, 20)]
    log.write_bytes(b"a\n\nb\xff\n")
    assert tail(log) == ["a", "b\ufffd"]


def test_the_warnings_of_a_log(tmp_path):
    known = f"{PATIENCE_WARNING} or so"
    log = tmp_path / "log"
    log.write_text(
        f"2026 - WARNING - a.b - odd - label\n2026 - INFO - a - fine\n2026 - WARNING - a - {known}\n"
    )
    assert logged_warnings(log) == ["odd - label"]
    assert logged_warnings(tmp_path / "none") == []


def test_progress_counts_epochs(comparison, capsys):
    runs = plan("lstm", "slstm").runs()
    write_epoch(comparison.run(runs[0]), 0)  # one of two epochs, from an earlier comparison
    progress = Progress(comparison, runs[:3], num_done=1)
    progress.begun(runs[0])
    assert "1/6 epochs" in capsys.readouterr().err
    write_epoch(comparison.run(runs[1]), 0)
    progress.begun(runs[1])
    assert "2/6 epochs" in (shown := capsys.readouterr().err)
    assert "1 of 4 runs done, at lstm-1 (1/2) slstm-1 (1/2)" in shown
    # One stops early, one fails: their missing epochs are no longer counted.
    progress.ended(runs[0], None)
    assert "2/5 epochs" in capsys.readouterr().err
    progress.ended(runs[1], "ended with exit status 1")
    shown = capsys.readouterr().err
    assert "slstm-1 ended with exit status 1; see " in shown
    assert "2/4 epochs" in shown and "2 of 4 runs done, 1 failed" in shown
    progress.close()
    (run, *_) = runs = plan("lstm", seeds=(1,)).runs()
    progress = Progress(comparison, runs, num_done=0)
    progress.begun(run)
    for number in range(3):  # one more than in its config, from an earlier config
        write_epoch(comparison.run(run), number)
    capsys.readouterr()

    def shown(seconds_later):
        progress._shown -= seconds_later
        progress.show()
        return capsys.readouterr().err

    assert shown(0) == ""  # shown a moment ago
    assert "2/2 epochs" in (line := shown(60)) and "at lstm-1 (2/2)" in line
    write_json(comparison.run(run).metrics, {})
    assert "at lstm-1 (testing)" in shown(60)
    progress.close()
