"""Read weights and checkpoints with PyTorch's `weights_only`."""

import pickle
import re
import struct
from typing import Any, Callable

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.security import opening

_EXPECTED = "expected tensors, numbers, text and collections of these alone"
# Errors that a truncated or changed file can cause.
_DAMAGE = (
    *(pickle.UnpicklingError, EOFError, RuntimeError, LookupError, AttributeError, TypeError),
    *(ValueError, AssertionError, struct.error),
)


def load(original: Callable[..., Any], f: Any, *args: Any, **kwargs: Any) -> Any:
    """
    Call `torch.load`, the `original`, with `weights_only=True`, whatever the caller and the environment
    variables say, if PyTorch has it. `ConfigurationError` for a file with any other object. While an
    archive is opened, also for a damaged file. The trainer handles a damaged checkpoint.
    """
    if not opening.CAN_CHECK:
        return original(f, *args, **kwargs)
    name = getattr(f, "name", f)
    try:
        return original(f, *args, **{**kwargs, "weights_only": True})
    except _DAMAGE as error:
        held = re.search(r"GLOBAL (\S+)|(TorchScript)", str(error))
        if held is not None:
            raise ConfigurationError(f'{name}: it holds "{held[1] or held[2]}", {_EXPECTED}') from error
        said = str(error).partition("\n")[0]
        is_of_reader = "PytorchStreamReader" in said
        if not opening.IS_OPENING.get() or (isinstance(error, RuntimeError) and not is_of_reader):
            raise  # such as a missing GPU
        reason = said if is_of_reader else type(error).__name__
        raise ConfigurationError(
            f"{name} is damaged or not from torch.save ({reason}), {_EXPECTED}"
        ) from error
