"""Lets `--recover` read back the checkpoints that AllenNLP writes, on PyTorch 2.6 and later."""

import numpy
import torch


def allow_numpy_scalars() -> None:
    """
    Some of AllenNLP's learning rate schedulers compute with NumPy (`cosine`), so that the optimizer's
    state holds NumPy numbers. Since 2.6 PyTorch loads a checkpoint with an allow-list of types; NumPy's
    plain numbers, which carry no code, are added to it.
    """
    if not hasattr(torch.serialization, "add_safe_globals"):
        return  # a PyTorch that keeps no such list
    multiarray = getattr(numpy, "_core", None) or numpy.core
    numbers = (numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_)
    torch.serialization.add_safe_globals(
        [multiarray.multiarray.scalar, numpy.dtype, *(type(numpy.dtype(n)) for n in numbers)]
    )
