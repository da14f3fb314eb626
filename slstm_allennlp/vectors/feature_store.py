"""A cache of arrays on disk, shared by all processes of a machine."""

import logging
import os
import threading
import zlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import lmdb
import numpy
from allennlp.common.checks import ConfigurationError

logger = logging.getLogger(__name__)

_GIGABYTE = 1024**3
_stores: Dict[Path, "FeatureStore"] = {}
_in_use = threading.RLock()


class FeatureStore:
    """
    A key-value cache of text features in half precision, in a memory-mapped LMDB file. Each value is a
    matrix with `size` columns. Threads and processes may read and write at the same time. When the file
    reaches `gigabytes`, new values are no longer stored. A value that was damaged, which its checksum
    shows, counts as not stored. `ConfigurationError` for a damaged file, and for a folder that is not
    writable.
    """

    def __init__(self, folder: Path, size: int, gigabytes: float) -> None:
        self._folder = folder
        self._size = size
        self._gigabytes = gigabytes
        self._is_read_only = False
        self._environment: Any = None
        with _in_use:
            self._open()

    def _open(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # No fsync: features lost in a power failure can be recomputed.
            self._environment = lmdb.open(
                str(self._folder), map_size=int(self._gigabytes * _GIGABYTE), sync=False, metasync=False
            )
            pages, page = self._environment.info()["last_pgno"] + 1, self._environment.stat()["psize"]
            size = (self._folder / "data.mdb").stat().st_size
            if size < pages * page:  # a missing page would end the process
                self.close()
                raise OSError(f"data.mdb has {size} bytes, expected {pages * page}")
        except (OSError, lmdb.Error) as error:
            raise self._damaged(error) from None

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

    def get(self, keys: Sequence[bytes]) -> List[Optional[numpy.ndarray]]:
        """Return the matrix of each key, *Shape:* (num_rows, size), or None if it is not stored."""
        try:
            with _in_use, self._transaction(buffers=True) as transaction:
                return [self._matrix(transaction.get(key)) for key in keys]
        except (ValueError, lmdb.Error) as error:
            raise self._damaged(error) from None

    def put(self, matrices: Dict[bytes, numpy.ndarray]) -> None:
        """Store the matrices if there is space. *Shape:* (num_rows, size) each"""
        if self._is_read_only:
            return
        try:
            with _in_use, self._transaction(write=True) as transaction:
                for key, matrix in matrices.items():
                    value = matrix.astype(numpy.float16).tobytes()
                    transaction.put(key, value + _checksum(value))
        except lmdb.MapFullError:
            self._disable_writes(f"is full ({self._gigabytes:g} GB; cache_gigabytes sets the most)")
        except lmdb.Error as error:
            self._disable_writes(f"cannot be written ({error})")

    def _transaction(self, **options: bool) -> Any:
        if self._environment is None:
            self._open()
        try:
            return self._environment.begin(**options)
        except lmdb.MapResizedError:  # another process, with a larger limit, has grown the file
            self._environment.set_mapsize(0)  # 0: the current size of the file
            return self._environment.begin(**options)

    def _matrix(self, value: Optional[memoryview]) -> Optional[numpy.ndarray]:
        if value is None or value[-4:] != _checksum(value[:-4]):
            return None
        # Copy: the buffer is valid only during the transaction.
        return numpy.frombuffer(value[:-4], numpy.float16).reshape(-1, self._size).copy()

    def _disable_writes(self, reason: str) -> None:
        self._is_read_only = True
        logger.warning(
            "The cache of features in %s %s: features of other texts are computed each time.",
            self._folder,
            reason,
        )

    def _damaged(self, error: Exception) -> ConfigurationError:
        return ConfigurationError(
            f"{self._folder}: the cache of features cannot be used ({error}), expected a writable "
            "folder with an intact cache; remove it to rebuild the cache, or set cache to another folder"
        )


def _checksum(value: Union[bytes, memoryview]) -> bytes:
    return zlib.crc32(value).to_bytes(4, "little")


def open_store(folder: Path, size: int, gigabytes: float) -> FeatureStore:
    """Return the store in a folder. Each is opened once per process, as LMDB requires."""
    folder = folder.resolve()
    if folder not in _stores:
        _stores[folder] = FeatureStore(folder, size, gigabytes)
    return _stores[folder]


def _before_fork() -> None:
    _in_use.acquire()
    for store in _stores.values():
        store.close()


# LMDB forbids to use an open file after a fork: both processes open it again.
os.register_at_fork(before=_before_fork, after_in_parent=_in_use.release, after_in_child=_in_use.release)
