"""Faults during training: the error message, and the files that are left."""

import fcntl
import math
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.mistakes import USERS_MISTAKE
from slstm_allennlp.console.main import main
from slstm_allennlp.training.signals import received_signals
from tests.training.conftest import EVERY_BATCH, assert_same


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
@pytest.mark.parametrize("batch", (2, 4, 9))
def test_signals(run, tmp_path, fault, number, batch):
    before = signal.getsignal(number)
    whole = run("whole")
    fault(batch, lambda trainer: os.kill(os.getpid(), number))
    with pytest.raises(SystemExit) as stopped:
        run("stopped")
    assert stopped.value.code == 128 + number
    assert signal.getsignal(number) is before
    epoch, last = divmod(batch - 1, 4)
    assert (tmp_path / "stopped" / f"training_state_e{epoch}_b{last + 1}.th").exists()
    assert_same(run("stopped", recover=True), whole)


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
def test_a_second_signal_ends_it_at_once(run, tmp_path, fault, number):
    before = signal.getsignal(number)

    def twice(trainer):
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        raise AssertionError("it goes on")

    fault(2, twice)
    with pytest.raises(SystemExit) as stopped:
        run("stopped")
    assert stopped.value.code == 128 + number and signal.getsignal(number) is before
    assert not (tmp_path / "stopped" / "training_state_e0_b2.th").exists()


def test_a_training_in_another_thread():
    """Only the main thread can receive signals."""

    def received():
        with received_signals() as signals:
            return list(signals)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(received).result() == []


FILES = ("model", "training")
WEIGHT = "tag_projection_layer._module.weight"
WRITTEN = f"after batch 2 of epoch 1 the weights {WEIGHT} are NaN or"
IN_LOSS = rf"^nan loss encountered: the loss is nan in .* after batch 2 of epoch 1, .*{WEIGHT} are not f"
OFTEN = (EVERY_BATCH, WRITTEN, "e1_b1")


@pytest.mark.parametrize(
    "value, options, message, last",
    [(math.nan, *OFTEN), (math.inf, *OFTEN), (math.nan, {}, IN_LOSS, "e1_b0")],
)
def test_weights_that_are_not_finite(run, tmp_path, fault, value, options, message, last):
    """Even with a checkpoint after every batch, none with such weights is written."""

    def set_weight(trainer):
        with torch.no_grad():
            trainer.model.get_parameter(WEIGHT)[0, 0] = value

    fault(6, set_weight)
    with pytest.raises(ValueError, match=message):
        run("run", **options)
    weights = torch.load(tmp_path / "run" / f"model_state_{last}.th")
    assert all(torch.isfinite(weight).all() for weight in weights.values())
    assert not (tmp_path / "run" / "model_state_e1_b2.th").exists()
    run("run", recover=True, **options)


def test_an_infinite_loss(run, tmp_path, fault):
    def scale(trainer):
        forward = trainer.model.forward
        trainer.model.forward = lambda **batch: {"loss": forward(**batch)["loss"] * math.inf}

    fault(2, scale)
    with pytest.raises(ValueError, match=r"^the loss is inf in the .* \(all weights are finite"):
        run("run")


# AllenNLP looks for the model's state: without it there is no checkpoint.
@pytest.mark.parametrize(
    "part, damage",
    [(part, how) for part in FILES for how in ("cut", "empty")]
    + [("training", "missing")]
    + [("model", how) for how in ("bit of a weight", "bit of a name", "bit of the zip file")],
)
def test_a_damaged_checkpoint(run, killed, part, damage):
    # After the sixth checkpoint, the second of epoch 1
    path = killed(6, **EVERY_BATCH) / f"{part}_state_e1_b2.th"
    if damage == "missing":
        path.unlink()
    elif damage.startswith("bit of "):
        parts = {
            "bit of a weight": torch.load(path)[WEIGHT].numpy().tobytes(),
            "bit of a name": b"torch",
            "bit of the zip file": b"PK\x03\x04",
        }
        content, before = path.read_bytes(), parts[damage]
        assert before in content
        path.write_bytes(content.replace(before, bytes([before[0] ^ 1]) + before[1:], 1))
    else:
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2 if damage == "cut" else 0)
    assert_same(run("killed", recover=True, **EVERY_BATCH), run("whole", **EVERY_BATCH))
    assert path.with_name(f"{path.name}.damaged").exists() is (damage != "missing")


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_checkpoint_without_checksums(run, killed, is_zip):
    checksums = getattr(torch.serialization, "set_crc32_options", lambda _: None)  # of PyTorch 2.6
    path = killed(6, **EVERY_BATCH) / "model_state_e1_b2.th"
    checksums(False)
    try:
        torch.save(torch.load(path), path, _use_new_zipfile_serialization=is_zip)
    finally:
        checksums(True)
    assert_same(run("killed", recover=True, **EVERY_BATCH), run("whole", **EVERY_BATCH))
    assert not path.with_name(f"{path.name}.damaged").exists()


def test_when_every_checkpoint_is_damaged(run, killed):
    for path in killed(6, **EVERY_BATCH).glob("model_state*.th"):
        path.write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"model_state_e1_b.\.th is damaged"):
        run("killed", recover=True, **EVERY_BATCH)


def test_two_trainings_in_one_folder(run, tmp_path, capsys):
    run("other")  # writes the config
    (folder := tmp_path / "run").mkdir()
    train = ["train", str(tmp_path / "config.json"), "-s", str(folder)]
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # as another process would
    for options in ([], ["--recover"], ["--force"]):
        assert main([*train, *options]) == USERS_MISTAKE
        assert "another training is running in this folder" in capsys.readouterr().err
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    assert main(train) == 0
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it does not hold the lock any more
    os.close(descriptor)
    assert main([*train, "--recover"]) == 0
