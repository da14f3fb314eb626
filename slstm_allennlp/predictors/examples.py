"""Read a predictor's inputs from a file: plain text, JSON lines, or training data of its model."""

import inspect
import itertools
import json
import logging
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Optional, Set

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.predictors import Predictor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.registered_name import registered_name
from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader
from slstm_allennlp.dataset_readers.lines import (
    ANY,
    JSON,
    Line,
    blocks,
    ending,
    expect_no_pipe,
    read_lines,
)
from slstm_allennlp.dataset_readers.table_reader import TableReader, is_header, is_name_of_text
from slstm_allennlp.metrics.span_tags import ENTITY_TAG
from slstm_allennlp.predictors.text_input import TextInput

logger = logging.getLogger(__name__)

INPUT_FORMATS = ("text", "json", "corpus")
_PLAIN = (".txt", ".text", ".md", "")  # corpora may have these suffixes, too
_HEAD = 100  # lines or examples, which show the format of a file
_OBJECT = re.compile(r"\s*(\[\s*)?\{\s*([\"}]|$)|\s*\[\s*$")  # or a list of objects, which is an error
_TAG = re.compile(rf"{ENTITY_TAG.pattern}|[A-Z][A-Z$]+")
# Of a tree, in fastText's format, of a document of CoNLL's, and of CoNLL-U.
_START = re.compile(
    r"\(\S+ \(|__label__|-DOCSTART-|# (id|sent_id|text|newdoc|newpar|global)\b|([^\t]*\t){9}"
)
_WITHOUT_BLANKS = re.compile(r"\w[。！？]")  # the end of a sentence in Chinese and Japanese
_WORD_AND_TAG = re.compile(r"\S+([/_][A-Z$.,:'`()-]+|###\S+)")


def read_examples(
    path: str, predictor: Predictor, input_format: Optional[str] = None
) -> Iterator[JsonDict]:
    """
    Yield the predictor's inputs from a file, a part of a corpus (`FOLDER#PART`), or `-`, the standard
    input. The log says how it is read. `CorpusError` for a file that cannot be read or looks like
    neither text nor a corpus and, with its number, for a line that is invalid for the predictor;
    `ConfigurationError` for an unknown format, and for plain text if the predictor accepts only JSON.

    The format is `"text"`, one per line; `"json"`, one object per line, with or without labels; or
    `"corpus"`, data for the model's dataset reader, with labels (a .csv or .tsv file of texts or pairs
    that the reader cannot read is a table as of the reader `table`). A blank line between JSON objects
    or texts is an empty text. By default, the format is that of the first row that fits:

    | path or lines | format |
    |---|---|
    | .jsonl, .json, .ndjson, .jl | JSON |
    | `FOLDER#PART` | corpus |
    | the first non-blank line begins with `{` | JSON |
    | the first line has names of columns (`text`, `label`), and the model classifies | a table |
    | a suffix other than .txt, .text or .md, and the model's reader reads files | corpus |
    | the reader can read the file, and the model knows half of its labels | corpus |
    | the lines look like labelled data | an error |
    | others | text |
    """
    if input_format not in (None, *INPUT_FORMATS):
        raise ConfigurationError(
            f"input_format is {input_format!r}, expected one of {', '.join(INPUT_FORMATS)}"
        )
    expect_no_pipe(path, ", or - for the standard input")
    reader = _reader_of(path, predictor)
    is_guessed = input_format is None
    name = "standard input" if path == "-" else path
    lines: Iterator[Line] = read_lines(path)
    if input_format is None and ending(path) in JSON:
        input_format = "json"
    elif input_format is None and reader is not None and "#" in path and not Path(path).is_file():
        input_format = "corpus"
    elif input_format is None:
        is_stream = path == "-"
        first = lines if is_stream else read_lines(path, ANY, has_returns=True)
        head = list(_head(first, is_stream))
        input_format = _format_of(path, name, head, reader, predictor)
        lines = itertools.chain(head, lines) if is_stream else lines
    of_sentence = getattr(predictor, "of_sentence", None)
    if input_format == "corpus":
        if reader is None:
            raise ConfigurationError(
                f"{name}: the model's reader reads JSON, expected text or json (--use-dataset-reader "
                "reads what a reader of another package reads)"
            )
        form = f"{_form(reader)}, by the reader {registered_name(DatasetReader, reader)}"
    elif input_format == "json":
        form = "JSON, one object per line"
    elif of_sentence is None:
        raise ConfigurationError(f"{name}: {_taken(predictor)}, expected a .jsonl file of such lines")
    else:
        form = predictor.plain_text  # type: ignore[attr-defined]
    logger.info("%s: read as %s", name, form)
    if input_format == "corpus":
        examples = iter(_inputs(reader, path))
        try:
            start = list(itertools.islice(examples, 1))
        except CorpusError as error:
            if not (is_guessed and isinstance(predictor, TextInput)):
                raise
            raise CorpusError(f"{error}; --input-format text reads {predictor.plain_text}") from None
        yield from itertools.chain(start, examples)
        return
    for line in lines:
        try:
            if input_format == "json" and (line.text.strip() or of_sentence is None):
                example = _loaded(line.text, predictor)
            else:
                example = of_sentence(line.text if line.text.strip() else "")  # type: ignore[misc]
            getattr(predictor, "check_input", lambda _: None)(example)
        except ValueError as error:
            raise line.error(str(error)) from None
        yield example


def _loaded(line: str, predictor: Predictor) -> JsonDict:
    """Return the input in a line. AllenNLP's predictors do not say what is wrong with one."""
    if isinstance(predictor, TextInput):
        return predictor.load_line(line)
    try:
        given = predictor.load_line(line)
    except json.JSONDecodeError:
        raise ValueError(f"{line!r} is no JSON, {_taken(predictor)}") from None
    if not isinstance(given, dict):
        raise ValueError(f"{line!r} is no object, {_taken(predictor)}")
    return given


def _taken(predictor: Predictor) -> str:
    """Return what a predictor of AllenNLP's takes, by the arguments of its `predict`."""
    predict = getattr(predictor, "predict", None)
    keys = inspect.signature(predict).parameters if predict else ()
    example = "{" + ", ".join(f'"{key}": "…"' for key in keys) + "}" if keys else "a JSON object"
    taken = f"{type(predictor).__name__} takes {example} a line"
    return f"{taken} (--use-dataset-reader: a file as in training)"


def _inputs(reader: Any, path: str) -> Iterator[JsonDict]:
    return reader.inputs(path) if isinstance(reader, TableReader) else reader.examples(path)


def _reader_of(path: str, predictor: Any) -> Any:
    """Return the reader of labelled files like this one, or `None`."""
    own = predictor._dataset_reader
    is_readable = hasattr(own, "examples")
    may_be_a_table = getattr(predictor, "answer", None) == "label" and not isinstance(own, TableReader)
    if may_be_a_table and _is_table(path, is_readable):
        return TableReader()
    return own if is_readable else None


def _is_table(path: str, is_readable: bool) -> bool:
    """Return whether a file is a table, by its name or its first line."""
    if ending(path) == ".csv" or (ending(path) == ".tsv" and not is_readable):
        return True
    if ending(path) not in (".tsv", *_PLAIN) or not Path(path).is_file():
        return False
    texts = (line.text for line in read_lines(path, ANY, has_returns=True))
    first = next(filter(str.strip, texts), "")
    return is_name_of_text(first) or (is_header(first) and not re.search("[,;|] ", first))


def _form(reader: Any) -> str:
    return getattr(reader, "form", CorpusReader.form)


def _head(lines: Iterable[Line], is_stream: bool) -> Iterator[Line]:
    """Yield the first lines. Of a stream, only those up to the first that is not blank."""
    for line in itertools.islice(lines, _HEAD):
        yield line
        if is_stream and line.text.strip():
            break


def _format_of(path: str, name: str, head: List[Line], reader: Any, predictor: Any) -> str:
    texts = [line.text for line in head if line.text.strip()]
    if texts and _OBJECT.match(texts[0]):
        return "json"
    is_plain = path == "-" or ending(path) in _PLAIN
    starts_as_table = is_header("".join(texts[:1]), reader)
    has_names = starts_as_table or is_name_of_text("".join(texts[:1]), reader)
    if has_names and ending(path) == ".csv" and getattr(predictor, "answer", None) == "tags":
        raise CorpusError(
            f"{name}: is a table, and the model tags words, expected {predictor.plain_text}, or JSON "
            "lines (--input-format corpus: a word and its tag per line)"
        )
    if reader is not None and not (is_plain and isinstance(predictor, TextInput)):
        return "corpus"
    if not isinstance(predictor, TextInput):
        return "text"
    # Without full stops and other marks, which are also the last words of texts.
    known = {label for label in predictor.known_labels() if any(map(str.isalnum, label))}
    why_not = "a stream"
    if path != "-":
        why_not = _why_no_corpus(path, reader, predictor, known, has_names)
    if not why_not:
        return "corpus"
    are_words = predictor.answer == "tags" and _are_single_words(head)
    looks_labelled = are_words or _look_labelled(texts, known)
    if not starts_as_table and (predictor.is_plain_with_tabs or not looks_labelled):
        return "text"
    corpus = "this (--input-format corpus)"
    if are_words:
        corpus = """JSON lines, such as {"words": ["Ada", "works"]},"""
    elif reader is None:
        corpus = "JSON lines, or a table under a name that ends in .csv or .tsv,"
    raise CorpusError(
        f"{name}: looks like labelled data, but is not read as {_form(reader)} ({why_not}), expected "
        f"{corpus} or {predictor.plain_text} (--input-format text)"
    )


def _why_no_corpus(path: str, reader: Any, predictor: Any, known: Set[str], has_names: bool) -> str:
    """Return why a file is not what the reader reads, with labels of the model, or an empty string."""
    if reader is None:
        return "the model's reader reads JSON, or is not of this package"
    try:
        examples = itertools.islice(_inputs(reader, path), _HEAD)
        golds = list(map(predictor.gold, examples))
    except ValueError as error:
        return str(error)
    if isinstance(reader, TableReader) and not has_names and set(golds) <= {None}:
        return "no labels, and no names of columns"
    labels = [label for gold in golds for label in ([gold] if isinstance(gold, str) else gold or [])]
    kinds = set(map(predictor.kind_of, known))
    count = sum(predictor.kind_of(label) in kinds for label in labels)
    return "" if 2 * count >= len(labels) else f"the model knows {count} of {len(labels)} labels"


def _are_single_words(lines: List[Line]) -> bool:
    """Return whether lines have a word each, without tags, and a blank line after each sentence."""
    sizes = [len(block) for block in blocks(lines)]
    texts = [line.text.strip() for line in lines]
    # Of words, the mark has a line of its own.
    are_texts = any(map(_WITHOUT_BLANKS.search, texts)) and not set("。！？") & set(texts)
    are_words = not are_texts and all(len(text.split()) < 2 for text in texts)
    return len(sizes) > 1 and max(sizes) > 1 and are_words


def _look_labelled(texts: List[str], known: Set[str]) -> bool:
    """Return whether most lines look like trees, word/TAG, or columns, one of them with labels."""
    if not texts:
        return False
    tabs, count = Counter(text.count("\t") for text in texts).most_common(1)[0]
    if tabs and count > 1 and 2 * count > len(texts):
        return True
    width, count = Counter(len(text.split()) for text in texts).most_common(1)[0]

    def is_labelled(text: str) -> bool:
        items = text.split("\t") if "\t" in text else text.split()
        ends: List[str] = []
        if "\t" in text:
            ends = [items[0], items[-1]]
        elif len(items) == width and width > 1 and count > 1:
            ends = [items[-1], *(each for each in items[1:-1] if each in known and _TAG.match(each))]
        elif len(items) > 2 and all(map(ENTITY_TAG.fullmatch, items[-2:])):  # such as EU NNP B-NP B-ORG
            ends = [items[-1]]
        elif len(texts) == 1 and len(items) > 1 and items[-1] in known - {"O"}:  # of a stream
            ends = [items[-1]] if _TAG.fullmatch(items[-1]) else []
        is_column = any(end in known or _TAG.fullmatch(end) for end in ends)
        fields = [field.strip(' "') for field in re.split("[,;|]", text)]
        is_row = len(fields) > 1 and bool(known & {fields[0], fields[-1]})
        is_inline = len(items) > 1 and all(map(_WORD_AND_TAG.fullmatch, items))
        return is_column or is_row or is_inline or bool(_START.match(text))

    return 2 * sum(map(is_labelled, texts)) > len(texts)
