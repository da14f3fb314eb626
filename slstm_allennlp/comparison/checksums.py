"""Checksums of a config's data files, to notice that they have changed since a run read them."""

import functools
import hashlib
import os
from pathlib import Path
from typing import Any, Dict, Optional

from slstm_allennlp.common.training_keys import DATA_KEYS


def checksums(config: Dict[str, Any]) -> Dict[str, str]:
    """
    Compute the SHA-256 of each of a config's data paths: of a file's content, or of the contents and
    names of all files in a folder. Paths that are not a local file or folder are left out, such as a URL
    or a pattern. Ignored in a path: after `#`, the part that a reader takes; after `!`, the path in an
    archive.
    """
    paths = {key: _local_path(config.get(key)) for key in DATA_KEYS}
    return {key: _checksum(path) for key, path in paths.items() if path is not None}


def _local_path(given: Any) -> Optional[Path]:
    if not isinstance(given, str):
        return None
    local = given.partition("!")[0]
    candidates = (local, local.rpartition("#")[0])
    return next((Path(path) for path in candidates if path and os.path.exists(path)), None)


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(filter(Path.is_file, path.rglob("*"))) if path.is_dir() else [path]:
        if file != path:  # some readers take labels from the names in a folder
            digest.update(os.fsencode(file.relative_to(path)) + b"\0")
        status = file.stat()
        digest.update(_checksum_of_file(file, status.st_mtime_ns, status.st_size))
    return digest.hexdigest()


@functools.cache  # the runs of a comparison read the same files
def _checksum_of_file(file: Path, modified: int, size: int) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.digest()
