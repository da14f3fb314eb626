"""Writing a file, or the files of a folder, whole or not at all."""

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Union

AS_IT_WAS = "what was there before is as it was"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NotWritten(OSError):
    """
    There was no room for a file.

    # Parameters

    path : `Union[str, os.PathLike]`
    reason : `str`
        As the system has it.
    left : `str`, optional (default = `"what was there before is as it was"`)
        What there is in its place.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], reason: str, left: str = AS_IT_WAS) -> None:
        super().__init__(f"{path} could not be written ({reason}), expected room for it; {left}")
        self.reason = reason


def is_without_room(error: BaseException) -> bool:
    """Whether an error says that a disk is full, or that the user's share of it is."""
    return isinstance(error, NotWritten) or (isinstance(error, OSError) and error.errno in _NO_ROOM)


def is_replaceable(path: Union[str, "os.PathLike[str]"]) -> bool:
    """Whether another file can take its place, which is not so of `/dev/stdout` and of pipes."""
    return os.path.isfile(path) or not os.path.exists(path)


@contextmanager
def atomic_write(path: Union[str, "os.PathLike[str]"], left: str = AS_IT_WAS) -> Iterator[Path]:
    """
    Gives a path to write to, which takes the place of the given one at the end: a file of that name is
    whole, also after the program was killed.

    # Parameters

    path : `Union[str, os.PathLike]`
        One that is no file, such as `/dev/stdout`, is given back. A link stays a link.
    left : `str`, optional (default = `"what was there before is as it was"`)
        The error's last words.

    # Errors

    `NotWritten` where there is no room for it.
    """
    if not is_replaceable(path):
        yield Path(path)
        return
    whole = os.path.realpath(path)
    unfinished = Path(f"{whole}.unfinished")
    try:
        with _explained(path, left):
            yield unfinished
    except BaseException:
        unfinished.unlink(missing_ok=True)  # on a full disk, it takes the room of what is whole
        raise
    unfinished.replace(whole)


@contextmanager
def atomic_write_by_torch(path: Union[str, "os.PathLike[str]"], left: str = AS_IT_WAS) -> Iterator[Path]:
    """`atomic_write` for `torch.save`, whose writer has errors of its own."""
    try:
        with atomic_write(path, left) as unfinished:
            yield unfinished
    except RuntimeError as error:
        raise NotWritten(path, str(error).partition("\n")[0], left) from error


@contextmanager
def atomic_write_in(folder: Path) -> Iterator[Path]:
    """
    Gives a folder to write to, whose files take the places of those in the given one at the end, all
    together.

    # Parameters

    folder : `Path`
        It exists.

    # Errors

    `NotWritten` where there is no room for one of them.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as name:
        unfinished = Path(name)
        with _explained(folder, AS_IT_WAS):
            yield unfinished
        for path in sorted(unfinished.rglob("*")):
            whole = folder / path.relative_to(unfinished)
            if path.is_dir():
                whole.mkdir(exist_ok=True)
            else:
                path.replace(whole)


@contextmanager
def _explained(path: Union[str, "os.PathLike[str]"], left: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_without_room(error):
            raise
        reason = error.reason if isinstance(error, NotWritten) else error.strerror
        raise NotWritten(path, str(reason), left) from error
