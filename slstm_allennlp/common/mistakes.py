"""Tell user errors from bugs by their classes, and format user errors as one sentence."""

import unicodedata
from typing import Optional

from allennlp.common.checks import ConfigurationError
from torch.multiprocessing.spawn import ProcessExitedException

from slstm_allennlp.common.atomic_write import NotWritten

USERS_MISTAKE = 2
"""Exit status after a user error."""
MISTAKE = "error: "
"""Prefix of the sentence."""
_USER_ERRORS = (
    *(ConfigurationError, NotWritten, FileNotFoundError, IsADirectoryError),
    ProcessExitedException,  # a process of a distributed training was killed
)


def users_mistake(error: BaseException) -> Optional[str]:
    """Return the sentence for a user error, or `None` for a bug, which needs its traceback."""
    if isinstance(error, OSError) and error.filename is not None:
        return _printable(f"{error.filename}: {error.strerror}")
    return _printable(" ".join(str(error).split())) if isinstance(error, _USER_ERRORS) else None


def _printable(text: str) -> str:
    """Escape control characters, with which a stranger's file could change the terminal."""
    return "".join(repr(c)[1:-1] if unicodedata.category(c) == "Cc" else c for c in text)
