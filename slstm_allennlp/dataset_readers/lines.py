"""Lines of text files with the numbers under which an error message can name them."""

from typing import Iterable, Iterator, List, NamedTuple, Optional

from allennlp.common.file_utils import cached_path


class Line(NamedTuple):
    """A line without its line ending, and where it stands."""

    path: str
    number: int
    text: str

    def error(self, what: str) -> ValueError:
        """An error that names the file and the line."""
        return ValueError(f"{self.path}, line {self.number}: {what}")


def read_lines(path: str) -> Iterator[Line]:
    """
    The lines of a UTF-8 file, which may be anything that AllenNLP's `cached_path` takes.

    # Errors

    `ValueError` for a file that is missing, cannot be read or is empty, and for bytes that are not
    UTF-8, with their line.
    """
    number = 0
    try:
        # As bytes: only a newline ends a line, and a broken byte can be given its line's number.
        with open(cached_path(path), "rb") as file:
            for number, line in enumerate(file, start=1):
                yield Line(str(path), number, _decode(line, str(path), number))
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


def _decode(line: bytes, path: str, number: int) -> str:
    encoding = "utf-8-sig" if number == 1 else "utf-8"
    try:
        return line.decode(encoding).rstrip("\r\n")
    except UnicodeDecodeError as error:
        broken = error.object[error.start]
        raise Line(path, number, "").error(
            f"byte 0x{broken:02x} at position {error.start + 1} is not UTF-8, expected a UTF-8 file"
        ) from None
