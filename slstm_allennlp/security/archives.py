"""Unpack untrusted archives: only files and folders, below one folder, up to a limit."""

import gzip
import logging
import os
import shutil
import tarfile
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, Iterator, List, Optional, Union

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.atomic_write import raise_not_written

logger = logging.getLogger("allennlp.models.archival")  # whose function this module replaces

# For comparison: the archive of a BERT model has about half a gigabyte and ten members.
MAX_BYTES = "SLSTM_ALLENNLP_MAX_ARCHIVE_BYTES"
MAX_MEMBERS = "SLSTM_ALLENNLP_MAX_ARCHIVE_MEMBERS"
_LIMITS = {MAX_BYTES: 16 * 2**30, MAX_MEMBERS: 10_000}
# tarfile reads a header in one call, and a header may claim gigabytes. It reads files in chunks.
_MAX_READ = 2**20


@contextmanager
def extracted_archive(
    resolved_archive_file: Union[str, "os.PathLike[str]"], cleanup: bool = True
) -> Iterator[str]:
    """
    Replace AllenNLP's `extracted_archive`: unpack a `tar.gz` file to a temporary folder. All members are
    checked before any is written. The folder is removed at the end if `cleanup` is true, and in any case
    if the archive is refused.

    # Errors

    `ConfigurationError` for members that `check_member` refuses, for more members or bytes than the
    limits, and for a file that is damaged or not an archive. `NotWritten` if the disk is full.
    """
    folder = tempfile.mkdtemp()
    logger.info("extracting archive file %s to temp dir %s", resolved_archive_file, folder)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        _extract(str(resolved_archive_file), folder)
        if not cleanup:
            stack.pop_all()
        yield folder


def check_members(archive: tarfile.TarFile) -> List[tarfile.TarInfo]:
    """Check all members by `check_member`, and their number and size by the limits, and return them."""
    members: List[tarfile.TarInfo] = []
    name = str(archive.name)
    size = 0
    for member in archive:
        check_member(name, member)
        members.append(member)
        size += member.size
        if len(members) > _limit(MAX_MEMBERS):
            raise _limit_error(name, "members", MAX_MEMBERS)
        if size > _limit(MAX_BYTES):
            raise _limit_error(f"{name}, up to member {member.name!r},", "bytes unpacked", MAX_BYTES)
    return members


def check_member(archive: str, member: tarfile.TarInfo) -> None:
    """
    Refuse a member unless it is a file or folder inside the archive's folder.

    # Errors

    `ConfigurationError`, with the member's name, for links, sparse files, devices and other special
    files, and for absolute paths and paths with `..`.
    """
    kind = _refused_kind(member)
    if kind is not None:
        raise ConfigurationError(
            f"{archive}: member {member.name!r} is {kind}, expected files and folders alone"
        )
    parts = PurePosixPath(member.name).parts
    windows = PureWindowsPath(member.name)
    if ".." in parts + windows.parts or member.name.startswith("/") or windows.anchor:
        raise ConfigurationError(
            f"{archive}: member {member.name!r} lies outside the archive's folder, expected a relative "
            "path without '..'"
        )


def _refused_kind(member: tarfile.TarInfo) -> Optional[str]:
    """Return what the member is, or `None` for a regular file or a folder."""
    if member.issym() or member.islnk():
        return f"a link to {member.linkname!r}"
    if member.issparse():
        return "a sparse file"
    return None if member.isreg() or member.isdir() else "a device or another special file"


def _extract(archive_file: str, folder: str) -> None:
    if not hasattr(tarfile, "data_filter"):
        raise ConfigurationError(
            f"{archive_file}: this Python cannot unpack an archive safely, "
            "expected one with tarfile.data_filter (3.10.12, 3.11.4, 3.12 or later)"
        )
    left = f"{archive_file} is unpacked there; set the environment variable TMPDIR to unpack elsewhere"
    try:
        with (
            raise_not_written(folder, left),
            gzip.open(archive_file, "rb") as file,
            _open_tar(archive_file, file) as archive,
        ):
            for member in check_members(archive):
                # A second check by Python, which also resets permissions and owners.
                archive.extract(member, folder, filter="data")
    except (tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise ConfigurationError(
            f"{archive_file} is damaged or no archive ({error}), expected a whole tar.gz file"
        ) from error


def _open_tar(name: str, file: Any) -> tarfile.TarFile:
    return tarfile.open(name, "r:", fileobj=_LimitedFile(name, file))  # type: ignore[call-overload]


class _LimitedFile:
    """A file that limits the bytes per read, and the bytes in total."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self._file = file
        # Tar headers and padding need space beside the files.
        self._end = 2 * _limit(MAX_BYTES) + 4096 * _limit(MAX_MEMBERS)

    def read(self, size: int) -> bytes:
        if size > _MAX_READ:
            raise ConfigurationError(
                f"{self.name}: a header of {size} bytes, expected at most {_MAX_READ}"
            )
        if self.tell() > self._end:
            raise _limit_error(self.name, "bytes unpacked", MAX_BYTES)
        return self._file.read(size)

    def seek(self, position: int) -> int:
        if position > self._end:
            raise _limit_error(self.name, "bytes unpacked", MAX_BYTES)
        return self._file.seek(position)

    def tell(self) -> int:
        return self._file.tell()


def _limit_error(what: str, unit: str, variable: str) -> ConfigurationError:
    return ConfigurationError(
        f"{what} has more than {_limit(variable)} {unit}; "
        f"the environment variable {variable} raises the limit"
    )


def _limit(variable: str) -> int:
    text = os.environ.get(variable)
    if text is None:
        return _LIMITS[variable]
    if not text.isdecimal() or int(text) == 0:
        raise ConfigurationError(f"{variable} is {text!r}, expected a number of at least 1")
    return int(text)
