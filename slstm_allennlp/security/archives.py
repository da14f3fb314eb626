"""Unpack untrusted archives: only files and folders, below one folder, up to a limit."""

import gzip
import os
import shutil
import tarfile
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import PureWindowsPath
from typing import Any, Dict, Iterator, List, Optional, Union

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.atomic_write import raise_not_written
from slstm_allennlp.security.opening import IS_OPENING, opening

# For comparison: the archive of a BERT model has about half a gigabyte and ten members.
MAX_BYTES = "SLSTM_ALLENNLP_MAX_ARCHIVE_BYTES"
MAX_MEMBERS = "SLSTM_ALLENNLP_MAX_ARCHIVE_MEMBERS"
_LIMITS = {MAX_BYTES: str(16 * 2**30), MAX_MEMBERS: "10000"}
_MAX_HEADER = 2**16
# The bytes in the folder of an archive, and in those of the archives whose configs name it.
_UNPACKED: ContextVar[Dict[str, int]] = ContextVar("_UNPACKED")
# Errors that a damaged file can cause in tarfile.
_DAMAGE = (
    *(tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError),
    *(ValueError, IndexError, RecursionError, OverflowError),
)


@contextmanager
def extracted_archive(
    resolved_archive_file: Union[str, "os.PathLike[str]"], cleanup: bool = True
) -> Iterator[str]:
    """
    Unpack a `tar.gz` file to a temporary folder, as AllenNLP's function of this name does. All members
    are checked before any is written. The folder is removed at the end if `cleanup` is true, and in any
    case if the archive is refused. `ConfigurationError` for an archive that `check_members` refuses, and
    for a file that is damaged or not an archive. `NotWritten` if the disk is full.
    """
    if not IS_OPENING.get():
        _UNPACKED.set({})
    with opening(), ExitStack() as stack:
        folder = tempfile.mkdtemp()
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        _UNPACKED.get()[folder] = _extract(str(resolved_archive_file), folder)
        if not cleanup:
            stack.pop_all()
        yield folder


def _extract(archive_file: str, folder: str) -> int:
    """Unpack an archive and return the bytes of its members."""
    if not hasattr(tarfile, "data_filter"):
        raise ConfigurationError(
            f"{archive_file}: this Python cannot unpack an archive safely, "
            "expected one with tarfile.data_filter (3.10.12, 3.11.4, 3.12 or later)"
        )
    left = f"{archive_file} is unpacked there; set the environment variable TMPDIR to unpack elsewhere"
    try:
        with (
            raise_not_written(folder, left),
            tarfile.open(archive_file, "r:gz", tarinfo=_Member) as archive,
        ):
            members = check_members(archive)
            archive.extractall(folder, members, filter="data")
            gzipped: Any = archive.fileobj
            while gzipped.read(2**20):  # to the end, where gzip's checksum is
                _check_limit(gzipped.tell(), archive_file, "bytes unpacked", MAX_BYTES)
            return sum(member.size for member in members)
    except _Sparse as error:
        raise ConfigurationError(f"{archive_file}: {error}") from None
    except _DAMAGE as error:
        raise ConfigurationError(
            f"{archive_file} is damaged or no archive ({error}), expected a whole tar.gz file"
        ) from error


class _Sparse(tarfile.ReadError):
    pass


class _Member(tarfile.TarInfo):
    """
    A member without what tarfile reads whole before anyone can look at it: a huge header, such as a long
    name, and the map of a sparse file.
    """

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:  # tarfile's hook for subclasses
        if self.size > _MAX_HEADER and not self.isreg():
            raise tarfile.ReadError(f"a header of {self.size} bytes, expected at most {_MAX_HEADER}")
        return super()._proc_member(archive)  # type: ignore[misc]

    def _refuse_sparse(self, *given: Any) -> None:
        member = next((one for one in given if isinstance(one, tarfile.TarInfo)), self)
        raise _Sparse(f"member {member.name!r} is a sparse file, expected files and folders alone")

    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse


def check_members(archive: tarfile.TarFile) -> List[tarfile.TarInfo]:
    """
    Return the members of an archive. `ConfigurationError`, with the member's name, for links, devices,
    absolute paths and paths with `..`, for more members than the limit, and for more bytes, those of the
    archives around it included.
    """
    name = str(archive.name)
    members: List[tarfile.TarInfo] = []
    around = _UNPACKED.get({}).items()
    total = sum(size for folder, size in around if os.path.isdir(folder))
    for member in archive:
        member.pax_headers = {}  # a copy of all global ones
        members.append(member)
        if member.size < 0:
            raise ValueError(f"member {member.name!r} has a size of {member.size} bytes")
        total += member.size  # several may be the same bytes of the file
        kind = _refused_kind(member)
        if kind is not None:
            raise ConfigurationError(
                f"{name}: member {member.name!r} is {kind}, expected files and folders alone"
            )
        path = PureWindowsPath(member.name)  # its separators are "/" and "\\"
        if ".." in path.parts or path.anchor:
            raise ConfigurationError(
                f"{name}: member {member.name!r} lies outside the archive's folder, expected a relative "
                "path without '..'"
            )
        _check_limit(len(members), name, "members", MAX_MEMBERS)
        end = member.offset_data + member.size  # after all headers and files before it
        _check_limit(
            max(total, end), f"{name}, up to member {member.name!r},", "bytes unpacked", MAX_BYTES
        )
    return members


def _refused_kind(member: tarfile.TarInfo) -> Optional[str]:
    """Return what the member is, or `None` for a regular file or a folder."""
    if member.issym() or member.islnk():
        return f"a link to {member.linkname!r}"
    return None if member.isreg() or member.isdir() else "a device or another special file"


def _check_limit(value: int, what: str, unit: str, variable: str) -> None:
    text = os.environ.get(variable, _LIMITS[variable])
    if not text.isdecimal() or int(text) == 0:
        raise ConfigurationError(f"{variable} is {text!r}, expected a number of at least 1")
    if value > int(text):
        raise ConfigurationError(
            f"{what} has more than {text} {unit}; the environment variable {variable} raises the limit"
        )
