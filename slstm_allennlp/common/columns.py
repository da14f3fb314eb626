"""Check texts, words and classes that a program gives, in lists and columns of other libraries."""

import re
import reprlib
from contextlib import suppress
from typing import Any, Dict, Iterable, List

import numpy

_NO_TEXT = re.compile(r"[\s\ufeff]*|.*[\ud800-\udfff].*", re.DOTALL)  # blank, or half of an emoji
_NOTHING = re.compile(r"[ \t\r\n\ufeff]*|.*[\ud800-\udfff].*", re.DOTALL)  # no word, as in files
_NO_WORD = re.compile(r" .*|.* |.*[\t\r\n\0].*|(?i:-DOCSTART-)(\s.*)?", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
shown = reprlib.repr


def listed(where: str, column: Any) -> List[Any]:
    """Return a list, with Python's numbers and strings where NumPy or pandas had others."""
    if hasattr(column, "to_pylist"):  # of PyArrow, whose array has the last category for null
        column = column.to_pylist()
    if hasattr(column, "__array__"):
        column = _of_python(numpy.asanyarray(column))  # None where a value is masked
    if isinstance(column, (str, bytes, dict, set, frozenset)) or not hasattr(column, "__iter__"):
        raise ValueError(f"{where} is {shown(column)}, expected a list")
    items = [_of_python(item) if isinstance(item, numpy.generic) else item for item in column]
    if not items:
        raise ValueError(f"{where} is empty, expected at least one item")
    return items


def _of_python(values: Any) -> Any:
    """Return the values of an array, or its scalar, as Python's: NumPy makes nanoseconds integers."""
    is_in_nanoseconds = values.dtype.str[1:] in ("M8[ns]", "m8[ns]")
    return (values.astype(f"{values.dtype.kind}8[us]") if is_in_nanoseconds else values).tolist()


def text_of(where: str, text: Any, is_word: bool = False) -> str:
    """Return a text, or a word that files with a word in each line can hold."""
    if not isinstance(text, str) or (_NOTHING if is_word else _NO_TEXT).fullmatch(text):
        raise ValueError(f"{where} is {shown(text)}, expected a string that is not blank")
    if is_word and _NO_WORD.fullmatch(text):
        raise ValueError(
            f"{where} is {text!r}, expected a word without tabs, line ends, null characters or outer "
            "spaces, and not -DOCSTART-, which begins a document in files"
        )
    return str(text).replace("\ufeff", "")  # byte order marks, as in files


def texts_of(where: str, items: Any, is_word: bool = False) -> List[str]:
    """Return a list of texts or words."""
    return [text_of(f"{where}[{i}]", item, is_word) for i, item in enumerate(listed(where, items))]


def classes_of(where: str, labels: Any) -> List[Any]:
    """Return a list of labels."""
    return [class_of(f"{where}[{i}]", label) for i, label in enumerate(listed(where, labels))]


def class_of(where: str, label: Any) -> Any:
    """Return a label, which must be hashable and not missing."""
    try:
        hash(label)
    except TypeError:
        raise ValueError(f"{where} is {shown(label)}, which is not hashable, expected a class") from None
    is_missing = not isinstance(label, str) and str(label) in ("None", "nan", "NaT", "<NA>")
    if is_missing or (isinstance(label, str) and not label.strip()):
        raise ValueError(f"{where} is {label!r}, expected a class")
    if isinstance(label, str) and _HALF.search(label):
        raise ValueError(
            f"{where} is {label!r}, which has half of a surrogate pair, as of an emoji or of a file's "
            "name that is not UTF-8, expected a class"
        )
    return label


def written(name: str) -> str:
    """Return a class's name as files have it: with single spaces, and without byte order marks."""
    return " ".join(name.replace("\ufeff", "").split())


def named(labels: Iterable[Any]) -> Dict[str, Any]:
    """Return the classes in order, by the names that they have in files."""
    first: Dict[Any, Any] = {}
    for label in labels:
        if isinstance(first.setdefault(label, label), bool) is not isinstance(label, bool):
            raise ValueError(f"y has {first[label]!r} and {label!r}, expected different classes")
    classes = list(first)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes[0]!r}, expected two or more")
    with suppress(TypeError):  # classes of several types keep their order
        classes.sort()
    names = [str(label) for label in classes]
    if len({*names}) < len(names) or list(map(written, names)) != names or "" in names:
        names = [repr(label) for label in classes]
    return dict(zip(names, classes))


def array_of(labels: Iterable[Any]) -> numpy.ndarray:
    """Return an array of the classes: of objects, where NumPy would change their types or values."""
    classes = list(labels)
    array = numpy.empty(len(classes), dtype=object)
    array[:] = classes
    kinds = {type(label) for label in classes}
    plain = numpy.array(classes) if len(kinds) == 1 and kinds <= {bool, float, int, str} else array
    return plain if plain.tolist() == classes else array
