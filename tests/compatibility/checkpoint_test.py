import os
from types import SimpleNamespace

import numpy
import pytest
import torch
from allennlp.training import Checkpointer
from allennlp.training.trainer import TrainerCheckpoint


class Harmful:
    """What a checkpoint from a stranger could hold: loading it runs a command."""

    def __reduce__(self):
        return os.system, ("true",)


@pytest.mark.parametrize("dtype", (numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_))
def test_numpy_numbers_come_back(tmp_path, dtype):
    path = tmp_path / "training_state.th"
    torch.save({"lr": dtype(1)}, path)
    assert torch.load(path)["lr"] == dtype(1)


@pytest.mark.skipif(
    not hasattr(torch.serialization, "add_safe_globals"), reason="this PyTorch loads everything"
)
def test_loading_is_still_checked(tmp_path):
    path = tmp_path / "training_state.th"
    torch.save({"lr": Harmful()}, path)
    with pytest.raises(Exception, match="Weights only load failed"):
        torch.load(path)


def test_as_many_checkpoints_are_kept_as_were_asked_for(tmp_path):
    checkpointer = Checkpointer(str(tmp_path), keep_most_recent_by_count=2)
    for epochs in (1, 2, 3):
        at = {"epochs_completed": epochs, "batches_in_epoch_completed": 0}
        state = TrainerCheckpoint({"weight": torch.ones(1)}, at)
        checkpointer.save_checkpoint(SimpleNamespace(get_checkpoint_state=lambda state=state: state))
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {
        f"{kind}_state_e{epochs}_b0.th" for kind in ("model", "training") for epochs in (2, 3)
    }
