"""Checks that the modules share, with messages that give the offending value."""

from typing import Optional

import torch
from torch import Tensor


def check_sizes(**sizes: object) -> None:
    """A `ValueError` unless each of the named sizes is an integer of at least one."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} is {value!r}, expected an integer of at least 1")


def check_flags(**flags: object) -> None:
    """A `ValueError` unless each of the named flags is True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} is {flag!r}, expected True or False")


def check_rate(dropout: object) -> None:
    """A `ValueError` unless the dropout is a rate."""
    if not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ValueError(f"dropout is {dropout!r}, expected a rate from 0 to 1")


def check_inputs(
    inputs: Tensor, mask: Optional[Tensor], input_size: int, name: str = "inputs"
) -> Tensor:
    """
    The mask, or one without padding where it is None.

    # Parameters

    inputs : `Tensor`
        *Shape:* (batch_size, seq_len, input_size)
    mask : `Tensor`, optional
        Boolean, True at real tokens. *Shape:* (batch_size, seq_len)
    input_size : `int`
    name : `str`, optional (default = `"inputs"`)
        What the inputs are called.

    # Errors

    `ValueError` for shapes that do not fit and for a mask that is not boolean.
    """
    if inputs.dim() != 3 or inputs.size(-1) != input_size:
        raise ValueError(
            f"{name} have shape {tuple(inputs.shape)}, expected (batch_size, seq_len, input_size) "
            f"with an input_size of {input_size}"
        )
    if mask is None:
        return torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)
    if mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}, expected torch.bool")
    if mask.shape != inputs.shape[:2]:
        raise ValueError(
            f"mask has shape {tuple(mask.shape)}, expected {tuple(inputs.shape[:2])}, that of the {name}"
        )
    return mask


def check_inputs_and_mask(inputs: Tensor, mask: Optional[Tensor], input_size: int) -> Tensor:
    """
    `check_inputs`, for a module that reads up to the first padding.

    # Errors

    `ValueError` as there, and for a mask that has a hole or is padded elsewhere than at the end (which
    is not looked at while a graph is recorded).
    """
    mask = check_inputs(inputs, mask, input_size)
    if is_traced():
        return mask
    late = mask[:, 1:] & ~mask[:, :-1]
    if late.any():
        sentence, position = late.nonzero()[0].tolist()
        raise ValueError(
            f"mask[{sentence}] is False at {position} and True at {position + 1}, expected a mask "
            "padded on the right, without holes: all real tokens before all padding"
        )
    return mask


def is_traced() -> bool:
    """
    Whether `torch.jit.trace`, `torch.compile` or `torch.export` is recording: values are not to be
    looked at then, and compiled kernels are out of reach.
    """
    compiler = getattr(torch, "compiler", None)
    is_compiling = getattr(compiler, "is_compiling", lambda: False)
    return torch.jit.is_tracing() or is_compiling()
