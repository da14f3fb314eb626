"""Tell user errors from bugs, and format user errors as one sentence."""

import dis
from types import TracebackType
from typing import Optional

from allennlp.common.checks import ConfigurationError
from torch.multiprocessing.spawn import ProcessExitedException

from slstm_allennlp.common.atomic_write import NotWritten

USERS_MISTAKE = 2
"""Exit status after a user error."""
MISTAKE = "error: "
"""Prefix of the sentence."""
_USER_ERRORS = (ConfigurationError, FileNotFoundError, NotWritten, ProcessExitedException)
_PACKAGES = ("slstm_allennlp", "allennlp", "allennlp_models")
_RAISE = dis.opmap["RAISE_VARARGS"]


def users_mistake(error: BaseException) -> Optional[str]:
    """
    Return the sentence for a user error, or `None` for a bug, which needs its traceback. User errors are

    - a `ConfigurationError`;
    - a file that is missing, cannot be read, or does not fit on the disk;
    - a config that is not valid Jsonnet, or has a value of the wrong type;
    - a `ValueError` from a `raise` statement in AllenNLP or this package, as for invalid data;
    - a distributed process that was killed.
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    is_mistake = (
        isinstance(error, _USER_ERRORS)
        or (isinstance(error, ValueError) and _is_raised_by(_PACKAGES, error))
        or (isinstance(error, RuntimeError) and _innermost_module(error) == "allennlp.common.params")
        or (isinstance(error, TypeError) and _is_raised_by(("allennlp.common.from_params",), error))
    )
    return " ".join(str(error).split()) if is_mistake else None


def _is_raised_by(modules: "tuple[str, ...]", error: BaseException) -> bool:
    """Return whether a `raise` statement in one of the modules or packages raised the error."""
    innermost, name = _innermost_traceback(error), _innermost_module(error)
    if innermost is None or not any(f"{name}.".startswith(f"{module}.") for module in modules):
        return False
    return innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == _RAISE


def _innermost_module(error: BaseException) -> str:
    innermost = _innermost_traceback(error)
    return "" if innermost is None else str(innermost.tb_frame.f_globals.get("__name__", ""))


def _innermost_traceback(error: BaseException) -> Optional[TracebackType]:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback
