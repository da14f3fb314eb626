"""Faults during training: the error message, and the files that are left."""

import fcntl
import math
import os
import resource
import signal
import sys

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import TrainerCallback

from slstm_allennlp.console.folder_lock import _held
from tests import programs
from tests.conftest import ROOT
from tests.training.run_state_test import KillAfter, Killed, run  # noqa: F401

# The runs of these tests have 3 epochs of 4 batches.
EVERY_BATCH = {"checkpointer": {"save_every_num_batches": 1}}


@TrainerCallback.register("fault")
class Fault(TrainerCallback):
    """Call `happen(trainer)` after `after` training batches."""

    after, happen = None, None

    def on_batch(self, trainer, *args, is_training=True, **kwargs):
        if is_training and type(self).after is not None:
            type(self).after -= 1
            if type(self).after == 0:
                type(self).happen(trainer)


@pytest.fixture
def fault():
    def arm(after, happen):
        Fault.after, Fault.happen = after, staticmethod(happen)
        return {"callbacks": ["kill_after", "fault"]}

    KillAfter.remaining = None
    yield arm
    Fault.after = None


def assert_same(found, expected):
    assert found[1] == expected[1]
    for kind, weights in expected[0].items():
        for name, tensor in weights.items():
            assert torch.equal(found[0][kind][name], tensor), (kind, name)


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
@pytest.mark.parametrize("batch", (2, 4, 9))
def test_signals(run, tmp_path, fault, number, batch):  # noqa: F811
    before = signal.getsignal(number)
    callbacks = fault(None, None)
    whole = run("whole", **callbacks)
    fault(batch, lambda trainer: os.kill(os.getpid(), number))
    with pytest.raises(SystemExit) as stopped:
        run("stopped", **callbacks)
    assert stopped.value.code == 128 + number
    assert signal.getsignal(number) is before
    epoch, last = divmod(batch - 1, 4)
    assert (tmp_path / "stopped" / f"training_state_e{epoch}_b{last + 1}.th").exists()
    Fault.after = None
    assert_same(run("stopped", recover=True, **callbacks), whole)


SIGNALLED = """
import sys
sys.path.insert(0, {root!r})
import os, signal, slstm_allennlp
from allennlp.training import TrainerCallback

@TrainerCallback.register("terminate")
class Terminate(TrainerCallback):
    def on_batch(self, trainer, *args, **kwargs):
        os.kill(os.getpid(), signal.SIGTERM)

from allennlp.commands.train import train_model_from_file
train_model_from_file({config!r}, {folder!r}, overrides={{"trainer.callbacks": ["terminate"]}})
"""


def test_exit_status(tmp_path):
    folder = tmp_path / "run"
    config = str(ROOT / "training_config" / "mr_slstm.jsonnet")
    code = SIGNALLED.format(root=str(ROOT), config=config, folder=str(folder))
    process = programs.run([sys.executable, "-c", code], cwd=ROOT)
    assert process.returncode == 128 + signal.SIGTERM, process.stderr
    assert (folder / "training_state_e0_b1.th").exists()


def set_weights(value):
    def happen(trainer):
        with torch.no_grad():
            trainer.model.tag_projection_layer._module.weight[0, 0] = value

    return happen


@pytest.mark.parametrize("value", (math.nan, math.inf))
def test_weights_that_are_not_finite(run, tmp_path, fault, value):  # noqa: F811
    """With a checkpoint after every batch, none with such weights is written."""
    callbacks = fault(6, set_weights(value))
    message = r"after batch 2 of epoch 1 the weights tag_projection_layer._module.weight are NaN or"
    with pytest.raises(ValueError, match=message):
        run("run", **callbacks, **EVERY_BATCH)
    last = torch.load(tmp_path / "run" / "model_state_e1_b1.th")
    assert all(torch.isfinite(weight).all() for weight in last.values())
    assert not (tmp_path / "run" / "model_state_e1_b2.th").exists()
    Fault.after = None
    run("run", recover=True, **callbacks, **EVERY_BATCH)


def test_a_loss_that_is_not_finite(run, tmp_path, fault):  # noqa: F811
    callbacks = fault(6, set_weights(math.nan))
    message = (
        r"nan loss encountered: the loss is nan in the batch after batch 2 of epoch 1, "
        r"expected a finite number \(the weights tag_projection_layer._module.weight are not finite\)"
    )
    with pytest.raises(ValueError, match=message):
        run("run", **callbacks)
    assert (tmp_path / "run" / "model_state_e1_b0.th").exists()


def test_an_infinite_loss(run, tmp_path, fault):  # noqa: F811
    def scale(trainer):
        forward = trainer.model.forward
        trainer.model.forward = lambda **batch: {"loss": forward(**batch)["loss"] * math.inf}

    with pytest.raises(
        ValueError, match=r"^the loss is inf in the batch after .* \(all weights are finite"
    ):
        run("run", **fault(2, scale))


@pytest.mark.parametrize("damage", ("cut", "empty", "missing"))
@pytest.mark.parametrize("part", ("model", "training"))
def test_a_damaged_checkpoint(run, tmp_path, fault, part, damage):  # noqa: F811
    if (part, damage) == ("model", "missing"):
        pytest.skip("AllenNLP looks for the model's state: without it there is no checkpoint")
    whole = run("whole", **EVERY_BATCH)
    KillAfter.remaining = 6
    with pytest.raises(Killed):
        run("damaged", **EVERY_BATCH)
    KillAfter.remaining = None
    path = tmp_path / "damaged" / f"{part}_state_e1_b2.th"
    if damage == "missing":
        path.unlink()
    else:
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2 if damage == "cut" else 0)
    assert_same(run("damaged", recover=True, **EVERY_BATCH), whole)
    assert (tmp_path / "damaged" / f"{part}_state_e1_b2.th.damaged").exists() is (damage != "missing")


def test_when_every_checkpoint_is_damaged(run, tmp_path, fault):  # noqa: F811
    KillAfter.remaining = 6
    with pytest.raises(Killed):
        run("run", **EVERY_BATCH)
    for path in (tmp_path / "run").glob("model_state*.th"):
        path.write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"model_state_e1_b.\.th is damaged"):
        run("run", recover=True, **EVERY_BATCH)


@pytest.fixture
def file_size():
    """Limit the size of files: writing more fails as on a full disk. None removes the limit."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size or limits[0], limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.skipif(
    not hasattr(torch.serialization, "add_safe_globals"),
    reason="PyTorch 1.12 aborts the process if the disk is full",
)
def test_no_room_for_a_checkpoint(run, tmp_path, fault, file_size):  # noqa: F811
    callbacks = fault(None, None)
    whole = run("whole", **callbacks, **EVERY_BATCH)
    fault(6, lambda trainer: file_size(2000))
    with pytest.raises(
        OSError, match=r"state_e1_b2\.th could not be written \(.*\), expected enough disk space"
    ):
        run("full", **callbacks, **EVERY_BATCH)
    Fault.after = None
    file_size(None)
    names = {path.name for path in (tmp_path / "full").glob("*_state_*")}
    assert {"model_state_e1_b1.th", "training_state_e1_b1.th"} <= names
    assert not [name for name in names if "e1_b2" in name]
    assert_same(run("full", recover=True, **callbacks, **EVERY_BATCH), whole)


@pytest.mark.parametrize("options", ({}, {"recover": True}), ids=str)
def test_two_trainings_in_one_folder(run, tmp_path, fault, options):  # noqa: F811
    (tmp_path / "run").mkdir()
    descriptor = os.open(tmp_path / "run", os.O_RDONLY)  # as another process would
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(ConfigurationError, match="another training is running in this folder"):
        run("run", **options)
    os.close(descriptor)
    run("run")
    assert str(tmp_path / "run") not in _held  # other tests may have locked other folders
    run("run", recover=True)
