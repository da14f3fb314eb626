"""Argument checks that the modules share. The messages include the wrong value."""

from typing import Optional

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence


def check_rate(dropout: object) -> None:
    """Raise `ValueError` unless the dropout rate is a number from 0 to 1."""
    if not is_fraction(dropout):
        raise ValueError(f"dropout is {dropout!r}, expected a rate from 0 to 1")


def is_fraction(value: object) -> bool:
    """Whether the value is a number from 0 to 1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def check_inputs(
    inputs: Tensor,
    mask: Optional[Tensor],
    input_size: int,
    weight: Optional[Tensor] = None,
    name: str = "inputs",
    padded_right: bool = False,
) -> Tensor:
    """
    Check the inputs, (batch_size, seq_len, input_size), and the mask, (batch_size, seq_len). Return the
    mask, or an all-True mask if it is None.

    # Parameters

    weight : `Tensor`, optional (default = `None`)
        One of the module's weights. The inputs must have its precision, except under autocast.
    name : `str`, optional (default = `"inputs"`)
        The inputs' name in messages.
    padded_right : `bool`, optional (default = `False`)
        Whether all padding must follow the words. This is not checked while a graph is traced.

    # Errors

    `ValueError` for a `PackedSequence`, for a wrong shape or precision, and for a mask that is not
    boolean, or with `padded_right` has a hole or is padded elsewhere than at the end.
    """
    if isinstance(inputs, PackedSequence):
        raise ValueError(
            f"{name} are a PackedSequence, expected a padded tensor (batch_size, seq_len, input_size) "
            "and a mask; torch.nn.utils.rnn.pad_packed_sequence(…, batch_first=True) makes the tensor"
        )
    if inputs.dim() != 3 or inputs.size(-1) != input_size:
        raise ValueError(
            f"{name} have shape {tuple(inputs.shape)}, expected (batch_size, seq_len, input_size) "
            f"with an input_size of {input_size}"
        )
    if weight is not None and inputs.dtype != weight.dtype and not is_autocast():
        raise ValueError(
            f"{name} have dtype {inputs.dtype} and the weights {weight.dtype}, expected the same: "
            f"convert the {name} with .to({weight.dtype}), or the module with .to({inputs.dtype})"
            if inputs.is_floating_point()
            else f"{name} have dtype {inputs.dtype}, expected {weight.dtype}, that of the weights"
        )
    if mask is None:
        return torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)
    if mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}, expected torch.bool")
    if mask.shape != inputs.shape[:2]:
        raise ValueError(
            f"mask has shape {tuple(mask.shape)}, expected {tuple(inputs.shape[:2])}, that of the {name}"
        )
    if not padded_right or is_traced():
        return mask
    late = mask[:, 1:] & ~mask[:, :-1]
    if late.any():
        sentence, position = late.nonzero()[0].tolist()
        raise ValueError(
            f"mask[{sentence}] is False at {position} and True at {position + 1}, expected a mask "
            "padded on the right, without holes: all real tokens before all padding"
        )
    return mask


def is_autocast() -> bool:
    """Whether autocast is on, so that products convert their inputs."""
    return torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()


def is_traced() -> bool:
    """
    Whether `torch.jit.trace`, `torch.compile` or `torch.export` is tracing. Values must not be read
    then, and compiled kernels cannot be called.
    """
    compiler = getattr(torch, "compiler", None)
    is_compiling = getattr(compiler, "is_compiling", lambda: False)
    return torch.jit.is_tracing() or is_compiling()
