"""Which errors are a user's mistakes, and the sentence for each."""

import dis
from types import TracebackType
from typing import Optional

from allennlp.common.checks import ConfigurationError
from torch.multiprocessing.spawn import ProcessExitedException

from slstm_allennlp.common.atomic_write import NotWritten

USERS_MISTAKE = 2
"""The exit status of a program that ends with one."""
MISTAKE = "error: "
"""What stands before the sentence."""
_SAID = (ConfigurationError, FileNotFoundError, NotWritten, ProcessExitedException)
_PACKAGES = ("slstm_allennlp", "allennlp", "allennlp_models")
_RAISE = dis.opmap["RAISE_VARARGS"]


def users_mistake(error: BaseException) -> Optional[str]:
    """
    The sentence for a mistake of the user's: a `ConfigurationError`, a file that is missing or cannot
    be read, one that there is no room for, a config that is not Jsonnet or has a value of another kind,
    and a `ValueError` that AllenNLP or the plugin raises by a `raise` of its code, as its readers and
    modules do for data and arguments; and for a process that was killed. None for anything else, which
    is a bug and needs its traceback.
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    is_mistake = (
        isinstance(error, _SAID)
        or (isinstance(error, ValueError) and _is_raised_by(_PACKAGES, error))
        or (isinstance(error, RuntimeError) and _innermost_module(error) == "allennlp.common.params")
        or (isinstance(error, TypeError) and _is_raised_by(("allennlp.common.from_params",), error))
    )
    return " ".join(str(error).split()) if is_mistake else None


def _is_raised_by(modules: "tuple[str, ...]", error: BaseException) -> bool:
    """Whether a `raise` in one of the modules or packages raised it, not something that they called."""
    innermost, name = _innermost(error), _innermost_module(error)
    if innermost is None or not any(f"{name}.".startswith(f"{module}.") for module in modules):
        return False
    return innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == _RAISE


def _innermost_module(error: BaseException) -> str:
    innermost = _innermost(error)
    return "" if innermost is None else str(innermost.tb_frame.f_globals.get("__name__", ""))


def _innermost(error: BaseException) -> Optional[TracebackType]:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place
