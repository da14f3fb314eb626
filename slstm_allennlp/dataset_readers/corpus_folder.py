"""Corpora that are folders. `FOLDER#PART` names one part of a corpus, such as `data/mr#train`."""

import pathlib
from typing import Iterator, NamedTuple, Sequence

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import UTF_8, Line, local_path, read_lines


class CorpusPart(NamedTuple):
    """A part of a corpus. `name` is the folder as the user wrote it."""

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
        if parts and part not in parts:
            raise CorpusError(f"{name}: there is no part {part!r}, expected one of {', '.join(parts)}")
        return cls(name, folder, part)

    def lines(self, file: str, encoding: str = UTF_8) -> Iterator[Line]:
        """Yield the lines of a file in the folder."""
        return read_lines(str(self.folder / file), encoding, name=f"{self.name.rstrip('/')}/{file}")
