"""Lines of text files with the numbers under which an error message can name them."""

import codecs
import json
import re
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.data import Tokenizer


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

    def word_and_tag(self) -> Tuple[str, str]:
        """What stands in the first and in the last column, or an error where one is empty."""
        columns = self.columns()
        word, tag = columns[0].strip(" "), columns[-1].strip(" ")
        if not word or not tag:
            raise self.error(f"the {'tag' if word else 'word'} is empty, expected a word and its tag")
        return word, tag

    def expect_text(self, what: str, text: str, tokenizer: Tokenizer) -> None:
        """A `ValueError` for a text that is blank or of which the tokenizer leaves nothing."""
        if not text.strip():
            raise self.error(f"the {what} is empty, expected text")
        # Letters and digits make tokens; the rest is split here and once more for the instance.
        if not any(map(str.isalnum, text)) and not tokenizer.tokenize(text):
            raise self.error(f"the {what} is {text!r}, which has no tokens, expected text")

    def json_object(self, expected: str) -> Dict[str, Any]:
        """The JSON object that the line is, or an error that says what was expected."""
        try:
            example = parsed_json(self.text)
        except ValueError as error:
            raise self.error(f"{error}, {expected}") from None
        if not isinstance(example, dict):
            raise self.error(f"not a JSON object, {expected}")
        return example


UTF_8 = "UTF-8"
# For the corpora that were made before UTF-8 was everywhere, and for those that mix the two.
OLD = "UTF-8 or Windows-1252"


def expect_encoding(name: str) -> None:
    """
    # Errors

    `ConfigurationError` for an encoding that Python does not know, or in which a newline is not one
    byte, as in UTF-16, so that lines cannot be told.
    """
    try:
        has_lines = b"\n".decode(name) == "\n"
    except UnicodeError:
        has_lines = False
    except LookupError:
        raise ConfigurationError(
            f"encoding is {name!r}, expected one that Python knows, such as utf-8 or cp1252"
        ) from None
    if not has_lines:
        raise ConfigurationError(
            f"encoding is {name!r}, in which a newline is not one byte, "
            "expected one such as utf-8 or cp1252"
        )


def _by_windows_1252(error: UnicodeError) -> Tuple[str, int]:
    """An error handler of `bytes.decode`: what is not UTF-8 is Windows-1252."""
    assert isinstance(error, UnicodeDecodeError)
    broken = error.object[error.start : error.end]
    try:
        return broken.decode("windows-1252"), error.end
    except UnicodeDecodeError:
        raise error from None


codecs.register_error("slstm-Windows-1252", _by_windows_1252)


def local_path(path: str, expected: str) -> str:
    """
    Where a file or folder is that AllenNLP's `cached_path` takes: a path, a URL, or one inside an
    archive, `archive.tar.gz!folder`.

    # Errors

    `ValueError` for what is missing or cannot be had, which says what was expected.
    """
    try:
        return cached_path(path, extract_archive="!" in path)
    except Exception as error:  # whatever the clients of the protocols and the archives raise
        raise _unreadable(path, error, expected) from None


def _unreadable(path: str, error: Exception, expected: str) -> ValueError:
    reason = getattr(error, "strerror", None) or str(error)
    return ValueError(f"{path}: cannot be read ({reason}), expected {expected}")


def read_lines(path: str, encoding: str = UTF_8, name: Optional[str] = None) -> Iterator[Line]:
    """
    The lines of a text file, which may be anything that AllenNLP's `cached_path` takes. Messages call it
    `name`, if that is given.

    # Errors

    `ValueError` for a file that is missing, cannot be read or is empty, and for bytes that do not fit
    the encoding, with their line.
    """
    name = name or path
    number = 0
    try:
        # As bytes: only a newline ends a line, and a broken byte can be given its line's number.
        with open(local_path(path, "a text file"), "rb") as file:
            for number, line in enumerate(file, start=1):
                yield Line(name, number, _decode(line, name, number, encoding))
    except OSError as error:
        raise _unreadable(name, error, "a text file") from None
    if number == 0:
        raise ValueError(f"{name}: the file is empty, expected at least one sentence")


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


def parsed_json(text: str) -> Any:
    """
    What a line of JSON stands for.

    # Errors

    `ValueError` that says why it is not JSON, or not text that can be written.
    """
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:  # by itself it calls every line of a file line 1
        why = f"{error.msg} at character {error.pos + 1}"
    except UnicodeEncodeError:
        why = "half of a surrogate pair, as of an emoji that was cut in two"
    except (ValueError, RecursionError) as error:  # a number of too many digits; nested too deep
        why = str(error)
    raise ValueError(f"not JSON ({why})")


def found(example: Dict[str, Any], key: str) -> str:
    """What a JSON object has under the key, for messages."""
    return f"{key} is {json.dumps(example[key])}" if key in example else f"{key} is missing"


def number_of_columns(count: int) -> str:
    """`3 columns`, for messages."""
    return f"{count} column{'' if count == 1 else 's'}"


def _decode(line: bytes, name: str, number: int, encoding: str) -> str:
    if number == 1:
        line = line.removeprefix(codecs.BOM_UTF8)
    try:
        text = line.decode(UTF_8, "slstm-Windows-1252") if encoding == OLD else line.decode(encoding)
    except UnicodeDecodeError as error:
        broken = error.object[error.start]
        raise Line(name, number, "").error(
            f"byte 0x{broken:02x} at position {error.start + 1} is not {encoding}, "
            f"expected a {encoding} file"
        ) from None
    # A carriage return ends the line, also where blanks follow it.
    text = text.rstrip("\n")
    body = text.rstrip(" \t\r")
    return body + text[len(body) :].partition("\r")[0]
