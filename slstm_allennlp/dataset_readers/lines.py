"""Read the lines of text files, with line numbers for error messages."""

import bz2
import codecs
import gzip
import itertools
import json
import logging
import lzma
import os
import re
import sys
import zlib
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple, TypeVar

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.common.util import SigTermReceived
from allennlp.data import Tokenizer

from slstm_allennlp.common.errors import CorpusError

logger = logging.getLogger(__name__)
T = TypeVar("T")

BLANKS = " \t"
_SHOWN = 100  # characters of a text in an error message
JSON = (".jsonl", ".json", ".ndjson", ".jl")  # endings of files with an object per line
_OTHER_FILES = {
    b"PK\x03\x04": "an Excel workbook or another archive (save it as CSV UTF-8)",
    b"PAR1": "Parquet",
    b"\x1f\x8b": "compressed by gzip (then its name must end in .gz)",
    b"BZh91AY": "compressed by bzip2 (then its name must end in .bz2)",
    b"\xfd7zXZ": "compressed by xz (then its name must end in .xz)",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard (unzstd unpacks it)",
    b"\xff\xfe": "in UTF-16 (iconv -f UTF-16 -t UTF-8 converts it)",
    b"\xfe\xff": "in UTF-16 (iconv -f UTF-16 -t UTF-8 converts it)",
}
"""How files begin that are no text in UTF-8 or one of its predecessors."""
_COMPRESSED: Dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".lzma": lzma.open}


class Line(NamedTuple):
    """A line without its line ending, with its file and line number."""

    path: str
    number: int
    text: str

    def error(self, what: str) -> CorpusError:
        """Return an error that names the file and the line."""
        return CorpusError(f"{self.path}, line {self.number}: {what}")

    def columns(self) -> List[str]:
        """Return the columns, split at tabs or, in a line without a tab, at spaces."""
        return self.text.split("\t") if "\t" in self.text else re.split(" +", self.text.strip(" "))

    def words(self) -> List[str]:
        """Return the words of a line that is not blank. Between them are spaces and tabs."""
        return re.split(f"[{BLANKS}]+", self.text.strip(BLANKS))

    def expect_text(self, what: str, text: str, tokenizer: Tokenizer) -> None:
        """Raise a `CorpusError` for a text that is blank or has no tokens."""
        if not text.strip():
            raise self.error(f"the {what} is empty, expected text")
        # Tokenization is slow, and a text with a letter or digit always has a token.
        if not any(map(str.isalnum, text)) and not tokenizer.tokenize(text):
            raise self.error(f"the {what} is {text!r}, which has no tokens, expected text")

    def json_object(self, expected: str) -> Dict[str, Any]:
        """Return the JSON object in the line, or raise an error that says what was expected."""
        try:
            example = parsed_json(self.text)
        except ValueError as error:
            raise self.error(f"{error}, {expected}") from None
        if not isinstance(example, dict):
            raise self.error(f"not a JSON object, {expected}")
        return example

    def text_of(
        self, example: Dict[str, Any], key: str, what: str, tokenizer: Tokenizer, expected: str
    ) -> str:
        """Return a text in a JSON object, or raise an error."""
        text = example.get(key)
        if not isinstance(text, str):
            raise self.error(f"{found(example, key)}, {expected}")
        self.expect_text(what, text, tokenizer)
        return text

    def label_of(self, example: Dict[str, Any], key: str, expected: str) -> Optional[str]:
        """Return the label of an example, stripped: a string, a whole number or a Boolean; or `None`."""
        label = example.get(key)
        if label is None:
            return None
        if not is_label(label) or not str(label).strip():
            raise self.error(f"{found(example, key)}, {expected}")
        return str(label).strip()


def is_label(value: Any) -> bool:
    """Return whether a value can be a class: a string, a whole number or a Boolean."""
    return isinstance(value, (str, int)) or (isinstance(value, float) and value.is_integer())


def is_word(text: str) -> bool:
    """
    Return whether a text can be a word: it has a character besides spaces, tabs and line breaks. Other
    white space, such as a no-break space, is a word in some corpora.
    """
    return bool(text.strip(f"{BLANKS}\r\n"))


UTF_8 = "UTF-8"
# For corpora that are older than UTF-8 or mix both encodings.
OLD = "UTF-8 or Windows-1252"
# For the first lines, which show the format of a file in an encoding that a key of its reader names.
ANY = "UTF-8, Windows-1252 or another"


def expect_encoding(name: str) -> None:
    """Raise `ConfigurationError` for an unknown encoding, or one whose newline is not one byte."""
    has_lines = False
    with suppress(LookupError, UnicodeError):
        has_lines = b"\n".decode(name, "replace") == "\n"
    if not has_lines:
        raise ConfigurationError(
            f"encoding is {name!r}, expected one that Python knows and in which a newline is one byte, "
            "such as utf-8 or cp1252"
        )


def _by_windows_1252(error: UnicodeError) -> Tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252. This is an error handler for `bytes.decode`."""
    assert isinstance(error, UnicodeDecodeError)
    broken = error.object[error.start : error.end]
    try:
        return broken.decode("windows-1252"), error.end
    except UnicodeDecodeError:
        raise error from None


codecs.register_error("slstm-Windows-1252", _by_windows_1252)
_HANDLERS = {OLD: "slstm-Windows-1252", ANY: "replace"}


def local_path(path: str, expected: str) -> str:
    """
    Return the local path of a file or folder that AllenNLP's `cached_path` supports: a path, a URL, or a
    path inside an archive, `archive.tar.gz!folder`. If it is missing or cannot be downloaded, raise a
    `CorpusError` that says what was expected.
    """
    try:
        is_in_archive = "!" in path and not os.path.exists(path)
        return cached_path(path, extract_archive=is_in_archive)
    except SigTermReceived:
        raise
    except Exception as error:  # whatever the clients of the protocols and the archives raise
        raise _unreadable(path, error, expected) from None


def _unreadable(path: str, error: Exception, expected: str) -> CorpusError:
    reason = getattr(error, "strerror", None) or str(error)
    return CorpusError(f"{path}: cannot be read ({reason}), expected {expected}")


def expect_no_pipe(path: str, others: str = "") -> None:
    """
    Raise `ConfigurationError` for a pipe. Its lines can be read once, and a file is read several times:
    the first lines show its format.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise ConfigurationError(f"{path}: is a pipe, expected a file{others}")


def ending(path: str) -> str:
    """Return a path's ending in lower case, such as `.csv`; of a compressed file, that before it."""
    name = Path(path.lower())
    return Path(name.stem if name.suffix in _COMPRESSED else name).suffix


def read_lines(
    path: str, encoding: str = UTF_8, name: Optional[str] = None, has_returns: bool = False
) -> Iterator[Line]:
    """
    Yield the lines of a text file, given as for AllenNLP's `cached_path`, or of the standard input, if
    the path is `-`. A file whose name ends in `.gz`, `.bz2`, `.xz` or `.lzma` is unpacked. Byte order
    marks are removed, wherever they are. Error messages call the file `name`, if that is given.
    `CorpusError` for a file that is missing, unreadable or empty, and, with the line, for bytes that are
    not valid in the encoding and, unless `has_returns`, for a carriage return inside a line. The log
    warns about a file that is UTF-8 and read in another encoding.
    """
    name = name or ("standard input" if path == "-" else path)
    number = 0
    is_utf_8 = encoding in _HANDLERS or codecs.lookup(encoding).name.startswith("utf-8")
    are_utf_8: Set[bool] = set()  # its lines, if another encoding is given
    try:
        # As bytes: then only a newline ends a line, and a decoding error can name its line.
        with _standard_input() if path == "-" else _opened(path) as file:
            lines = (line.replace(codecs.BOM_UTF8, b"") for line in file) if is_utf_8 else file
            # A last line of only a byte order mark is none.
            for number, line in enumerate(filter(None, lines), start=1):
                if not is_utf_8 and not line.isascii():
                    are_utf_8.add(_is_utf_8(line))
                text = _decode(line, name, number, encoding)
                text = text if is_utf_8 else text.replace("\ufeff", "")
                # Also in the first line of a table, which has names: then the whole file has them.
                if "\r" in text and not (has_returns and number > 1):
                    raise Line(name, number, text).error(
                        "a carriage return inside the line, expected a newline "
                        "(tr '\\r' '\\n' replaces all)"
                    )
                yield Line(name, number, text)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _unreadable(name, error, "a text file") from None
    if number == 0:
        raise CorpusError(f"{name}: the file is empty, expected at least one sentence")
    if are_utf_8 == {True}:
        # Once, though a file is read for each part and again for training.
        said = f"{name}: every line is valid UTF-8, and it is read as {encoding}"
        logger.warning_once(said)  # type: ignore[attr-defined]


def _opened(path: str) -> Any:
    return _COMPRESSED.get(Path(path).suffix.lower(), open)(local_path(path, "a text file"), "rb")


def _standard_input() -> Any:
    if hasattr(sys.stdin, "buffer"):
        return nullcontext(sys.stdin.buffer)
    return nullcontext(line.encode() for line in sys.stdin)  # replaced by text, as in a notebook


def blocks(lines: Iterable[Line], end: Optional[str] = None) -> Iterator[List[Line]]:
    """Yield the lines between blank lines. A line whose first word is `end` counts as blank."""

    def is_blank(line: Line) -> bool:
        return not line.text.strip() or line.text.split()[0].upper() == end

    for blank, block in itertools.groupby(lines, is_blank):
        if not blank:
            yield list(block)


_ALL_OR_NONE = "expected labels on all lines or on none"


def all_or_none(
    path: str, key: str, rows: Iterable[Tuple[Line, str, T, Optional[str]]]
) -> Iterator[Tuple[T, Optional[str]]]:
    """
    Yield the text and the label of each row, which is a line, what it has as label (as of `found`), its
    text and its label. Raise a `CorpusError` for a line with a label after lines without one, or the
    reverse. The log warns about a file without labels.
    """
    first: Optional[Tuple[Line, str, bool]] = None
    for line, what, text, label in rows:
        first = first or (line, what, label is not None)
        if first[2] and label is None:
            raise line.error(f"{what}, and the lines before have labels, {_ALL_OR_NONE}")
        if not first[2] and label is not None:
            raise first[0].error(f"{first[1]}, and line {line.number} has a label, {_ALL_OR_NONE}")
        yield text, label
    if first is None or not first[2]:
        logger.warning(
            "%s: no text has a %s, so the file cannot be used for training or evaluation", path, key
        )


def parsed_json(text: str) -> Any:
    """Return the value of a JSON text, or raise a `ValueError` that says why it has none."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repeated_keys)
        if re.search(r"\\u(d|feff)", text, re.IGNORECASE):
            unescaped = json.dumps(value, ensure_ascii=False)
            unescaped.encode()
            value = json.loads(unescaped.replace("\ufeff", ""))  # byte order marks
        return value
    except json.JSONDecodeError as error:  # str(error) would always say line 1
        why = f"{error.msg} at character {error.pos + 1}"
        if text.startswith("["):
            why = "the start of a list; JSON lines have one object per line"
    except UnicodeEncodeError:
        why = "half of a surrogate pair, as of an emoji that was cut in two"
    except (ValueError, RecursionError) as error:  # a number of too many digits; nested too deep
        why = str(error)
    raise ValueError(f"not JSON ({why})")


def _without_repeated_keys(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    """Return a JSON object. Of two values of a key, `json` would keep the last in silence."""
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {json.dumps(repeated)} occurs twice in an object")
    return value


def found(example: Dict[str, Any], key: str) -> str:
    """Describe the value of the key in a JSON object, for error messages."""
    return f"{key} is {shortened(json.dumps(example[key]))}" if key in example else f"{key} is missing"


def shortened(text: str) -> str:
    """Return a text of a file for error messages."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def usual_name(column: str) -> str:
    """Return the name of a column in its usual spelling."""
    return re.sub("[ -]", "_", column.lower())


def number_of_columns(count: int) -> str:
    """Return `3 columns`, for example, for error messages."""
    return f"{count} column{'' if count == 1 else 's'}"


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decode(line: bytes, name: str, number: int, encoding: str) -> str:
    if number == 1 or b"\0" in line:
        kinds = (kind for start, kind in _OTHER_FILES.items() if number == 1 and line.startswith(start))
        kind = next(kinds, "UTF-16 or no text" if b"\0" in line else None)
        if kind is not None:
            raise CorpusError(f"{name}, line {number}: the file is {kind}, expected text in UTF-8")
    try:
        handler = _HANDLERS.get(encoding)
        text = line.decode(UTF_8, handler) if handler else line.decode(encoding)
    except UnicodeDecodeError as error:
        broken = error.object[error.start]
        raise Line(name, number, "").error(
            f"byte 0x{broken:02x} at position {error.start + 1} is not {encoding}, "
            f"expected a {encoding} file (iconv makes one; the key encoding of readers that have it, "
            "such as table, names another)"
        ) from None
    # Remove a carriage return at the end of the line, and any blanks after it.
    text = text.rstrip("\n")
    body = text.rstrip(" \t\r")
    return body + text[len(body) :].partition("\r")[0]
