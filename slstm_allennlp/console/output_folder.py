"""
Prepare the output folder of a training, and lock it. Two trainings in one folder would overwrite each
other's checkpoints. The lock is on the folder itself, so that the system releases it when a process is
killed.
"""

import errno
import fcntl
import logging
import os
import shutil
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Iterator, Sequence, Set

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.training.train_model import CHECKSUMS

logger = logging.getLogger(__name__)
# Marks a folder where an attempt has ended. AllenNLP writes the other files before the first batch.
_NO_TRAINING = "no_training_began"
_BEFORE_TRAINING = {_NO_TRAINING, CHECKSUMS, "config.json", "meta.json", "out.log", "vocabulary"}


@contextmanager
def output_folder(folder: Path, recover: bool = False, force: bool = False) -> Iterator[None]:
    """
    Make the folder, or empty it with `force` or if an attempt ended in it before any training, and lock
    it in this context. `ConfigurationError` for a folder that cannot be made, in which another training
    is running, which has something else in it (without `recover` and `force`), or in which no training
    has begun (with `recover`).
    """
    if recover and force:
        raise ConfigurationError("--recover and --force are both given, expected one of them")
    if not recover:
        make(folder)
    with locked(folder) if folder.is_dir() else nullcontext():
        if recover and not (folder / "config.json").is_file():
            raise ConfigurationError(
                f"--recover: the folder {folder} has no config.json, expected the output folder of a "
                "training that was interrupted"
            )
        if force or (not recover and _is_before_training(folder)):
            _empty(folder)
        elif not recover:
            expect_empty(folder, "--recover goes on with its training, ")
        try:
            yield
        finally:
            if folder.is_dir() and _names_in(folder) <= _BEFORE_TRAINING:
                with suppress(OSError):  # such as a full disk
                    (folder / _NO_TRAINING).touch()


def _is_before_training(folder: Path) -> bool:
    """Whether all that is in the folder is of a dry run, or of an attempt that ended before training."""
    names = _names_in(folder)
    return not _holds_us(folder) and {_NO_TRAINING, "config.json"} <= names <= _BEFORE_TRAINING


def _holds_us(folder: Path) -> bool:
    """Whether the folder is the current one, or one above it."""
    here = Path.cwd().resolve()
    return folder.resolve() in (here, *here.parents)


def _names_in(folder: Path) -> Set[str]:
    return {path.name for path in folder.iterdir()}


def _empty(folder: Path) -> None:
    """Delete what is in the output folder of a training. The folder itself stays, with its lock."""
    paths = list(folder.iterdir())
    if _holds_us(folder) or (paths and not (folder / "config.json").is_file()):
        raise ConfigurationError(
            f"--force: {folder} is not the output folder of a training (this folder, or no config.json "
            "in it), expected one: all that is in it would be deleted"
        )
    for path in paths:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def expect_empty(folder: Path, other_way: str = "") -> None:
    """Raise `ConfigurationError` for a folder that is not empty, with all ways out."""
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigurationError(
            f"the output folder {folder} exists and is not empty: -f (--force) deletes what is in it, "
            f"{other_way}-s names another folder"
        )


def make(folder: Path, option: str = "-s") -> None:
    """Make the folder, or raise `ConfigurationError` that names the option for another one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the output folder {folder} cannot be made ({error.strerror}), expected a path where a "
            f"folder can be made; {option} names another one"
        ) from error


@contextmanager
def locked(
    folder: Path, runs: str = "another training is", option: str = "-s"
) -> Iterator[Sequence[int]]:
    """
    Lock the folder in this context, and yield the file descriptor of the lock. The error says what
    `runs` in the folder, and the option for another one.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise ConfigurationError(
                    f"{folder}: {runs} running in this folder, expected none; wait for it, or give "
                    f"another folder by {option}"
                ) from None
            logger.warning("%s: no lock on this file system (%s)", folder, error)
        yield [descriptor]
    finally:
        os.close(descriptor)


def expect_output(option: str, file: str, inputs: Sequence[str]) -> None:
    """Check, before the work, that the folder of an output file exists, and that it is no input file."""
    folder = Path(file).parent
    for given in inputs:
        if Path(file).is_file() and Path(given).is_file() and os.path.samefile(file, given):
            raise ConfigurationError(
                f"--{option.replace('_', '-')} is {file}, the input file, expected another file"
            )
    if not folder.is_dir():
        raise ConfigurationError(
            f"--{option.replace('_', '-')} is {file}, and there is no folder {folder}, expected one"
        )
