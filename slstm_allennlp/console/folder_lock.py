"""
Refuse a second training in the same folder, also with `--recover` and `--force`: the two would overwrite
each other's checkpoints. The lock is on the folder itself, so that the system releases it when a process
is killed.
"""

import errno
import logging
import os
from typing import Any, Dict

from allennlp.commands import find_learning_rate, train
from allennlp.common.checks import ConfigurationError
from allennlp.training import util as training_util

from slstm_allennlp.common.changes import Original, replaces

try:
    import fcntl
except ImportError:  # Windows has no fcntl
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)
_held: Dict[str, int] = {}  # folder -> descriptor that holds its lock


@replaces(training_util, "create_serialization_dir")
def _create_and_lock(
    original: Original, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    folder = os.path.abspath(serialization_dir)
    if os.path.isdir(folder):
        _lock(folder)  # before --force removes it
    try:
        _create_or_explain(original, params, serialization_dir, recover, force)
    finally:
        _unlock(folder)
    _lock(folder)  # anew, since --force may have replaced the folder


@replaces(find_learning_rate, "create_serialization_dir")
def _create_or_explain(
    original: Original, params: Any, serialization_dir: Any, recover: bool, force: bool
) -> None:
    """Explain all options if the folder is not empty. AllenNLP's message names only one."""
    is_used = os.path.isdir(serialization_dir) and os.listdir(serialization_dir)
    if is_used and not recover and not force:
        raise ConfigurationError(
            f"the output folder {serialization_dir} exists and is not empty: -f (--force) deletes what "
            "is in it, --recover goes on with its training, -s names another folder"
        )
    original(params, serialization_dir, recover, force)


@replaces(train, "train_model")
def _train_and_unlock(
    original: Original, params: Any, serialization_dir: Any, *args: Any, **kwargs: Any
) -> Any:
    try:
        return original(params, serialization_dir, *args, **kwargs)
    finally:
        _unlock(os.path.abspath(serialization_dir))


def _lock(folder: str) -> None:
    if fcntl is None or folder in _held:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise ConfigurationError(
                f"{folder}: another training is running in this folder, expected none; wait for it, or "
                "give another --serialization-dir"
            ) from None
        logger.warning("%s: no lock on this file system (%s)", folder, error)
        return
    _held[folder] = descriptor


def _unlock(folder: str) -> None:
    descriptor = _held.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)
