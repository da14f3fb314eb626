"""Corpora that come as a folder: `FOLDER#PART` names one part of one, such as `data/mr#train`."""

import pathlib
from typing import NamedTuple, Sequence

from allennlp.common.file_utils import cached_path


class CorpusPart(NamedTuple):
    folder: pathlib.Path
    part: str

    @classmethod
    def of(cls, path: str, example: str = "train") -> "CorpusPart":
        """
        The folder and the part that `FOLDER#PART` names. The folder may be one inside an archive, as
        AllenNLP's `cached_path` takes it: `corpus.tar.gz!folder#train`.

        # Errors

        `ValueError` for a path without a part and for a folder that does not exist.
        """
        folder, _, part = path.rpartition("#")
        if not folder or not part:
            raise ValueError(f"{path}: names no part, expected FOLDER#PART, such as {part}#{example}")
        try:
            found = pathlib.Path(cached_path(folder, extract_archive=True))
        except OSError as error:
            raise ValueError(f"{folder}: cannot be read ({error}), expected a folder") from None
        if not found.is_dir():
            raise ValueError(f"{folder}: is a file, expected a folder")
        return cls(found, part)

    def check(self, parts: Sequence[str]) -> None:
        """A `ValueError` unless the part is one of `parts`."""
        if self.part not in parts:
            raise ValueError(
                f"{self.folder}: there is no part {self.part!r}, expected one of {', '.join(parts)}"
            )
