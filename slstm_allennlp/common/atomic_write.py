"""Write a file, or the files of a folder, atomically: completely or not at all."""

import errno
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Union

AS_IT_WAS = "the previous content is unchanged"
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NotWritten(OSError):
    """
    An error for a file that could not be written because there is not enough disk space. `reason` is the
    message of the operating system or of PyTorch, `left` what the disk contains now.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], reason: str, left: str = AS_IT_WAS) -> None:
        super().__init__(f"{path} could not be written ({reason}), expected enough disk space; {left}")
        self.reason = reason


@contextmanager
def atomic_write(
    path: Union[str, "os.PathLike[str]"], left: str = AS_IT_WAS, keep: bool = False
) -> Iterator[Path]:
    """
    Yield a temporary path to write to, and rename it to `path` at the end. So a file at `path` is always
    complete, even after the program was killed. A `path` that is no file, such as `/dev/stdout`, is
    yielded itself, and a symbolic link is followed. With `keep`, the temporary file, `PATH.unfinished`,
    stays after an error. `NotWritten`, with `left`, if there is not enough disk space.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, or /dev/stdout
        yield Path(path)
        return
    target = os.path.realpath(path)
    unfinished = Path(f"{target}.unfinished")
    try:
        with raise_not_written(path, left):
            yield unfinished
    except BaseException:
        if not keep:
            unfinished.unlink(missing_ok=True)  # it would waste space on a full disk
        raise
    unfinished.replace(target)


@contextmanager
def atomic_write_by_torch(path: Union[str, "os.PathLike[str]"], left: str = AS_IT_WAS) -> Iterator[Path]:
    """Do the same for `torch.save`, whose writer raises `RuntimeError` on a full disk."""
    try:
        with atomic_write(path, left) as unfinished:
            yield unfinished
    except RuntimeError as error:
        if not re.search("inline_container|iostream", str(error)):  # not of the writer but of the GPU
            raise
        raise NotWritten(path, str(error).partition("\n")[0], left) from error


@contextmanager
def atomic_write_in(folder: Path) -> Iterator[Path]:
    """
    Yield a temporary folder to write to, and move its files into `folder`, which exists, at the end. If
    there is not enough disk space for all files, raise `NotWritten` and move none.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as name:
        unfinished = Path(name)
        with raise_not_written(folder):
            yield unfinished
        for path in sorted(unfinished.rglob("*")):
            target = folder / path.relative_to(unfinished)
            if path.is_dir():
                target.mkdir(exist_ok=True)
            else:
                path.replace(target)


@contextmanager
def raise_not_written(path: Union[str, "os.PathLike[str]"], left: str = AS_IT_WAS) -> Iterator[None]:
    """Raise `NotWritten` for an error that means that a disk, or the user's quota on it, is full."""
    try:
        yield
    except OSError as error:
        if isinstance(error, NotWritten):
            raise NotWritten(path, error.reason, left) from error
        if error.errno in _NO_SPACE:
            raise NotWritten(path, str(error.strerror), left) from error
        raise
