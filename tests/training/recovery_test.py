"""What a checkpoint may hold, and recovery of a run that was killed while it wrote a file."""

import pickle

import numpy
import pytest
import torch

from slstm_allennlp.training import ReliableCheckpointer
from tests.training.conftest import Killed

FILES = ("model", "training")


def killed_while_writing(monkeypatch, name):
    """Kill the run when it has written only the first 100 bytes of the file."""
    save = torch.save

    def cut_off(state, path):
        save(state, path)
        if name in str(path):
            with open(path, "r+b") as file:
                file.truncate(100)
            raise Killed

    monkeypatch.setattr(torch, "save", cut_off)


@pytest.mark.parametrize("part", FILES)
def test_a_checkpoint_is_whole_or_not_there(run, tmp_path, monkeypatch, part):
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_while_writing(patch, f"{part}_state_e2_b0")
        run("run")
    whole = {f"{name}_state_e1_b0.th" for name in FILES}
    folder = tmp_path / "run"
    assert whole < {path.name for path in folder.iterdir()}
    first_epoch = (folder / "metrics_epoch_0.json").stat().st_mtime_ns
    run("run", recover=True)
    assert (folder / "metrics_epoch_0.json").stat().st_mtime_ns == first_epoch
    assert (folder / "metrics_epoch_2.json").exists()
    # The truncated file was written again, and no unfinished file is left.
    assert not list(folder.glob("*.unfinished"))
    for path in folder.glob("*.th"):
        torch.load(path)


AVERAGE = {"moving_average": {"type": "exponential", "decay": 0.9}}


@pytest.mark.parametrize("average", ({}, AVERAGE), ids=("plain", "average"))
@pytest.mark.parametrize("best_is_there", (False, True))
def test_the_best_model_is_that_of_the_best_epoch(run, tmp_path, monkeypatch, average, best_is_there):
    best = tmp_path / "run" / "best.th"
    options = {**average, "validation_metric": "+loss"}  # so the first epoch counts as the best
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_while_writing(patch, "state_e2_b0")
        run("run", **options)
    expected = torch.load(best)
    if not best_is_there:
        best.unlink()
    weights, _ = run("run", recover=True, **options)
    for found in weights.values():
        torch.testing.assert_close(found, expected, rtol=0, atol=0)


HAS_LIST = hasattr(torch.serialization, "safe_globals")


def loaded(folder, state):
    torch.save({}, folder / "model_state_e1_b0.th")
    torch.save(state, folder / "training_state_e1_b0.th")
    return ReliableCheckpointer(folder).load_checkpoint().trainer_state


@pytest.mark.parametrize("dtype", (numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_))
def test_numpy_numbers_come_back(tmp_path, dtype):
    assert loaded(tmp_path, {"lr": dtype(1)})["lr"] == dtype(1)
    if HAS_LIST:  # elsewhere they are refused as before
        with pytest.raises(pickle.UnpicklingError):
            torch.load(tmp_path / "training_state_e1_b0.th")


@pytest.mark.skipif(not HAS_LIST, reason="this PyTorch loads everything")
def test_loading_is_still_checked(tmp_path):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(tmp_path, {"lr": ReliableCheckpointer(tmp_path)})
    assert (tmp_path / "training_state_e1_b0.th").exists()  # it is not damaged
