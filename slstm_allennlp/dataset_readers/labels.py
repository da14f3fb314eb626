"""Labels of texts: what can be one, and that a file has them on all lines or on none."""

import logging
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple, TypeVar

from slstm_allennlp.dataset_readers.lines import Line, found

logger = logging.getLogger(__name__)
T = TypeVar("T")


def label_of(line: Line, example: Dict[str, Any], key: str, expected: str) -> Optional[str]:
    """
    Return the label of an example without white space around it, or `None` if there is none.

    # Errors

    `CorpusError` for a label that is not a string, an integer or a Boolean.
    """
    label = example.get(key)
    if label is None:
        return None
    if not isinstance(label, int) and not (isinstance(label, str) and label.strip()):
        raise line.error(f"{found(example, key)}, {expected}")
    return str(label).strip()


def all_or_none(
    path: str, key: str, rows: Iterable[Tuple[Line, Dict[str, Any], T, Optional[str]]]
) -> Iterator[Tuple[T, Optional[str]]]:
    """
    Yield the text and the label of each row, which is a line, its example, its text and its label. The
    log warns about a file without labels.

    # Errors

    `CorpusError` for a line with a label after lines without one, or the reverse.
    """
    has_labels = None
    for line, example, text, label in rows:
        if has_labels is None:
            has_labels = label is not None
        elif has_labels != (label is not None):
            raise line.error(
                f"{found(example, key)}, and the lines before have "
                f"{'labels' if has_labels else 'none'}, expected labels on all lines or on none"
            )
        yield text, label
    if not has_labels:
        logger.warning(
            "%s: no text has a %s, so the file cannot be used for training or evaluation", path, key
        )
