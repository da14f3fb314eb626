import os

import numpy
import pytest
import torch


class Harmful:
    """An object that a malicious checkpoint could hold: unpickling it runs a command."""

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
