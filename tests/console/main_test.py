"""`slstm`, as a user types it, in a folder without `.allennlp_plugins`."""

import contextlib
import errno
import fcntl
import json
import logging
import os
import pty
import re
import subprocess
import sys
import types
import warnings
from pathlib import Path
from unittest import mock

import pytest
from allennlp.common.util import SigTermReceived

import slstm_cli
from slstm_allennlp.console import training
from slstm_allennlp.console.friendly import friendly_messages
from slstm_allennlp.console.main import main
from slstm_allennlp.console.output_folder import locked
from slstm_allennlp.training.checkpointer import ReliableCheckpointer
from slstm_allennlp.training.signals import Stopped
from slstm_allennlp.version import __version__
from tests.conftest import ROOT, run_program

CHECKPOINT = "slstm_allennlp.training.checkpointer.ReliableCheckpointer.save_checkpoint"
RECOVER = "; the same command with --recover{} goes on"
OUTPUT = "the standard output or a file (--verbose shows where)"
PROGRAM = [sys.executable, "-m", "slstm_allennlp.console"]


def start(*arguments, **streams):
    """Start the program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*PROGRAM, *arguments], env=environment, text=True, **streams)


def run(*arguments):
    """Run the program in a process of its own, and return its exit status and its output."""
    process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    return process.returncode, out.splitlines(), err.splitlines()


def test_training_prints_a_line_an_epoch(folder, capsys):
    assert main(["train", "mine.json"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert re.fullmatch(
        r"Training basic_classifier with slstm \(balanced\): \d,\d{3} weights, "
        "12 sentences and 12 to validate, 2 labels: 6 no, 6 yes",
        lines[0],
    )
    for number, line in enumerate(lines[1:4], start=1):
        assert line.startswith(f"epoch {number}/3  loss 0.")
        assert "  validation accuracy " in line and "  validation loss 0." in line
        assert (" left" in line) == (number < 3)
    assert "  best so far" in lines[1]
    assert lines[4].startswith("best epoch ") and "validation accuracy " in lines[4]
    archive = "output/mine/model.tar.gz"
    assert lines[5:] == [f"the model: {archive}; to use it: slstm predict {archive} FILE"]
    os.rename("output/mine", "output/my own")
    assert list(training.result_lines(Path("output/my own")))[-1].endswith(
        "slstm predict 'output/my own/model.tar.gz' FILE"
    )
    os.rename("output/my own", "output/mine")
    log = (folder / "output" / "mine" / "out.log").read_text()
    assert len(log.splitlines()) > 100 and "model.seq2vec_encoder.num_steps = 2" in log


def test_early_stopping_says_so(changed, capsys):
    changed(trainer={"optimizer": {"type": "sgd", "lr": 0.0}, "num_epochs": 5, "patience": 2})
    assert main(["train", "mine.json"]) == 0
    _, *epochs, said, _, _ = capsys.readouterr().out.splitlines()
    assert [line[:9] for line in epochs] == ["epoch 1/5", "epoch 2/5", "epoch 3/5"]
    assert said == "stopped early: no better epoch in the last 2 (trainer.patience)"
    assert " left" in epochs[1] and " left" not in epochs[2]


def state():
    """Return what the program must leave as it was: all of AllenNLP, and the process."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("allennlp", "nltk") or name.startswith("torch.multiprocessing"):
            for key, value in list(vars(module).items()):
                if isinstance(value, (type, types.FunctionType, tuple)):
                    found[name, key] = value
                if isinstance(value, type) and value.__module__.startswith("allennlp."):
                    found.update({(value, own): member for own, member in list(vars(value).items())})
    root = logging.getLogger()
    process = (list(root.handlers), root.level, list(warnings.filters), sys.excepthook, {**os.environ})
    return found, process


@pytest.mark.parametrize("options", ([], ["--verbose"]), ids=str)
def test_everything_is_undone(folder, changed, monkeypatch, capsys, options):
    """After a training, after a mistake, after a bug, and within an outer context."""
    from allennlp.commands import train

    def broken(*_, **__):
        return {}["missing"]

    command = ["train", "mine.json", "--force", "-s", "run", *options]
    assert main(command) == 0  # imports what a training needs
    assert ("epoch 1/3" in capsys.readouterr().out) == (not options)  # else the console is AllenNLP's
    before, process = state()
    assert main(command) == 0
    with friendly_messages():
        assert main(command) == 0
    changed(model__seq2vec_encoder__num_step=3)
    assert main(command) == 2
    changed()
    with monkeypatch.context() as patched, pytest.raises(KeyError, match="missing"):
        patched.setattr(train, "train_model", broken)
        main(command)
    after, process_after = state()
    assert [name for name, value in before.items() if after.get(name) is not value] == []
    assert process_after == process


def test_the_program_with_warnings(folder, changed):
    """
    In its own process. It shows warnings, except the one about a missing patience. Files that have the
    name of a part of AllenNLP or of this package are not run.
    """
    for name in ("training", "tagging", "console"):
        (folder / f"{name}.py").write_text("raise SystemExit(7)")
    groups = [[["nothing"], {"lr": 1}]]
    changed(trainer__optimizer={"type": "adam", "parameter_groups": groups})
    status, out, (warning,) = run("train", "mine.json")
    assert (status, len(out)) == (0, 6)
    assert warning.startswith("warning: When constructing parameter groups, nothing does not match any")


@pytest.mark.slow
def test_the_processes_of_a_distributed_training(changed):
    """They are quiet, too, and end with the same sentences."""
    changed(distributed={"cuda_devices": [-1, -1]})
    status, out, err = run("train", "mine.json")
    assert status == 0, err
    assert len(out) == 6 and out[0].startswith("Training basic_classifier"), out
    assert all(line.startswith("warning: ") for line in err), err


@pytest.mark.parametrize("trainer", ["no_op", {"type": "no_op"}])
def test_a_trainer_without_epochs(folder, changed, capsys, trainer):
    changed(trainer=trainer)
    assert main(["train", "mine.json", "-s", "run"]) == 0
    assert "the model: run/model.tar.gz" in capsys.readouterr().out
    assert (folder / "run/model_card.md").exists()


def test_a_dry_run_leaves_its_folder_to_the_training(folder):
    assert main(["train", "mine.json", "-s", "run", "--dry-run"]) == 0
    assert main(["train", "mine.json", "-s", "run"]) == 0
    assert main(["train", "mine.json", "-s", "run"]) == 2


def test_fine_tuning_says_that_the_first_archive_is_needed(folder, changed, capsys):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    changed(model={"type": "from_archive", "archive_file": "run/model.tar.gz"})
    capsys.readouterr()
    assert main(["train", "mine.json", "-s", "tuned"]) == 0
    said = "warning: the model's archive will need run/model.tar.gz in its place whenever it is opened"
    assert said in capsys.readouterr().err.splitlines()
    assert main(["predict", "tuned/model.tar.gz", "dev.jsonl"]) == 0
    (folder / "run/model.tar.gz").rename(folder / "moved")
    assert main(["predict", "tuned/model.tar.gz", "dev.jsonl"]) == 2


def test_recovery_with_other_data_is_refused(folder, capsys):
    """Without checksums, as of an earlier version, other words are. The same in another order go on."""
    assert main(["train", "mine.json", "-s", "run"]) == 0
    text = (folder / "train.jsonl").read_text()
    (folder / "train.jsonl").write_text("\n".join(reversed(text.splitlines())))
    assert main(["train", "mine.json", "-s", "run", "--recover"]) == 2
    assert "train.jsonl (train_data_path) has changed since, expected the" in capsys.readouterr().err
    (folder / "run" / "data_checksums.json").unlink()
    vocabulary = (folder / "run/vocabulary/tokens.txt").read_bytes()
    assert main(["train", "mine.json", "-s", "run", "--recover"]) == 0
    assert (folder / "run/vocabulary/tokens.txt").read_bytes() == vocabulary
    (folder / "run" / "data_checksums.json").unlink()
    (folder / "train.jsonl").write_text(text.replace("film", "play"))
    assert main(["train", "mine.json", "-s", "run", "--recover"]) == 2
    err = capsys.readouterr().err
    assert (
        "the vocabulary of the data is not that in run/vocabulary" in err and "(-f in its place" in err
    )


def test_a_file_system_without_locks(tmp_path, monkeypatch, caplog):
    no_locks = mock.Mock(side_effect=OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr(fcntl, "flock", no_locks)
    with locked(tmp_path):
        assert "no lock on this file system (" in caplog.text


def test_an_object_in_the_overrides_replaces_a_part(folder, capsys):
    override = json.dumps(
        {"data_loader": {"batch_size": 4}, "trainer.optimizer": {"type": "sgd", "lr": 1}}
    )
    assert main(["train", "mine.json", "-s", "run", "--dry-run", "-o", override]) == 0
    assert "--overrides" not in capsys.readouterr().err
    override = json.dumps({"trainer": {"num_epochs": 1}})
    assert main(["train", "mine.json", "-s", "run", "--dry-run", "-o", override]) == 0
    said = "--overrides: the object trainer replaces all of it, also "
    (line,) = [line for line in capsys.readouterr().err.splitlines() if said in line]
    assert line.endswith("'trainer.num_epochs' changes one key alone")


def test_recovery_with_other_settings_is_refused(folder, capsys):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    other = json.dumps({"trainer.num_epochs": 34, "trainer.patience": 2})
    assert main(["train", "mine.json", "-s", "run", "--recover", "-o", other]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("error: --recover: trainer.num_epochs is 34, and was ")
    assert "; trainer.patience is 2, and was absent, expected the first command" in line


def test_recovery_without_an_empty_object_is_refused(folder, capsys):
    """`"moving_average": {}` is AllenNLP's default average, and not none."""
    given, none = json.dumps({"trainer.moving_average": {}}), "{}"
    for now, was in ((given, none), (none, given)):
        assert main(["train", "mine.json", "-s", "run", "-f", "-o", was]) == 0
        capsys.readouterr()
        assert main(["train", "mine.json", "-s", "run", "--recover", "-o", now]) == 2
        shown = "{}, and was absent" if now == given else "absent, and was {}"
        assert f"--recover: trainer.moving_average is {shown}, expected" in capsys.readouterr().err


def test_predict_and_evaluate(folder, changed, capsys):
    """`evaluate` scores all sentences, whatever an epoch of the training leaves out, in their order."""
    loader = {"batch_size": 8, "drop_last": True, "batches_per_epoch": 1, "shuffle": True}
    changed(data_loader={**loader, "max_instances_in_memory": 9})
    assert main(["train", "mine.json", "-s", "run"]) == 0
    capsys.readouterr()
    archive = "run/model.tar.gz"
    assert main(["predict", archive, "dev.jsonl", "--silent", "--output-file", "out"]) == 0
    out, err = capsys.readouterr()
    form, correct = err.splitlines()
    assert (out, form) == ("", "dev.jsonl: read as JSON, one object per line")
    predicted = (folder / "out").read_text()
    assert len(predicted.splitlines()) == 12
    assert main(["predict", archive, "dev.jsonl"]) == 0
    assert capsys.readouterr().out == predicted
    outputs = ["--output-file", "metrics", "--predictions-output-file", "predictions"]
    assert main(["evaluate", archive, "dev.jsonl", *outputs]) == 0
    accuracy = json.loads((folder / "metrics").read_text())["accuracy"]
    assert correct == f"correct: {round(12 * accuracy)} of 12 ({100 * accuracy:.2f} %)"
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == (f"accuracy  {accuracy:.4f}", "")
    lines = map(json.loads, (folder / "predictions").read_text().splitlines())
    for line, one in zip(lines, map(json.loads, predicted.splitlines()), strict=True):
        assert [line["gold"], line["predicted"]] == [one["gold"], one["label"]]
        assert line["texts"] == {"tokens": " ".join(one["words"])}
    limit = ["-o", '{"dataset_reader.max_instances": 10}']
    assert main(["evaluate", archive, "dev.jsonl,train.jsonl", *limit]) == 0
    out, err = capsys.readouterr()
    scored = "at most the first 10 are scored (max_instances)"
    assert err == f"warning: dev.jsonl: {scored}\nwarning: train.jsonl: {scored}\n"
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["dev_accuracy", "dev_loss"]
    assert "dev.jsonl:" in lines and "train.jsonl:" in lines
    assert main(["evaluate", archive, "dev.jsonl,train.jsonl", "--auto-names", "ALL"]) == 0
    assert (folder / "train.preds").read_text().count("\n") == 12
    assert json.loads((folder / "dev.outputs").read_text())["accuracy"] == accuracy


@pytest.mark.parametrize("command", ("config", "predict"))
def test_a_closed_pipe(folder, command):
    """As with `| head -0`."""
    files = []
    if command == "predict":
        assert main(["train", "mine.json", "-s", "run"]) == 0
        files = ["run/model.tar.gz", "dev.jsonl"]
    process = start(command, *files, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert "rror" not in process.stderr.read()
    assert process.wait() == 141


@pytest.mark.parametrize(
    "redirection, options, status, end",
    [
        (">/dev/full", [], 2, f"error: No space left on device: {OUTPUT} cannot be written"),
        (">&-", ["--silent", "--output-file", "out.jsonl"], 0, "correct: 6 of 12 (50.00 %)"),  # a daemon
    ],
)
def test_a_standard_output_that_takes_nothing(folder, redirection, options, status, end):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    files = ["run/model.tar.gz", "dev.jsonl"]
    shell = ["sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM, "predict", *files, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(shell, env=environment, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.splitlines()[1:]) == (status, [end])


@pytest.mark.parametrize("options, stop", [([], SystemExit), (["--verbose"], OSError)])
def test_a_full_disk_of_another_file(monkeypatch, capsys, options, stop):
    """A daemon has no standard output."""
    full = mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr("slstm_allennlp.console.main.main", full)
    monkeypatch.setattr("allennlp.common.util.install_sigterm_handler", lambda: None)
    monkeypatch.setattr(sys, "argv", ["slstm", "train", *options])
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(stop):
        slstm_cli.run()
    said = f"error: No space left on device: {OUTPUT} cannot be written\n"
    assert capsys.readouterr().err == ("" if options else said)


def test_find_lr_and_inside(folder, capsys):
    """`slstm inside` is `allennlp slstm-inside`."""
    assert main(["find-lr", "mine.json", "-s", "rates", "--num-batches", "12"]) == 0
    assert capsys.readouterr() == ("the losses by learning rate: rates/lr-losses.png\n", "")
    assert (folder / "rates" / "lr-losses.png").exists()
    assert main(["train", "mine.json", "-s", "run"]) == 0
    (folder / "texts.txt").write_text("a good film\n\na bad film\n")
    capsys.readouterr()
    assert main(["inside", "run/model.tar.gz", "texts.txt", "--output-dir", "look"]) == 0
    out, err = capsys.readouterr()
    assert err == "texts.txt: read as plain text, one text per line\n"
    first, *_, last = lines = out.splitlines()
    assert (first, len(lines), last) == ("a good film", 5, "The page: look/inside.html")
    assert (folder / "look" / "inside.html").exists()


def test_commands_of_allennlp(folder, capsys):
    """Those that the other tests only have refused."""
    assert main(["train", "mine.json", "-s", "run"]) == 0
    for command, said in (
        ("count-instances mine.json", "contains 12 instances"),
        ("build-vocab mine.json vocab.tar.gz", "Vocab saved to"),
        ("print-results . -k best_validation_accuracy", "run/metrics.json, "),
        ("diff run/best.th run/best.th", "shape = ("),
        ("cached-path --inspect", "Cached resources"),
    ):
        capsys.readouterr()
        assert main(command.split()) == 0, command
        assert said in "".join(capsys.readouterr()), command
    assert (folder / "vocab.tar.gz").exists()


def test_one_bar_on_a_terminal_that_leaves_no_trace(folder):
    """The lines are the same as in a pipe, and each progress bar is erased from its line."""
    terminal, program_end = pty.openpty()
    streams = {"stdin": program_end, "stdout": program_end, "stderr": program_end}
    process = start("train", "mine.json", **streams)
    os.close(program_end)
    shown = b""
    with contextlib.suppress(OSError):  # Linux raises it when the terminal is closed
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    assert process.wait() == 0, shown
    text = shown.decode().replace("\r\n", "\n").rstrip("\n")
    lines = [line.split("\r") for line in text.split("\n")]
    starts = ["Training", "epoch 1/3", "epoch 2/3", "epoch 3/3", "best epoch", "the model:"]
    assert all(parts[-1].startswith(start) for parts, start in zip(lines, starts, strict=True))
    assert any("%|" in part for part in lines[1])  # the batches of the first epoch
    for parts in lines[:4]:  # a bar, and then blanks over it
        assert parts[-2].strip() == "" and len(parts[-2]) >= len(parts[-3].rstrip())


def test_help_and_version(capsys):
    assert slstm_cli.answer(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"slstm-allennlp {__version__}, AllenNLP 2.")
    assert slstm_cli.answer([]) == slstm_cli.answer(["--help"]) == 0
    short, _, long = capsys.readouterr().out.partition("\n\nMore")
    listed = re.findall(r"^    (\S+) ", short + long, re.MULTILINE)
    with pytest.raises(SystemExit, match="2"):
        main(["nothing"])
    (known,) = re.findall(r"choose from (.*?)\)", capsys.readouterr().err)
    assert {*listed} == {"config", *known.replace("'", "").split(", ")}
    with pytest.raises(SystemExit, match="2"):
        main(["--new"])
    assert capsys.readouterr().err == "error: unrecognized arguments: --new (help: slstm --help)\n"
    with pytest.raises(SystemExit, match="2"):
        main(["train", "mine.json", "--zzz"])
    assert capsys.readouterr().err == "error: unrecognized arguments: --zzz (help: slstm train --help)\n"
    with pytest.raises(SystemExit, match="0"):
        main(["train", "--help"])
    shown = capsys.readouterr().out
    assert "--verbose" in shown and "data_loader.batch_size" in shown and "iterator." not in shown


@pytest.mark.parametrize(
    "line, words", [("slstm tr", ["train "]), ("slstm train mr_sl", ["mr_slstm", "mr_slstm_attention"])]
)
def test_the_tab_key(folder, line, words):
    """As bash asks it, without AllenNLP."""
    pytest.importorskip("argcomplete")
    asked = {
        "_ARGCOMPLETE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "words"),
    }
    code = "import sys; sys.modules.update(allennlp=None, torch=None); import slstm_cli; slstm_cli.run()"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, check=True)
    assert (folder / "words").read_text().split("\v") == words


def test_what_needs_no_allennlp():
    code = "import sys, slstm_cli; slstm_cli.answer(['config', 'mr_slstm']); slstm_cli.answer(['-h']); "
    code += "assert not {'torch', 'allennlp', 'slstm_allennlp'} & {*sys.modules}"
    assert run_program([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_without_allennlp(monkeypatch, capsys):
    monkeypatch.setattr(slstm_cli, "find_spec", lambda name: None)
    assert slstm_cli.answer(["train", "mr_slstm"]) == 2
    assert capsys.readouterr().err.startswith("error: slstm needs AllenNLP: docs/installing.md")


@pytest.mark.parametrize(
    "where, by, options, how",
    [
        ("slstm_allennlp.console.main.main", KeyboardInterrupt(), [], ""),
        ("allennlp.commands.train.train_model", KeyboardInterrupt(), [], ""),
        ("allennlp.commands.train.train_model", Stopped(143), [], ""),
        (CHECKPOINT, Stopped(130), [], RECOVER.format("")),
        (CHECKPOINT, SigTermReceived(), ["-f"], RECOVER.format(" in the place of --force")),
    ],
)
def test_an_interruption(folder, monkeypatch, capsys, where, by, options, how):
    """At the start, or during the training, before or after a checkpoint."""
    save = ReliableCheckpointer.save_checkpoint

    def interrupted(*arguments, **_):
        if where == CHECKPOINT:
            save(*arguments)
        raise by

    monkeypatch.setattr(where, interrupted)
    monkeypatch.setattr(sys, "argv", ["slstm", "train", "mine.json", "-s", "run", *options])
    monkeypatch.setattr("allennlp.common.util.install_sigterm_handler", lambda: None)
    number = getattr(by, "code", 130 if isinstance(by, KeyboardInterrupt) else 143)
    with pytest.raises(SystemExit, match=f"^{number}$"):
        slstm_cli.run()
    assert capsys.readouterr().err == f"interrupted{how}\n"


@pytest.mark.parametrize("policy, spins", [({}, "3000"), ({"OMP_WAIT_POLICY": "ACTIVE"}, None)])
def test_waiting_threads_sleep_soon(monkeypatch, policy, spins):
    environment = {"PATH": os.environ["PATH"], **policy}
    monkeypatch.setattr(sys, "argv", ["slstm", "train"])
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr("slstm_allennlp.console.main.main", lambda arguments: 0)
    monkeypatch.setattr("allennlp.common.util.install_sigterm_handler", lambda: None)
    with pytest.raises(SystemExit, match="0"):
        slstm_cli.run()
    assert environment.get("GOMP_SPINCOUNT") == spins
