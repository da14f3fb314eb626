"""allennlp compare, as a user types it: interrupted, resumed, and with a run that fails."""

import json
import os
import re
import subprocess
import sys

import pytest
from allennlp.commands import main
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.training_keys import DATA_KEYS
from slstm_allennlp.comparison.command import more_at_a_time
from slstm_allennlp.comparison.folders import RunFolder
from slstm_allennlp.comparison.plan import Run
from tests.conftest import ROOT, SMALL_TEXTS

SMALL = {
    **SMALL_TEXTS,
    # Keep all checkpoints: the interruption waits for one of them.
    "trainer.checkpointer": {"save_every_num_batches": 10, "keep_most_recent_by_count": 50},
}
SLSTM, BILSTM = (f"training_config/mr_{name}.jsonnet" for name in ("slstm", "bilstm"))
SYSTEMS = [SLSTM, BILSTM, "--names", "slstm", "lstm"]


def compare(folder, *options, systems=SYSTEMS, **overrides):
    """Run in this process, with progress as lines. The runs are new interpreters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(common_logging, "FILE_FRIENDLY_LOGGING", False)  # restored afterwards
        command = ["allennlp", "compare", *systems, "--output-dir", folder, "--file-friendly-logging"]
        command += ["--resamples", "500", "--overrides", json.dumps({**SMALL, **overrides}), *options]
        patch.setattr(sys, "argv", [str(word) for word in command])
        main()


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def expect_whole_report(folder, seeds, **of_each_run):
    """All runs are in the report of the two systems, with the numbers of their files."""
    report = read(folder / "report.json")
    assert report["missing"] == [] and report["failed"] == {}
    for name in ("slstm", "lstm"):
        runs = report["systems"][name]["runs"]
        assert [run["seed"] for run in runs] == seeds
        for run in runs:
            path = folder / run["folder"]
            config = read(path / "config.json")
            assert {config[f"{kind}_seed"] for kind in ("random", "numpy", "pytorch")} == {run["seed"]}
            assert RunFolder(path).read_checksums().keys() == {*DATA_KEYS}  # written by its training
            lines = [json.loads(line) for line in (path / "predictions.jsonl").read_text().splitlines()]
            right = sum(line["gold"] == line["predicted"] for line in lines)
            assert run["test"] == run["test_metrics"]["accuracy"] == pytest.approx(right / len(lines))
            assert lines[0]["texts"]["tokens"].count(" ") == lines[0]["length"] - 1
            assert run["parameters"] > 0 and run["seconds_per_epoch"] > 0
            assert run["peak_memory_bytes"] > 100_000_000 and of_each_run.items() <= run.items()
            assert list(path.glob("training_state_e*")), "the config says to keep them"
    (compared,) = report["comparisons"]
    lstm, slstm = (report["systems"][name]["test"]["mean"] for name in ("lstm", "slstm"))
    assert compared["system"] == "lstm" and compared["over_sentences"]["num_resamples"] == 500
    for test in ("over_seeds", "over_sentences"):
        assert compared[test]["difference"] == pytest.approx(lstm - slstm)
    assert 0 < compared["over_sentences"]["p_value"] <= 1
    count = compared["over_lengths"]["p_value"] * 501  # p is a multiple of 1 / (500 + 1)
    assert count == pytest.approx(round(count))


def test_a_comparison(tmp_path):
    """Two systems with one seed."""
    compare(tmp_path, "--seeds", "3", **{"trainer.num_epochs": 1})
    expect_whole_report(tmp_path, [3], epochs=1)
    assert "| lstm |" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_interrupted_resumed_and_reported(tmp_path, monkeypatch, capsys):
    """It is interrupted in the second epoch of the first run. The same command goes on from there."""
    folder, seeds = tmp_path / "out", ("--seeds", "1", "2")
    run = folder / "runs" / "slstm-1"

    def watched(_):
        if (run / "training_state_e1_b20.th").exists():
            raise KeyboardInterrupt
        return []

    with monkeypatch.context() as patch, pytest.raises(SystemExit, match="130"):
        patch.setattr(RunFolder, "validation_metrics", watched)
        compare(folder, *seeds)
    assert list((folder / "runs").iterdir()) == [run]
    assert not (run / "metrics.json").exists() and not (folder / "report.md").exists()
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder) not in running
    first_epoch = (run / "metrics_epoch_0.json").stat().st_mtime_ns
    compare(folder, *seeds, "--jobs", "2")
    assert (run / "metrics_epoch_0.json").stat().st_mtime_ns == first_epoch
    (recovery,) = read(run / "recoveries.json")
    # It resumed in the second epoch, from a complete checkpoint.
    assert recovery["epochs"] == 1 and recovery["batches"] >= 10
    assert read(run / "metrics.json")["epoch"] == 1
    assert "interrupted, resumed 1 time" in (folder / "report.md").read_text(encoding="utf-8")
    expect_whole_report(folder, [1, 2], epochs=2, runs_at_a_time=2)
    figures = sorted(path.stem for path in (folder / "figures").iterdir())
    assert figures == ["confusion_lstm", "confusion_slstm", "learning_curves", "length"]
    expect_a_failed_run_loses_nothing(folder, tmp_path / "comparison.json", capsys)
    message = r"slstm-1 holds a run with another config: trainer\.patience is 8 there and 1 here"
    with pytest.raises(ConfigurationError, match=message):
        compare(folder, "--seeds", "1", "--report-only", **{"trainer.patience": 1})
    compare(folder, *seeds, "3", "--report-only", "--baseline", "lstm")
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "2 runs not in this report: slstm-3, lstm-3." in report
    assert ", against lstm)" in capsys.readouterr().out
    options = {"trainer.patience": 1}
    with pytest.raises(ConfigurationError, match=r"no run of these options.* \(\w+-1 is of others\)"):
        compare(folder, "--seeds", "9", "--report-only", **options)
    with pytest.raises(ConfigurationError, match="no run is done there, expected one to report"):
        compare(tmp_path / "empty", "--report-only")


def expect_a_failed_run_loses_nothing(folder, path, capsys):
    done = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/measurements.json")}
    assert len(done) == 4
    broken = {"config": SLSTM, "overrides": {"model.seq2vec_encoder.input_size": 7}}
    systems = {"broken": broken, "slstm": {"config": SLSTM}, "lstm": {"config": BILSTM}}
    given = {"systems": systems, "seeds": [1], "overrides": SMALL, "baseline": "lstm"}
    path.write_text(json.dumps(given))
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        compare(folder, "--overrides", "{}", systems=[path])
    shown = capsys.readouterr()
    assert "2 of 3 runs done" in shown.err
    sizes = "the seq2seq_encoder gives 10, model.seq2vec_encoder.input_size is 7, expected 10"
    assert f"error: broken: {sizes}\n" in shown.err
    assert "slstm: test accuracy (%)" in shown.out and "lstm: test accuracy (%)" in shown.out
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "1 run not in this report: broken-1 (failed)." in report
    assert re.search(rf"^    .*{re.escape(sizes)}", report, re.MULTILINE)
    assert {path: path.stat().st_mtime_ns for path in done} == done
    with pytest.raises(SystemExit, match="1"):
        compare(folder, "--report-only", "--overrides", "{}", systems=[path])
    assert (folder / "report.md").read_text(encoding="utf-8") == report


def test_a_mistake_in_a_config_is_said_once_and_not_for_each_seed(tmp_path, capsys):
    options = {"systems": [SLSTM], "model.seq2vec_encoder.hidden_siz": 6}
    with pytest.raises(SystemExit, match="1"):
        compare(tmp_path, "--seeds", "1", "2", "3", **options)
    shown = capsys.readouterr().err
    assert shown.count("is no key of SlstmSeq2VecEncoder, did you mean 'hidden_size'?") == 1
    assert [path.name for path in (tmp_path / "logs").glob("*.log")] == ["mr_slstm-1.log"]
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert r"3 runs not in this report: mr\_slstm-1 (failed)" in report
    assert "did you mean 'hidden_size'?" in report.split("## Failed runs")[1]


@pytest.mark.slow
def test_a_metric_that_is_not_there_is_noticed_after_an_epoch(tmp_path):
    message = "is acuracy, which slstm does not have, expected by --metric one of accuracy, loss"
    with pytest.raises(ConfigurationError, match=message):
        compare(tmp_path, "--metric", "+acuracy", "--seeds", "1", **{"trainer.num_epochs": 10_000})


@pytest.mark.parametrize(
    "options, message",
    [
        ("--jobs 0", "--jobs: it is '0', expected a number of at least 1"),
        ("--overrides {", "--overrides: it is '{', expected a JSON object"),
        ("--sweep [1]", "--sweep: it is '[1]', expected a JSON object"),
        ("--variant {}", "--variant: it is '{}', expected NAME=JSON"),
        ("--variant a={} --variant a={}", "--variant has a, a, expected different names"),
        ('--devices 0 --overrides {"trainer.cuda_device":-1}', "has trainer.cuda_device -1, expected n"),
        (
            '--devices 0 --overrides {"distributed":{"a":0}}',
            "of slstm has distributed, expected neither",
        ),
        (
            "--devices 1 2",
            "has 2, expected -1 for the CPU or the number of a GPU, of which PyTorch sees 2",
        ),
        ("--devices -2", "--devices has -2, expected -1 for the CPU"),
    ],
)
def test_what_is_wrong_with_the_options(tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    with pytest.raises((ConfigurationError, SystemExit)) as error:
        compare(tmp_path, *options.split())
    assert message in f"{error.value} {capsys.readouterr().err}"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "runs, gpus, threads, message, config",
    [
        (8, 0, 1, "--jobs 4 does 4 at a time", {}),
        (8, 0, 2, "--jobs 2 does 2 at a time", {}),
        (3, 0, 1, "--jobs 3 does 3 at a time", {}),
        (8, 0, 4, None, {}),  # one run uses all four cores
        (1, 0, 1, None, {}),
        (8, 3, 1, "with 3 GPUs here: --devices 0 1 2 gives", {}),
        (2, 3, 1, "with 3 GPUs here: --devices 0 1 gives", {"distributed": None}),
        (8, 1, 1, None, {}),  # the only GPU is in use
        (8, 2, 1, None, {"distributed": {}}),
        (8, 2, 1, None, {"trainer": {"cuda_device": -1}}),
    ],
)
def test_what_is_idle_is_said(monkeypatch, runs, gpus, threads, message, config):
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    monkeypatch.setattr("torch.get_num_threads", lambda: threads)  # read when PyTorch was imported
    hints = [*more_at_a_time([Run("lstm", 1, config)] * runs, 4, gpus)]
    assert hints == [] if message is None else [message in hint for hint in hints] == [True]


@pytest.mark.slow
def test_a_linear_model_beside_them(tmp_path, capsys):
    """It has the same sentences, and the same result for every seed. After a kill it starts again."""
    options = {"trainer.num_epochs": 1, "dataset_reader.max_instances": 60}
    options["systems"] = [BILSTM, "--names", "lstm", "--linear"]
    killed = tmp_path / "runs" / "linear-1"
    killed.mkdir(parents=True)
    for name in ("config.json", "best.th.unfinished"):
        (killed / name).write_text("{")  # half of it
    compare(tmp_path, "--seeds", "1", "2", "--time-over-length", **options)
    assert "linear: test accuracy (%)" in capsys.readouterr().out
    report = read(tmp_path / "report.json")
    assert report["missing"] == [] and report["failed"] == {}
    first, second = report["systems"]["linear"]["runs"]
    assert first["test"] == second["test"] and first["parameters"] > 100
    assert first["parameters"] == first["trained_parameters"] and first["epochs"] == 1
    texts = [
        [json.loads(line)["texts"] for line in path.read_text().splitlines()]
        for path in sorted(tmp_path.glob("runs/*/predictions.jsonl"))
    ]
    assert len(texts) == 4 and all(text == texts[0] for text in texts)
    assert read(killed / "time_over_length.json")["groups"] == []
    assert not (killed / "best.th.unfinished").exists()
    pictures = "learning_curves length time_over_length confusion_lstm confusion_linear".split()
    assert list(report["pictures"]) == [f"{name}.svg" for name in pictures]
