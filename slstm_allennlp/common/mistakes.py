"""Tell user errors from bugs by their classes, and format user errors as one sentence."""

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
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) if isinstance(error, _USER_ERRORS) else None
