"""`slstm`, as a user types it, in a folder without `.allennlp_plugins`."""

import contextlib
import json
import logging
import os
import pty
import re
import subprocess
import sys

import pytest
from allennlp.common import util

from slstm_allennlp.console.main import main
from slstm_allennlp.version import __version__
from tests.conftest import ROOT, run_program

CONFIG = {
    "dataset_reader": {"type": "text_classification_json", "tokenizer": {"type": "spacy_blank"}},
    "train_data_path": "train.jsonl",
    "validation_data_path": "dev.jsonl",
    "model": {
        "type": "basic_classifier",
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 8}}},
        "seq2vec_encoder": {
            "type": "slstm",
            "input_size": 8,
            "hidden_size": 10,
            "num_steps": 2,
            "transition": "balanced",
        },
    },
    "data_loader": {"batch_size": 8},
    "trainer": {"optimizer": "adam", "num_epochs": 3, "validation_metric": "+accuracy"},
}


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A user's folder: data and a config, and nothing of this project."""
    lines = [
        {"text": f"{word} film number {number}", "label": label}
        for number in range(6)
        for word, label in (("good", "yes"), ("bad", "no"))
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "train.jsonl").write_text(text)
    (tmp_path / "dev.jsonl").write_text(text)
    (tmp_path / "mine.json").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(folder, **keys):
    """Write the config with other values. In their keys, `__` stands for a dot."""
    config = json.loads(json.dumps(CONFIG))
    for key, value in keys.items():
        *path, last = key.split("__")
        part = config
        for name in path:
            part = part[name]
        part[last] = value
    (folder / "mine.json").write_text(json.dumps(config))


def test_training_prints_a_line_an_epoch(folder, capsys):
    assert main(["train", "mine.json"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert re.fullmatch(
        r"Training basic_classifier with slstm \(balanced\): \d,\d{3} weights, "
        "12 sentences and 12 to validate",
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
    log = (folder / "output" / "mine" / "out.log").read_text()
    assert len(log.splitlines()) > 100 and "model.seq2vec_encoder.num_steps = 2" in log


def test_verbose_is_allennlps_console(folder, capsys):
    """Without log lines here, because pytest replaces the log handlers."""
    assert main(["train", "mine.json", "-s", "run", "--verbose"]) == 0
    out, err = capsys.readouterr()
    assert "model.seq2vec_encoder.num_steps = 2" in out + err
    assert "epoch 1/3" not in out


def test_log_handlers_and_level_are_restored(folder):
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    assert main(["train", "mine.json", "-s", "run"]) == 0
    assert (list(root.handlers), root.level) == before


def test_the_program_with_warnings_and_one_sentence(folder):
    """In its own process. It shows warnings, except the one about a missing patience."""
    groups = [[["nothing"], {"lr": 1}]]
    changed(folder, trainer__optimizer={"type": "adam", "parameter_groups": groups})
    program = [sys.executable, "-m", "slstm_allennlp.console"]
    done = run_program([*program, "train", "mine.json"])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 6
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: When constructing parameter groups, nothing does not match any")
    done = run_program([*program, "train", "mine.json"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the output folder output/mine exists and is not empty: -f (")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_the_processes_of_a_distributed_training_are_quiet(folder):
    changed(folder, distributed={"cuda_devices": [-1, -1]})
    # Like the installed program, which each of the processes loads, too.
    main_file = "from slstm_allennlp.console.main import run\nif __name__ == '__main__':\n    run()\n"
    (folder / "slstm").write_text(main_file)
    program = [sys.executable, str(folder / "slstm")]
    done = run_program([*program, "train", "mine.json"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 6 and lines[0].startswith("Training basic_classifier"), done.stdout
    assert all(line.startswith("warning: ") for line in done.stderr.splitlines()), done.stderr


def test_predict_and_evaluate(folder, capsys):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    capsys.readouterr()
    assert main(["predict", "run/model.tar.gz", "dev.jsonl", "--silent", "--output-file", "out"]) == 0
    assert capsys.readouterr() == ("", "")
    assert len((folder / "out").read_text().splitlines()) == 12
    assert main(["evaluate", "run/model.tar.gz", "dev.jsonl", "--output-file", "metrics"]) == 0
    accuracy = json.loads((folder / "metrics").read_text())["accuracy"]
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == (f"accuracy  {accuracy:.4f}", "")


def test_find_lr(folder, capsys):
    assert main(["find-lr", "mine.json", "-s", "rates", "--num-batches", "12"]) == 0
    assert capsys.readouterr() == ("the losses by learning rate: rates/lr-losses.png\n", "")
    assert (folder / "rates" / "lr-losses.png").exists()


def test_inside(folder, capsys):
    """`slstm inside` is `allennlp slstm-inside`."""
    assert main(["train", "mine.json", "-s", "run"]) == 0
    (folder / "texts.txt").write_text("a good film\n\na bad film\n")
    capsys.readouterr()
    assert main(["inside", "run/model.tar.gz", "texts.txt", "--output-dir", "look"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.splitlines()[0] == "a good film" and len(out.splitlines()) == 5
    assert out.splitlines()[-1] == "The page: look/inside.html"
    assert (folder / "look" / "inside.html").exists()


def test_one_bar_on_a_terminal_that_leaves_no_trace(folder):
    """The lines are the same as in a pipe, and each progress bar is erased from its line."""
    program = [sys.executable, "-m", "slstm_allennlp.console", "train", "mine.json"]
    terminal, program_end = pty.openpty()
    process = subprocess.Popen(program, stdin=program_end, stdout=program_end, stderr=program_end)
    os.close(program_end)
    shown = b""
    with contextlib.suppress(OSError):  # Linux raises it when the terminal is closed
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    assert process.wait() == 0, shown
    text = shown.decode().replace("\r\n", "\n").rstrip("\n")
    lines = [line.split("\r") for line in text.split("\n")]
    assert [parts[-1][:12] for parts in lines] == [
        "Training bas",
        "epoch 1/3  l",
        "epoch 2/3  l",
        "epoch 3/3  l",
        "best epoch 1",
        "the model: o",
    ]
    assert any("%|" in part for part in lines[1])  # the batches of the first epoch
    for parts in lines[:4]:  # a bar, and then blanks over it
        assert parts[-2].strip() == "" and len(parts[-2]) >= len(parts[-3].rstrip())


def test_help_and_version(capsys):
    for arguments, expected in (
        (["--version"], f"slstm-allennlp {__version__}, AllenNLP 2."),
        (["train", "--help"], "--verbose"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        assert expected in capsys.readouterr().out
    assert main([]) == 0
    out = capsys.readouterr().out
    for command in ("train", "predict", "evaluate", "find-lr", "compare", "inside", "config"):
        assert f"\n    {command} " in out


MISTAKES = [
    ({"model__seq2vec_encoder__num_step": 3}, "did you mean 'num_steps'?"),
    ({"model__seq2vec_encoder__type": "slsmt"}, "type is 'slsmt', did you mean 'slstm'?"),
    ({"model__seq2vec_encoder__transition": "balance"}, "'balance', did you mean 'balanced'?"),
    (
        {"model__seq2vec_encoder__num_layers": 2, "model__seq2vec_encoder__bidirectional": True},
        'slstm has no keys "bidirectional", "num_layers": ',
    ),
    (
        {
            "model__feedforward": {
                "input_dim": 20,
                "num_layers": 1,
                "hidden_dims": 5,
                "activations": "relu",
            }
        },
        "the seq2vec_encoder gives 10, model.feedforward.input_dim is 20, expected 10",
    ),
    ({"trainer__cuda_device": 99}, "cuda_device (trainer.cuda_device of a config, --cuda-device of a "),
    ({"train_data_path": "nowhere.jsonl"}, "nowhere.jsonl: cannot be read"),
    ({"data_loader": {"batch_size": 0}}, "batch_size must be at least 1"),
    ({"trainer__num_epochs": 0}, "trainer.num_epochs is 0, expected 1 or more"),
    ({"trainer__num_epochs": "three"}, "Expected num_epochs to be a int."),
    (
        {"dataset_reader": {"type": "tagged_text"}},
        "train.jsonl, line 1: 1 column between tabs, expected",
    ),
]


@pytest.mark.parametrize("keys, message", MISTAKES, ids=lambda value: str(value)[:40])
def test_a_mistake_is_one_line(folder, capsys, keys, message):
    changed(folder, **keys)
    assert main(["train", "mine.json", "-s", "run"]) == 2
    err = capsys.readouterr().err
    (line,) = err.splitlines()
    assert line.startswith("error: ") and message in line
    assert "Traceback (most recent call last)" in (folder / "run" / "out.log").read_text()


def test_columns_that_are_read_as_conllu(folder, capsys):
    (folder / "tags.txt").write_text("It\tPRP\nrains\tVBZ\n")
    changed(folder, dataset_reader={"type": "tagged_text"}, train_data_path="tags.txt")
    assert main(["train", "mine.json", "-s", "run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: tags.txt, line 1: 2 columns between tabs, expected the 10 of CoNLL-U")
    assert '"format": "columns"' in line


def test_no_tokenizer_and_no_network(folder, monkeypatch, capsys):
    def download(name):
        raise ConnectionError("no network")

    monkeypatch.setattr(util, "spacy_download", download)
    changed(folder, dataset_reader={"type": "text_classification_json"})
    assert main(["train", "mine.json", "-s", "run"]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(
        "error: the spaCy model en_core_web_sm is not installed and could not be fetched"
    )
    assert '"tokenizer": {"type": "spacy_blank"}' in line


def test_a_label_that_the_model_does_not_know(folder, capsys):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    (folder / "new.jsonl").write_text('{"text": "a good film", "label": "perhaps"}\n')
    capsys.readouterr()
    assert main(["evaluate", "run/model.tar.gz", "new.jsonl"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "error: new.jsonl, sentence 1 (\"a good film\"): 'perhaps' is a label that the model does not "
        "know (labels), expected one of yes, no"
    )


def test_a_mistake_with_its_traceback(folder, capsys):
    changed(folder, model__seq2vec_encoder__num_step=3)
    assert main(["train", "mine.json", "-s", "run", "--verbose"]) == 2
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert err.splitlines()[-1].endswith("did you mean 'num_steps'?")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["train", "nowhere.json"], "nowhere.json"),
        (["train", "broken.jsonnet"], "broken.jsonnet:1:"),
        (["train", "mr_slsm"], "no file mr_slsm and no config of that name, did you mean 'mr_slstm'?"),
        (["train", "."], ". is a folder, expected a config, such as ./config.json"),
        (["config", "mr_slsm"], "there is no config 'mr_slsm', did you mean 'mr_slstm'?"),
        (["predict", "nowhere.tar.gz", "dev.jsonl"], "nowhere.tar.gz"),
        (
            ["train", "mine.json", "--include-package", "slstm_allenlp.modules"],
            "--include-package is 'slstm_allenlp.modules', and Python finds no 'slstm_allenlp'",
        ),
    ],
)
def test_a_mistake_in_the_command_line(folder, capsys, arguments, message):
    (folder / "broken.jsonnet").write_text('{ "model": ')
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line


def test_a_bug_keeps_its_traceback(folder, monkeypatch):
    from allennlp.commands import train

    def broken(*_, **__):
        return {}["missing"]

    monkeypatch.setattr(train, "train_model", broken)
    with pytest.raises(KeyError, match="missing"):
        main(["train", "mine.json", "-s", "run"])


def test_an_interruption(folder, monkeypatch, capsys):
    from allennlp.commands import train

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "train_model", interrupted)
    assert main(["train", "mine.json", "-s", "run"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.slow
def test_allennlp_itself_is_as_it_was(folder):
    """Except that the plugin's registrations are not logged."""
    command = [sys.executable, "-m", "allennlp", "train", "mine.json", "-s", "run"]
    flags = ["--include-package", "slstm_allennlp"]
    done = run_program([*command, *flags])
    assert done.returncode == 0, done.stderr[-2000:]
    assert "model.seq2vec_encoder.num_steps = 2" in done.stdout + done.stderr
    assert "has already been registered" not in done.stdout + done.stderr


def test_the_training_configs_are_found_by_name(folder, capsys):
    overrides = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": 8,
        "model.seq2seq_encoder.input_dim": 8,
        "model.seq2vec_encoder.input_size": 8,
        "model.seq2vec_encoder.hidden_size": 8,
        "trainer.num_epochs": 1,
    }
    assert main(["train", "mr_slstm", "-o", json.dumps(overrides)]) == 0
    assert (folder / "output" / "mr_slstm" / "model.tar.gz").exists()
    assert capsys.readouterr().out.startswith("Training basic_classifier with slstm (paper): ")
    assert str(ROOT) in (folder / "output" / "mr_slstm" / "config.json").read_text()
