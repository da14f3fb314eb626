"""Read a predictor's inputs from a file: plain text, JSON lines, or training data of its model."""

import itertools
import sys
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from slstm_allennlp.dataset_readers.lines import Line, read_lines

_JSON = (".jsonl", ".json")
_PLAIN = (".txt", "")  # corpora may have these suffixes, too


def read_examples(path: str, predictor: Predictor) -> Iterator[JsonDict]:
    """
    Yield the predictor's inputs from a file. It contains

    - JSON objects, one per line, with or without labels, if its suffix is .jsonl or .json, or its first
      non-blank line begins with `{`;
    - data for the dataset reader, with labels, if the path is `FOLDER#PART`, if it has another suffix
      than .txt, or if the reader can read the first example and the model knows half of its labels;
    - one text per line otherwise.

    A blank line between JSON objects or texts is an empty text. The path `-` means the standard input,
    which contains JSON objects or texts.

    # Errors

    `ValueError` for a file that cannot be read and, with its number, for a line that is invalid for the
    predictor; `ConfigurationError` for plain text if the predictor accepts only JSON objects.
    """
    if path != "-" and _is_reader_file(path, predictor):
        yield from predictor._dataset_reader.examples(path)  # type: ignore[attr-defined]
        return
    lines: Iterable[Line] = _standard_input() if path == "-" else read_lines(path)
    is_json, lines = _is_json(path, lines)
    of_sentence = getattr(predictor, "of_sentence", None)
    if not is_json and of_sentence is None:
        raise ConfigurationError(
            f"{path}: {type(predictor).__name__} takes JSON objects, expected a .jsonl file of them"
        )
    for line in lines:
        try:
            if is_json and (line.text.strip() or of_sentence is None):
                example = predictor.load_line(line.text)
            else:
                example = of_sentence(line.text.strip())  # type: ignore[misc]
            getattr(predictor, "check_input", lambda _: None)(example)
        except ValueError as error:
            raise line.error(str(error)) from None
        yield example


def _is_json(path: str, lines: Iterable[Line]) -> Tuple[bool, Iterable[Line]]:
    """Return whether the lines are JSON objects, and all lines again."""
    if path.endswith(_JSON):
        return True, lines
    head: List[Line] = []
    lines = iter(lines)
    for line in lines:
        head.append(line)
        if line.text.strip():
            break
    is_json = bool(head) and head[-1].text.lstrip("\ufeff \t").startswith("{")
    return is_json, itertools.chain(head, lines)


def _is_reader_file(path: str, predictor: Predictor) -> bool:
    """Return whether the dataset reader should read the file, as it reads training data."""
    if not hasattr(predictor._dataset_reader, "examples") or path.endswith(_JSON):
        return False
    if not Path(path).is_file() and "#" in path:
        return True
    try:
        if _is_json(path, read_lines(path))[0]:
            return False
        if Path(path).suffix not in _PLAIN:
            return True
        first = next(iter(predictor._dataset_reader.examples(path)), None)
    except ValueError:
        return Path(path).suffix not in _PLAIN  # then the reader raises the error again
    return first is not None and _knows_labels(first, predictor)


def _knows_labels(example: JsonDict, predictor: Predictor) -> bool:
    """Return whether the model knows half of the labels, to tell a tag from the last word of a text."""
    labels = example["tags"] if "tags" in example else [example["label"]]
    model: Any = predictor._model
    namespace = getattr(model, "label_namespace", getattr(model, "_label_namespace", "labels"))
    known = model.vocab.get_token_to_index_vocabulary(namespace)
    return 2 * sum(label in known for label in labels) >= len(labels)


def _standard_input() -> Iterator[Line]:
    for number, text in enumerate(sys.stdin, start=1):
        yield Line("standard input", number, text.rstrip("\r\n"))
