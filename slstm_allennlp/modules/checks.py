"""Argument checks that the modules share. The messages include the wrong value."""

from typing import Any, Optional

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.utils.rnn import PackedSequence

from slstm_allennlp.ops.compiled import is_traced, is_vmapped
from slstm_allennlp.ops.precision import autocast_dtype


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
    weight: Any = None,
    name: str = "inputs",
    padded_right: bool = False,
    is_autocast: bool = False,
) -> Tensor:
    """
    Check the inputs, (batch_size, seq_len, input_size), and the mask, (batch_size, seq_len), of booleans
    or of the integers 0 and 1. Return the boolean mask, or an all-True mask if it is None. `ValueError`
    for a `PackedSequence`, for a wrong shape or precision, and for a mask that has other values, or with
    `padded_right` has a hole or is padded elsewhere than at the end.

    # Parameters

    weight : `Tensor`, optional (default = `None`)
        One of the module's weights. The inputs must have its precision, except under autocast, which
        converts all but double precision. Modules name it, because a replica of `torch.nn.DataParallel`
        has weights, but no `parameters()`.
    name : `str`, optional (default = `"inputs"`)
        The inputs' name in messages.
    padded_right : `bool`, optional (default = `False`)
        Whether all padding must follow the words. Values are not checked while a graph is traced, nor
        under `torch.func.vmap`.
    is_autocast : `bool`, optional (default = `False`)
        Whether the module computes under autocast, whatever the caller does.
    """
    if isinstance(inputs, PackedSequence):
        raise ValueError(
            f"{name} are a PackedSequence, expected a padded tensor (batch_size, seq_len, input_size) "
            "and a mask; torch.nn.utils.rnn.pad_packed_sequence(…, batch_first=True) makes the tensor"
        )
    if not isinstance(inputs, Tensor):
        raise ValueError(f"{name} are a {type(inputs).__name__}, expected a tensor")
    if inputs.is_nested:
        raise ValueError(
            f"{name} are a nested tensor, expected a padded tensor (batch_size, seq_len, input_size) "
            "and a mask; torch.nested.to_padded_tensor(…, 0) makes the tensor"
        )
    if inputs.dim() != 3 or inputs.size(-1) != input_size:
        raise ValueError(
            f"{name} have shape {tuple(inputs.shape)}, expected (batch_size, seq_len, input_size) "
            f"with an input_size of {input_size}"
        )
    if not inputs.is_floating_point():
        expected = "floating-point numbers" if weight is None else f"{weight.dtype}, that of the weights"
        raise ValueError(f"{name} have dtype {inputs.dtype}, expected {expected}")
    if weight is not None and inputs.dtype != weight.dtype:
        is_double = torch.float64 in (inputs.dtype, weight.dtype)
        if is_double or not (is_autocast or autocast_dtype(inputs.device) is not None):
            raise ValueError(
                f"{name} have dtype {inputs.dtype} and the weights {weight.dtype}, expected the same: "
                f"convert the {name} with .to({weight.dtype}), or the module with .to({inputs.dtype})"
            )
    if mask is None:
        return torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)
    if not isinstance(mask, Tensor):
        raise ValueError(f"mask is a {type(mask).__name__}, expected a tensor")
    if mask.is_floating_point() or mask.is_complex():
        raise ValueError(f"mask has dtype {mask.dtype}, expected torch.bool or integers")
    if mask.shape != inputs.shape[:2]:
        raise ValueError(
            f"mask has shape {tuple(mask.shape)}, expected {tuple(inputs.shape[:2])}, that of the {name}"
        )
    real = mask.bool()
    if is_traced() or mask.is_meta or is_vmapped():
        return real
    others = mask != real.to(mask.dtype) if mask.dtype != torch.bool else real[:, :0]  # neither 0 nor 1
    late = real[:, 1:] & ~real[:, :-1] if padded_right else real[:, :0]  # words after padding
    found = torch.cat([others, late], dim=1)
    if found.size(1) and found.any():  # the only value that is read, because this waits for a GPU
        _explain(mask, others, late)
    return real


def no_states(module: Module, inputs: Tensor, *shape: int) -> Tensor:
    """
    Return the states of a batch without words, in this shape, with a gradient of zero for the inputs and
    all weights: `torch.nn.parallel.DistributedDataParallel` waits for each.
    """
    replicas = [getattr(part, "_former_parameters", {}) for part in module.modules()]  # of DataParallel
    weights = [*module.parameters()] or [weight for part in replicas for weight in part.values()]
    nothing: Tensor = sum(0 * part.sum() for part in (inputs, *weights))  # type: ignore[assignment]
    return nothing.to(weights[0].dtype).expand(shape)


def mask_of(lengths: object, inputs: Tensor) -> Tensor:
    """
    Return the mask of sentences with these lengths, `(batch_size)`; `ValueError` unless there is an
    integer from 0 to seq_len for each sentence.
    """
    batch_size, seq_len = inputs.shape[:2]
    try:
        given = torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(f"lengths are {lengths!r}, expected an integer for each sentence") from None
    is_integer = not (given.is_floating_point() or given.is_complex() or given.dtype == torch.bool)
    if given.shape != (batch_size,) or (given.numel() and not is_integer):
        raise ValueError(
            f"lengths have shape {tuple(given.shape)} and dtype {given.dtype}, expected "
            f"({batch_size},) and integers: the number of words of each sentence"
        )
    given = given.to(inputs.device, torch.long)  # 8 bits cannot hold every seq_len
    has_values = not is_traced() and not given.is_meta and not is_vmapped()
    if has_values and ((given < 0) | (given > seq_len)).any():
        raise ValueError(
            f"lengths are {given.tolist()}, expected numbers from 0 to {seq_len}, the padded length"
        )
    return torch.arange(seq_len, device=inputs.device) < given.unsqueeze(1)


def _explain(mask: Tensor, others: Tensor, late: Tensor) -> None:
    """Raise the error of a mask with a wrong value, or with a word after padding."""
    if others.any():
        sentence, position = others.nonzero()[0].tolist()
        value = mask[sentence, position].item()
        raise ValueError(f"mask[{sentence}, {position}] is {value}, expected 0 or 1, or a boolean mask")
    sentence, position = late.nonzero()[0].tolist()
    raise ValueError(
        f"mask[{sentence}] is False at {position} and True at {position + 1}, expected a mask "
        "padded on the right, without holes: all real tokens before all padding"
    )
