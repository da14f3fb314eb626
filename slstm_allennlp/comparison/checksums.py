"""What tells whether the files that a config reads are still the ones that a run has read."""

import functools
import hashlib
import os
from pathlib import Path
from typing import Any, Dict, List, Optional

DATA_KEYS = ("train_data_path", "validation_data_path", "test_data_path")


def checksums(config: Dict[str, Any]) -> Dict[str, str]:
    """
    The SHA-256 of the file, or of all files in the folder and their names, that each of a config's data
    paths names; without those that are no file or folder here, such as an address or a pattern. What
    follows a `#` says which part a reader takes, what follows a `!` where in an archive.
    """
    paths = {key: _path_of(config.get(key)) for key in DATA_KEYS}
    return {key: _checksum(path) for key, path in paths.items() if path is not None}


def _path_of(given: Any) -> Optional[Path]:
    if not isinstance(given, str) or not given:
        return None
    whole = given.partition("!")[0]
    places = (place for place in (whole, whole.rpartition("#")[0]) if place and os.path.exists(place))
    return next(map(Path, places), None)


def _files(path: Path) -> List[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    for file in _files(path):
        if file != path:  # a reader may take labels from the names in a folder
            digest.update(os.fsencode(file.relative_to(path)) + b"\0")
        status = file.stat()
        digest.update(_checksum_of_one(file, status.st_mtime_ns, status.st_size))
    return digest.hexdigest()


@functools.cache  # the runs of a comparison read the same ones
def _checksum_of_one(file: Path, changed: int, size: int) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.digest()
