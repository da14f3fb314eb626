"""Parts of a corpus: `FOLDER#train` has files of its own, `FILE#train` is a share of one file."""

import functools
import hashlib
import os
import pathlib
import random
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    TypeVar,
)

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.training_keys import DATA_KEYS
from slstm_allennlp.dataset_readers.lines import UTF_8, Line, local_path, read_lines

T = TypeVar("T")

PARTS = ("train", "dev", "test")
_TENTHS = {2: "dev", 7: "test"}  # of ten examples, the number of each that is not for training


class CorpusPart(NamedTuple):
    """A part of a corpus that is a folder. `name` is the folder as the user wrote it."""

    name: str
    folder: pathlib.Path
    part: str

    @classmethod
    def of(cls, path: str, parts: Sequence[str] = ()) -> "CorpusPart":
        """
        Parse `FOLDER#PART`. The folder may be inside an archive, as for AllenNLP's `cached_path`:
        `corpus.tar.gz!folder#train`. `CorpusError` for a file, a path without a part, a folder that does
        not exist and, if `parts` are given, a part that is not one of them.
        """
        if pathlib.Path(path).is_file():
            raise CorpusError(
                f"{path}: is a file, expected FOLDER#PART, one part of a corpus that is a folder, such "
                "as data#train"
            )
        name, _, part = path.rpartition("#")
        if not name or not part or "/" in part:
            example = path.strip("#") or "FOLDER"
            raise CorpusError(f"{path}: names no part, expected FOLDER#PART, such as {example}#train")
        folder = pathlib.Path(local_path(name, "a folder"))
        if not folder.is_dir():
            raise CorpusError(f"{name}: is a file, expected a folder")
        if parts:
            _expect_part(name, part, parts)
        return cls(name, folder, part)

    def lines(self, file: str, encoding: str = UTF_8) -> Iterator[Line]:
        """Yield the lines of a file in the folder."""
        return read_lines(str(self.folder / file), encoding, name=f"{self.name.rstrip('/')}/{file}")


def _expect_part(name: str, part: str, parts: Sequence[str]) -> None:
    if part not in parts:
        raise CorpusError(f"{name}: there is no part {part!r}, expected one of {', '.join(parts)}")


def file_of(path: str) -> str:
    """Return the file of `FILE#PART`, or the path itself."""
    return path if os.path.isfile(path) else path.rpartition("#")[0] or path


def checksum_of(file: str) -> str:
    """Return the checksum of a file for a config."""
    return sha256_of(pathlib.Path(local_path(file, "a file"))).hex()[:16]


def sha256_of(file: pathlib.Path) -> bytes:
    """Return the SHA-256 of a file's content. It is computed once until the file changes."""
    status = file.stat()
    return _sha256_of(file, status.st_mtime_ns, status.st_size)


@functools.cache  # readers ask for each part, and all runs of a comparison for the same files
def _sha256_of(file: pathlib.Path, modified: int, size: int) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    return digest.digest()


def examples_of(
    path: str,
    seed: int,
    read: Callable[[str], Iterable[T]],
    label_of: Callable[[T], Any] = lambda example: None,
    checksum: Optional[str] = None,
) -> Iterator[T]:
    """
    Yield the examples that `read(file)` yields, those of the whole file or, for `FILE#train`, `FILE#dev`
    and `FILE#test`, 80, 10 and 10 per cent of them, in the file's order. `FILE#train+test` joins two
    parts. The seed decides which example is in which part. Examples that are the same are in one part,
    and each part has its share of each frequent label. `CorpusError` for an unknown part, for fewer than
    10 different examples, and for a part of a file with another content than that of the checksum.
    """
    file = file_of(path)
    if file == path:
        yield from read(path)
        return
    parts = path[len(file) + 1 :].split("+")
    for part in parts:
        _expect_part(file, part, PARTS)
    if checksum is not None and checksum_of(file) != checksum:
        raise CorpusError(
            f"{path}: {file} is not the file that was split for the training, or has changed since, so "
            "that its parts differ; expected that file as it was, a whole file or, for a new training, "
            '"dataset_reader.split_checksum": null'
        )
    examples = list(read(file))
    same: Dict[str, List[int]] = {}
    for number, example in enumerate(examples):
        same.setdefault(str(example), []).append(number)
    if len(same) < 10:
        raise CorpusError(
            f"{file}: {len(same)} different examples, expected at least 10 to split them into "
            f"{', '.join(PARTS)}, or a file for each"
        )
    order = list(same.values())
    random.Random(seed).shuffle(order)
    order.sort(key=lambda numbers: str(label_of(examples[numbers[0]])))
    part_of = {n: _TENTHS.get(place % 10, "train") for place, group in enumerate(order) for n in group}
    yield from (example for number, example in enumerate(examples) if part_of[number] in parts)


def checksums(config: Dict[str, Any]) -> Dict[str, str]:
    """
    Compute the SHA-256 of each of a config's data paths: of a file's content, or of the contents and
    names of all files in a folder. Paths that are not a local file or folder are left out, such as a URL
    or a pattern. Ignored in a path: after `#`, the part that a reader takes; after `!`, the path in an
    archive.
    """
    found = {}
    for key in DATA_KEYS:
        path = str(config.get(key) or "")
        whole = (path, path.partition("!")[0])
        places = [name for each in whole for name in (each, each.rpartition("#")[0])]
        local = next(filter(os.path.exists, places), None)
        if local is not None:
            found[key] = _checksum(pathlib.Path(local))
    return found


def _checksum(path: pathlib.Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(filter(pathlib.Path.is_file, path.rglob("*"))) if path.is_dir() else [path]:
        if file != path:  # some readers take labels from the names in a folder
            digest.update(os.fsencode(file.relative_to(path)) + b"\0")
        digest.update(sha256_of(file))
    return digest.hexdigest()
