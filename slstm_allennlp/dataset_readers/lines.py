"""Lines of text files with the numbers under which an error message can name them."""

import codecs
import re
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence

from allennlp.common.file_utils import cached_path


class Line(NamedTuple):
    """A line without its line ending, and where it stands."""

    path: str
    number: int
    text: str

    def error(self, what: str) -> ValueError:
        """An error that names the file and the line."""
        return ValueError(f"{self.path}, line {self.number}: {what}")

    def columns(self) -> List[str]:
        """What stands between the tabs or, in a line without a tab, between the spaces."""
        return self.text.split("\t") if "\t" in self.text else re.split(" +", self.text.strip(" "))


# For the corpora that were made before UTF-8 was everywhere, and for those that mix the two.
UTF_8_OR_WINDOWS_1252 = ("UTF-8", "Windows-1252")


def read_lines(path: str, encodings: Sequence[str] = ("UTF-8",)) -> Iterator[Line]:
    """
    The lines of a text file, which may be anything that AllenNLP's `cached_path` takes. Each line is
    decoded by the first of `encodings` that it fits.

    # Errors

    `ValueError` for a file that is missing, cannot be read or is empty, and for bytes that fit none of
    the encodings, with their line.
    """
    number = 0
    try:
        # As bytes: only a newline ends a line, and a broken byte can be given its line's number.
        with open(cached_path(path), "rb") as file:
            for number, line in enumerate(file, start=1):
                yield Line(str(path), number, _decode(line, str(path), number, encodings))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ValueError(f"{path}: cannot be read ({reason}), expected a text file") from None
    if number == 0:
        raise ValueError(f"{path}: the file is empty, expected at least one sentence")


def blocks(lines: Iterable[Line], end: Optional[str] = None) -> Iterator[List[Line]]:
    """
    The runs of lines between blank lines; a line of nothing but white space is blank, and so is one
    whose first word is `end`.
    """
    block: List[Line] = []
    for line in lines:
        if line.text.strip() and line.text.split()[0] != end:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def number_of_columns(count: int) -> str:
    """`3 columns`, for messages."""
    return f"{count} column{'' if count == 1 else 's'}"


def _decode(line: bytes, path: str, number: int, encodings: Sequence[str]) -> str:
    if number == 1:
        line = line.removeprefix(codecs.BOM_UTF8)
    errors = []
    for encoding in encodings:
        try:
            return line.decode(encoding).rstrip("\r\n")
        except UnicodeDecodeError as error:
            errors.append(error)
    broken = errors[-1].object[errors[-1].start]
    names = " or ".join(encodings)
    raise Line(path, number, "").error(
        f"byte 0x{broken:02x} at position {errors[-1].start + 1} is not {names}, expected a {names} file"
    ) from None
