"""Read weights and checkpoints with PyTorch's `weights_only`."""

import inspect
import os
import pickle
import re
import struct
from typing import Any, Callable, Dict, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params

from slstm_allennlp.security.opening import IS_OPENING, opening, read_config, refuse

CAN_CHECK = "weights_only" in inspect.signature(torch.load).parameters
"""Whether this PyTorch can read weights without running their code (version 1.13 or later)."""
_EXPECTED = "expected tensors, numbers, text and collections of these alone"
# Errors that a truncated or changed file can cause.
_DAMAGE = (
    *(pickle.UnpicklingError, EOFError, RuntimeError, LookupError, AttributeError, TypeError),
    *(ValueError, AssertionError, struct.error),
)


def read_config_of_weights(path: str, overrides: Union[str, Dict[str, Any]] = "") -> Params:
    """
    Return an archive's config by `read_config`. `ConfigurationError` if this PyTorch cannot check its
    weights, unless the user trusts archives: now, before a part of the config is built.
    """
    if not CAN_CHECK:
        how = f"PyTorch {torch.__version__} cannot read weights without running code in them"
        with opening():
            refuse(f"{os.path.dirname(path)}: {how}, expected PyTorch 1.13 or later")
    return read_config(path, overrides)


def load(original: Callable[..., Any], f: Any, *args: Any, **kwargs: Any) -> Any:
    """
    Call `torch.load`, the `original`, with `weights_only=True`, whatever the caller and the environment
    variables say, if PyTorch has it. `ConfigurationError` for a file with any other object. While an
    archive is opened, also for a damaged file. The trainer handles a damaged checkpoint.
    """
    name = getattr(f, "name", f)
    if not CAN_CHECK:
        return original(f, *args, **kwargs)
    try:
        return original(f, *args, **{**kwargs, "weights_only": True})
    except _DAMAGE as error:
        held = re.search(r"GLOBAL (\S+)|(TorchScript)", str(error))
        if held is not None:
            raise ConfigurationError(f'{name}: it holds "{held[1] or held[2]}", {_EXPECTED}') from error
        said = str(error).partition("\n")[0]
        is_of_reader = "PytorchStreamReader" in said
        if not IS_OPENING.get() or (isinstance(error, RuntimeError) and not is_of_reader):
            raise  # such as a missing GPU
        reason = said if is_of_reader else type(error).__name__
        raise ConfigurationError(
            f"{name} is damaged or not from torch.save ({reason}), {_EXPECTED}"
        ) from error
