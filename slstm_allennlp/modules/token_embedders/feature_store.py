"""Arrays on disk that all processes of a machine share."""

import logging
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, TypeVar

import lmdb
import numpy
from allennlp.common.checks import ConfigurationError

logger = logging.getLogger(__name__)

_GIGABYTE = 1024**3
T = TypeVar("T")
_stores: Dict[Path, "FeatureStore"] = {}


class FeatureStore:
    """
    Features of texts in half precision, in a memory-mapped LMDB file: matrices of `size` columns by key.
    Processes may read and write at the same time. When the file is full, of so many gigabytes, it takes
    no more.

    # Errors

    `ConfigurationError` for a file that is damaged, or a folder that cannot be written.
    """

    def __init__(self, folder: Path, size: int, gigabytes: float) -> None:
        self._folder = folder
        self._size = size
        self._gigabytes = gigabytes
        self._is_full = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Without waiting for the disk: what a power cut destroys can be computed again.
            self._environment = lmdb.open(
                str(folder), map_size=int(gigabytes * _GIGABYTE), sync=False, metasync=False
            )
        except (OSError, lmdb.Error) as error:
            raise self._damaged(error) from None

    def get(self, keys: Sequence[bytes]) -> List[Optional[numpy.ndarray]]:
        """The matrix of each key, *Shape:* (num_rows, size), None where there is none."""
        try:
            return self._with_our_map(lambda: self._read(keys))
        except (ValueError, lmdb.Error) as error:
            raise self._damaged(error) from None

    def put(self, matrices: Dict[bytes, numpy.ndarray]) -> None:
        """Keeps them if there is room. *Shape:* (num_rows, size) each"""
        if self._is_full:
            return
        try:
            self._with_our_map(lambda: self._write(matrices))
        except lmdb.MapFullError:
            self._stop(f"is full ({self._gigabytes:g} GB; cache_gigabytes sets the most)")
        except lmdb.Error as error:
            self._stop(f"cannot be written ({error})")

    def _with_our_map(self, access: Callable[[], T]) -> T:
        """Does it again where another process, with a larger bound, has made the file larger."""
        try:
            return access()
        except lmdb.MapResizedError:
            self._environment.set_mapsize(0)  # as large as the file
            return access()

    def _read(self, keys: Sequence[bytes]) -> List[Optional[numpy.ndarray]]:
        with self._environment.begin(buffers=True) as transaction:
            return [self._matrix(transaction.get(key)) for key in keys]

    def _write(self, matrices: Dict[bytes, numpy.ndarray]) -> None:
        with self._environment.begin(write=True) as transaction:
            for key, matrix in matrices.items():
                transaction.put(key, matrix.astype(numpy.float16).tobytes())

    def _matrix(self, value: Optional[memoryview]) -> Optional[numpy.ndarray]:
        if value is None:
            return None
        # A copy: the memory is the file's, and only as long as the transaction lasts.
        return numpy.frombuffer(value, numpy.float16).reshape(-1, self._size).copy()

    def _stop(self, reason: str) -> None:
        self._is_full = True
        logger.warning(
            "The cache of features in %s %s: features of other texts are computed each time.",
            self._folder,
            reason,
        )

    def _damaged(self, error: Exception) -> ConfigurationError:
        return ConfigurationError(
            f"{self._folder}: the cache of features cannot be used ({error}), expected a folder that "
            "can be written, with what was put there; remove it, and it is made again, or set cache to "
            "another"
        )


def open_store(folder: Path, size: int, gigabytes: float) -> FeatureStore:
    """The store in a folder, which a process can open only once."""
    folder = folder.resolve()
    if folder not in _stores:
        _stores[folder] = FeatureStore(folder, size, gigabytes)
    return _stores[folder]
