"""What a predictor reads from a file: everything that its model can be trained on, and plain text."""

import itertools
import sys
from pathlib import Path
from typing import Any, Iterable, Iterator, List

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from slstm_allennlp.dataset_readers.lines import Line, read_lines

_JSON = (".jsonl", ".json")
_PLAIN = (".txt", "")  # which corpora have, too


def read_examples(path: str, predictor: Predictor) -> Iterator[JsonDict]:
    """
    The predictor's inputs from a file:

    - JSON objects, one a line, with or without labels: files that end in .jsonl or .json, and those
      whose first line begins with `{`;
    - the dataset reader's own files, with labels: `FOLDER#PART`, files that end in neither .txt nor
      nothing, and those of which the reader can read the first example and the model knows its labels;
    - a text a line: all others.

    A blank line between JSON objects or texts is an empty text.

    # Parameters

    path : `str`
        `-` is for the standard input, which has JSON objects or texts.
    predictor : `Predictor`

    # Errors

    `ValueError` for a file that cannot be read and a line that the predictor does not take, with its
    number; `ConfigurationError` for texts that are no JSON objects and a predictor that takes no others.
    """
    if path != "-" and _is_of_reader(path, predictor):
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


def _is_json(path: str, lines: Iterable[Line]) -> Any:
    """Whether the lines are JSON objects, and the lines."""
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


def _is_of_reader(path: str, predictor: Predictor) -> bool:
    """Whether the dataset reader is to read it, as it reads what the model is trained on."""
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
        return Path(path).suffix not in _PLAIN  # where that is said once more, as the error that it is
    return first is not None and _are_known(first, predictor)


def _are_known(example: JsonDict, predictor: Predictor) -> bool:
    """Whether the model knows half of the labels, by which a tag is told from a text's last word."""
    labels = example["tags"] if "tags" in example else [example["label"]]
    model: Any = predictor._model
    namespace = getattr(model, "label_namespace", getattr(model, "_label_namespace", "labels"))
    known = model.vocab.get_token_to_index_vocabulary(namespace)
    return 2 * sum(label in known for label in labels) >= len(labels)


def _standard_input() -> Iterator[Line]:
    for number, text in enumerate(sys.stdin, start=1):
        yield Line("standard input", number, text.rstrip("\r\n"))
