"""Tell user errors from bugs, and format user errors as one sentence."""

import dis
from typing import Optional, Tuple

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
    module, is_raised = _origin(error)
    is_mistake = (
        isinstance(error, _USER_ERRORS)
        or (isinstance(error, ValueError) and is_raised and module.partition(".")[0] in _PACKAGES)
        or (isinstance(error, RuntimeError) and module == "allennlp.common.params")
        or (isinstance(error, TypeError) and is_raised and module == "allennlp.common.from_params")
    )
    return " ".join(str(error).split()) if is_mistake else None


def _origin(error: BaseException) -> Tuple[str, bool]:
    """Return the module that the error came from, and whether a `raise` statement there raised it."""
    traceback = error.__traceback__
    if traceback is None:
        return "", False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    # A frame of compiled code, such as NumPy's, has no code at its position.
    operation = traceback.tb_frame.f_code.co_code[traceback.tb_lasti :][:1]
    return str(traceback.tb_frame.f_globals.get("__name__")), operation == bytes([_RAISE])
