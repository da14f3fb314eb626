"""What a checkpoint may hold. tests/training/faults_test.py has damaged ones."""

import pickle

import numpy
import pytest
import torch

from slstm_allennlp.training import ReliableCheckpointer

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
