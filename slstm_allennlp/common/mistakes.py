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
    *(ConfigurationError, NotWritten, ProcessExitedException),
    *(FileNotFoundError, IsADirectoryError),
)


def users_mistake(error: BaseException) -> Optional[str]:
    """
    Return the sentence for a user error, or `None` for a bug, which needs its traceback. User errors are

    - a `ConfigurationError`, for example a `CorpusError`;
    - a file that is missing, cannot be read, or does not fit on the disk;
    - a distributed process that was killed.
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) if isinstance(error, _USER_ERRORS) else None
