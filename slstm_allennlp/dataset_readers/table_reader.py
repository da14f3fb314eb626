import csv
import itertools
import logging
import re
import sys
from contextlib import contextmanager, suppress
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Token, Tokenizer
from allennlp.data.fields import Field, LabelField, MetadataField, TextField

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.suggestions import did_you_mean
from slstm_allennlp.dataset_readers.corpus_reader import LabelledTextReader
from slstm_allennlp.dataset_readers.lines import (
    JSON,
    UTF_8,
    Line,
    all_or_none,
    ending,
    found,
    number_of_columns,
    read_lines,
    shortened,
    usual_name,
)
from slstm_allennlp.dataset_readers.parts import examples_of, file_of
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

logger = logging.getLogger(__name__)

# Known names of columns. If several occur, the first of a list is preferred, and others are an error.
_TEXT = [[name] for name in "text sentence review content body message comment tweet".split()]
_PAIRS = [["text_a", "text_b"], ["premise", "hypothesis"], ["sentence_a", "sentence_b"]]
_PAIRS += [[f"{name}1", f"{name}2"] for name in ("sentence", "question", "text")]
_LABELS = "label gold_label class category sentiment polarity target is_duplicate".split()
_LABEL = [[name] for name in _LABELS]
_MARKS = ";\t,|"  # between columns
_HEAD = 100  # lines, which show the delimiter
_INVISIBLE = "\u200b\u200e\u200f"  # of spreadsheets, around a name: no space, and marks of direction
_SECOND_HEADER = "the names of the columns, expected them on the first line alone or in the key columns"
_NOT_ACCEPTED = ("reject", "ignore")
NO_GOLD = ("-", "hidden")  # as a `gold_label` in SNLI, without agreement, and in MultiNLI's test set
_SEPARATOR = re.compile(r"\"?sep=(.)\1*\"?", re.IGNORECASE)  # a first line for Excel
_FASTTEXT = re.compile(r"__label__[^\s,;|]+ ")
_EXPECTED = (
    "expected the columns text and label, or text_a, text_b and label (--text and --label of `slstm "
    "train` or the reader's keys of these names give others, its key columns all of a file without a "
    "header line, and delimiter what is between them)"
)


@DatasetReader.register("table")
class TableReader(LabelledTextReader):
    """
    Read labelled texts, or pairs of texts, from a table: CSV, TSV or JSON lines. The columns are found
    by name: `text` and `label`, or, for pairs, `text_a`, `text_b` and `label`. Common other names are
    known, such as `sentence`, `premise` and `hypothesis`, and `class`. Other columns are ignored, and
    the log says which are read. Either all lines have a label or none has. A file without labels can
    only be used for prediction.

    In CSV and TSV, the first line has the names. Fields can be in quotation marks, and then contain line
    breaks. The ending of the file's name tells the format: `.jsonl`, `.json`, `.ndjson` and `.jl` are
    JSON lines, `.csv` is separated by commas, and others by tabs. A compressed file has a second ending,
    `.gz` or another.

    The instances of pairs have the fields `premise`, `hypothesis`, `metadata` and `label`, as in the
    reader `snli`.

    # Parameters, besides those of `LabelledTextReader`

    text, text_a, text_b, label : `str`, optional (default = `None`)
        The names of the columns.
    columns : `List[str]`, optional (default = `None`)
        The names of all columns, for CSV and TSV without a header line.
    delimiter : `str`, optional (default = `None`)
        The character between columns of CSV and TSV. Without this key, it is that of the file's ending
        or, if the header line does not have that, the first of `;`, tab, comma and `|` that it has; with
        `columns`, the one that gives their number in the first hundred lines, and an error if several
        do. A line `sep=;` before the header, as for Excel, says it, too.
    quoting : `bool`, optional (default = `True`)
        Whether quotation marks around a field are removed. If false, they are ordinary characters.
    encoding : `str`, optional (default = `"UTF-8"`)
    tokenizer : `Tokenizer`, optional (default = `{"type": "spacy_blank"}`)
    split_seed : `int`, optional (default = `0`)
        Decides which lines are in `FILE#train`, `FILE#dev` and `FILE#test`, 80, 10 and 10 per cent of
        each class.
    split_checksum : `str`, optional (default = `None`)
        The checksum of FILE, as `slstm train --data` writes it. Parts of another file are an error.
    combine_input_fields : `bool`, optional (default = `False`)
        Whether the two texts of a pair are one field, `tokens`, as BERT reads them.
    """

    form = "a table"

    def __init__(
        self,
        text: Optional[str] = None,
        text_a: Optional[str] = None,
        text_b: Optional[str] = None,
        label: Optional[str] = None,
        columns: Optional[List[str]] = None,
        delimiter: Optional[str] = None,
        quoting: bool = True,
        encoding: str = UTF_8,
        tokenizer: Optional[Tokenizer] = None,
        split_seed: int = 0,
        split_checksum: Optional[str] = None,
        combine_input_fields: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(encoding, tokenizer or SpacyBlankTokenizer(), **kwargs)
        if (text_a is None) != (text_b is None) or (text is not None and text_a is not None):
            raise ConfigurationError(
                f"table: text is {text!r}, text_a {text_a!r} and text_b {text_b!r}, expected text, or "
                "text_a and text_b"
            )
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise ConfigurationError(f"table: delimiter is {delimiter!r}, expected one character")
        for names in ((text, text_a, text_b, label), columns or ()):
            named = list(filter(None, names))
            if len(set(named)) < len(named):
                raise ConfigurationError(
                    f"table: the columns are {', '.join(named)}, expected different ones"
                )
        self._texts = [name for name in (text, text_a, text_b) if name is not None]
        self._label = label
        self._columns = columns
        self._delimiter = delimiter
        self._quoting = quoting
        self._split_seed = split_seed
        self._split_checksum = split_checksum
        self._combine_input_fields = combine_input_fields

    def _read(self, file_path: str) -> Iterator[Instance]:
        for texts, label in self.shard_iterable(self._labelled_rows(str(file_path))):
            yield self.text_to_instance(*texts, label=label)  # type: ignore[misc]

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        return itertools.starmap(_as_input, self._labelled_rows(path))

    def inputs(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield the same for prediction, also of a file of which a part is labelled."""
        # A part is that of the training, whose rows all have labels.
        return itertools.starmap(_as_input, self._labelled_rows(path, partly=file_of(path) == path))

    def as_input(self, json_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Return a JSON object of training data as input of the predictors. Other keys are left out."""
        texts, label = self._choose(list(json_dict))
        is_other = json_dict and not {"sentence", "text", "words"} & {*json_dict}
        if not texts and len(self._texts) == 1 and is_other:
            raise CorpusError(self._no_text_in(json_dict))
        given = None if _is_unlabelled(json_dict, label) else _only(json_dict.get(label))
        return _as_input([json_dict[key] for key in texts], given) if texts else json_dict

    def text_to_instance(  # type: ignore[override]
        self,
        text: Union[str, Sequence[Token]],
        text_b: Optional[str] = None,
        label: Optional[str] = None,
    ) -> Instance:
        """Return the instance of a text, which is raw or tokenized, or of a pair of texts."""
        if text_b is None:
            return super().text_to_instance(text, label)
        texts = {
            name: self._tokenizer.tokenize(each) if isinstance(each, str) else list(each)
            for name, each in (("premise", text), ("hypothesis", text_b))
        }
        if self._combine_input_fields:
            return super().text_to_instance(self._tokenizer.add_special_tokens(*texts.values()), label)
        words = {f"{name}_tokens": [token.text for token in tokens] for name, tokens in texts.items()}
        fields: Dict[str, Field] = {name: TextField(tokens) for name, tokens in texts.items()}
        fields["metadata"] = MetadataField(words)
        if label is not None:
            fields["label"] = LabelField(label, self._label_namespace)
        return Instance(fields)

    def _labelled_rows(
        self, path: str, partly: bool = False
    ) -> Iterator[Tuple[List[str], Optional[str]]]:
        """Yield the text or the two texts of each line, and its label."""

        def rows(file: str) -> Iterator[Tuple[List[str], Optional[str]]]:
            if partly:
                return ((texts, label) for _, _, texts, label in self._rows(file, partly))
            return all_or_none(file, self._label or "label", self._rows(file))

        return examples_of(
            path, self._split_seed, rows, lambda row: row[1], checksum=self._split_checksum
        )

    def _rows(
        self, path: str, partly: bool = False
    ) -> Iterator[Tuple[Line, str, List[str], Optional[str]]]:
        logged: List[str] = []
        labelled, unlabelled, no_label = 0, 0, ""
        for line, with_names, row in self._read_rows(path, partly):
            try:
                keys, label = self._choose(list(row))
            except ValueError as error:
                raise with_names.error(str(error)) from None
            if not keys:
                raise with_names.error(self._no_text_in(row))
            if label in row:
                row[label] = _only(row[label])
            read = [key for key in (*keys, label) if key in row]
            if len(read) > 1 and all(row[key] == key for key in read):
                raise line.error(_SECOND_HEADER)
            if not partly and _is_refused(row, label):
                raise line.error(
                    f"answer is {row['answer']!r}, as of Prodigy for a label that is wrong or unknown, "
                    "expected the accepted examples alone"
                )
            if not logged:
                logged = read
                # Once, though a file is read for each part and again for training.
                logger.info_once(f"{path}: the columns {', '.join(read)} are read")  # type: ignore[attr-defined]
            elif read[: len(logged)] != logged[: len(read)]:
                raise line.error(
                    f"the columns {', '.join(read)} would be read here, and {', '.join(logged)} before, "
                    "expected the same (--text and --label of `slstm train` or the reader's keys of "
                    "these names name them)"
                )
            texts = [
                ""  # predicted without a label
                if partly and isinstance(row[key], str) and not row[key].strip()
                else line.text_of(row, key, key, self._tokenizer, "expected text")
                for key in keys
            ]
            value = None
            if not _is_unlabelled(row, label):
                value = line.label_of(row, label, "expected a string or a whole number")
            elif not partly and row[label].strip():  # not blank, so one of `NO_GOLD`
                no_label = f'"{row[label].strip()}"'
                unlabelled += 1
                continue
            labelled += value is not None
            yield line, found(row, label), texts, value
        if unlabelled and not partly:
            if not labelled:
                raise CorpusError(
                    f"{path}: none of {unlabelled} pairs has a gold label, all have {no_label}, "
                    "expected others"
                )
            said = f"{unlabelled} pairs have no gold label ({no_label}) and were left out"
            logger.info_once(f"{path}: {said}")  # type: ignore[attr-defined]
        if not logged:
            raise CorpusError(
                f"{path}: no text in the file, expected a line with the names of the columns, and others"
            )

    def no_label_in(self, path: str) -> CorpusError:
        """Return the error of a file without a label on its first line, with the nearest name."""
        line, with_names, row = next(self._read_rows(file_of(path)))
        _, label = self._choose(list(row))
        if label in row:
            return line.error(f"{found(row, label)}, expected a label")
        if self._label is not None:
            return with_names.error(_no_column(self._label, row))
        return with_names.error(
            f"the columns are {shortened(', '.join(row))}, expected one for the labels, such as "
            "label or class (--label of `slstm train` or the reader's key label gives another)"
        )

    def line_with(self, path: str, label: str) -> Optional[Line]:
        """Return the first line of a file, or of the file of a part, that has the label, or `None`."""
        return next((line for line, _, _, own in self._rows(file_of(path)) if own == label), None)

    def columns_of(self, path: str) -> List[str]:
        """Return the names of the columns of a file, or of the file of a part, that are read."""
        *_, row = next(self._read_rows(file_of(path)))
        texts, label = self._choose(list(row))
        return [name for name in (*texts, label) if name in row]

    def _no_text_in(self, row: Dict[str, Any]) -> str:
        return _no_column(next((name for name in self._texts if name not in row), None), row)

    def _read_rows(self, path: str, partly: bool = False) -> Iterator[Tuple[Line, Line, Dict[str, Any]]]:
        """Yield the line of each row, the line with the names of its columns, and the row."""
        return self._json_rows(path) if ending(path) in JSON else self._csv_rows(path, partly)

    def _json_rows(self, path: str) -> Iterator[Tuple[Line, Line, Dict[str, Any]]]:
        expected = "expected one object per line, with a text and a label"
        for line in read_lines(path, self._encoding):
            if line.text.strip():
                yield line, line, line.json_object(expected)

    def _csv_rows(self, path: str, partly: bool) -> Iterator[Tuple[Line, Line, Dict[str, Any]]]:
        lines = read_lines(path, self._encoding, has_returns=True)
        head, delimiter = [], self._delimiter
        for line in lines:  # up to the header
            mark = _SEPARATOR.fullmatch(line.text)
            head.append(line._replace(text="") if mark else line)
            if mark:
                delimiter = delimiter or mark[1]
            elif line.text.strip():
                break
        if head and head[-1].text.lstrip().startswith('{"'):
            raise head[-1].error(
                "looks like JSON lines, expected a table, or a name that ends in .jsonl"
            )
        if head and self._columns is None and _FASTTEXT.match(head[-1].text):
            raise head[-1].error(
                "looks like fastText's format, expected a table with the names of its columns on the "
                "first line, such as label and text"
            )
        if delimiter is None and self._columns is not None:
            head += itertools.islice(lines, _HEAD)
            delimiter = self._delimiter_of(head)
        delimiter = delimiter or self._delimiter_in(head[-1])
        expected = f"expected fields with {delimiter!r} between"
        if self._quoting:
            expected += '; "quoting": false of the reader takes quotation marks as they are'
        last = ""  # the last line of the row

        def texts() -> Iterator[str]:
            nonlocal last
            for line in itertools.chain(head, lines):
                last = line.text
                yield f"{last}\n"

        rows = self._parsed(texts(), delimiter)
        names, with_names = self._columns, None
        header = _lowered(names or [])
        nameless: List[int] = []
        while True:
            line = Line(head[0].path, rows.line_num + 1, "")  # the first line of the row
            try:
                with _any_length():
                    row = next(rows, None)
            except csv.Error as error:
                if str(error).startswith("new-line"):  # the advice is for programs
                    raise line.error(
                        "a carriage return outside quotation marks, expected none"
                    ) from None
                if '\\"' in last:
                    expected = (
                        'expected a quotation mark in quotation marks doubled ("", in Spark '
                        'option("escape", "\\""))'
                    )
                raise line.error(f"{error}, {expected}") from None
            if row is None:
                return
            if len(row) < 2 and not last.strip():
                if not partly or names is None or len(names) > 1:
                    continue
                row = [""]  # an empty cell of the only column
            if delimiter == "\t" and any("\t" in value for value in row):
                raise line.error(f"a field in quotation marks has a tab, {expected}")
            if names is None:
                names, with_names = list(map(_stripped, row)), line
                header = _lowered(names)
                named = list(filter(None, names))  # columns without a name are never read
                start = names.index(named[0]) if named else 0  # before it is the index of pandas
                nameless = [number for number, name in enumerate(names) if number > start and not name]
                if len(set(named)) < len(named):
                    raise line.error(f"the columns are {', '.join(named)}, expected different names")
            elif _lowered(row) == header:
                raise line.error(_SECOND_HEADER)
            elif len(row) != len(names):
                raise line.error(
                    f"{number_of_columns(len(row))}, expected {len(names)} with {delimiter!r} between: "
                    f"{shortened(', '.join(names))}"
                )
            elif partly or any(map(str.strip, row)):  # a spreadsheet ends in empty rows
                for number in nameless:
                    if row[number].strip():
                        raise line.error(
                            f"column {number + 1} is {row[number]!r} and has no name in the first line, "
                            "expected a name there, or no value (is a comma in a text without quotation "
                            "marks?)"
                        )
                yield line, with_names or line, dict(zip(names, row))

    def _delimiter_in(self, line: Line) -> str:
        """Return the delimiter in the line with the names."""
        header, usual = line.text, _usual_mark(line.path)
        marks = [mark for mark in (usual, *_MARKS) if mark in header]
        if not self._texts:  # whose names say which one it is
            marks = [mark for mark in marks if mark == usual or header.count(mark) > header.count(usual)]
        return next((mark for mark in marks if self._has_text(header.split(mark))), [*marks, usual][0])

    def _delimiter_of(self, lines: List[Line]) -> str:
        """Return the delimiter of the first lines of a table without names: it gives `columns`."""
        fitting = [mark for mark in _MARKS if self._widths(lines, mark) == {len(self._columns or ())}]
        if len(fitting) > 1 and "\t" not in fitting:  # no text has a tab
            both = " and ".join(map(repr, fitting))
            raise lines[0].error(f"{both} both fit, expected the reader's delimiter")
        return "\t" if "\t" in fitting else [*fitting, _usual_mark(lines[0].path)][0]

    def _widths(self, lines: List[Line], delimiter: str) -> Set[int]:
        """Return the numbers of columns of the rows. The last one may be cut off."""
        widths: Set[int] = set()
        with suppress(csv.Error), _any_length():
            for row in self._parsed((f"{line.text}\n" for line in lines), delimiter):
                widths.update({len(row)} if row else ())
        return widths

    def _parsed(self, texts: Iterable[str], delimiter: str) -> Any:  # csv's reader
        return csv.reader(
            texts,
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if self._quoting else csv.QUOTE_NONE,
            strict=True,
            skipinitialspace=True,
        )

    def _has_text(self, names: List[str]) -> bool:
        try:
            return bool(self._choose([name.strip(' "') for name in names])[0])
        except CorpusError:  # several fit
            return True

    def _choose(self, names: List[str]) -> Tuple[List[str], str]:
        """Return the columns of the texts (none, one, or two for pairs) and of the label, if any."""
        label = [self._label] if self._label else _fitting(names, "label", _LABEL)
        texts = self._texts or _fitting(names, "text, or text_a and text_b", [*_TEXT, *_PAIRS])
        return texts if set(texts) <= set(names) else [], label[0] if label else "label"


@contextmanager
def _any_length() -> Iterator[None]:
    """Let fields be longer than Python's limit."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _usual_mark(path: str) -> str:
    return "," if ending(path) == ".csv" else "\t"


def _lowered(row: List[str]) -> List[str]:
    """Return the values of a row in lower case and in order: other files have other columns first."""
    return sorted(_stripped(value).lower() for value in row)


def _stripped(name: str) -> str:
    return name.strip().strip(_INVISIBLE).strip()


def is_header(line: str, reader: Any = None) -> bool:
    """
    Whether a line has names of columns, one of them that of a text, known or of a `TableReader`, or the
    mark of Excel before.
    """
    cells = re.split("[,;|\t]", line)
    # With a blank around it, as in prose, a name is one word.
    names = [cell.strip(' "').lower() for cell in cells]
    names = [usual_name(name) if cell == cell.strip() else name for cell, name in zip(cells, names)]
    known = {name for group in (*_TEXT, *_PAIRS) for name in group}
    if isinstance(reader, TableReader):
        known.update(map(usual_name, reader._texts))
    # The index of pandas has no name, or this one.
    are_names = all(name.isidentifier() for name in names if name not in ("", "unnamed:_0"))
    return (len(names) > 1 and bool(known & set(names)) and are_names) or bool(
        _SEPARATOR.fullmatch(line)
    )


def is_name_of_text(line: str, reader: Any = None) -> bool:
    """
    Whether a line is the name of a file's only column, known or of a `TableReader`. With a capital, a
    known one may be a title.
    """
    name = line.strip(' "')
    return [name] in _TEXT or (isinstance(reader, TableReader) and reader._texts == [name])


def _fitting(names: List[str], key: str, known: List[List[str]]) -> List[str]:
    """Return the names of the only known columns that occur, as they are written in the file."""
    written: Dict[str, str] = {}
    hint = f" (slstm train: --{'label' if key == 'label' else 'text'})"
    for name in names:
        usual = usual_name(name)
        same = written.setdefault(usual, name)
        if same != name and any(usual in columns for columns in known):
            raise CorpusError(
                f"the columns {same} and {name} both fit, expected the reader's {key} to name one{hint}"
            )
    fitting = [columns for columns in known if set(columns) <= set(written)]
    fitting = [columns for columns in fitting if columns in (_TEXT[0], _PAIRS[0], _LABEL[0])] or fitting
    if len(fitting) > 1:
        raise CorpusError(
            f"the columns {' and '.join(written[columns[0]] for columns in fitting)} all fit, expected "
            f"the reader's {key} to name one{hint}"
        )
    return [written[name] for name in fitting[0]] if fitting else []


def _no_column(named: Optional[str], row: Dict[str, Any]) -> str:
    """Return a message for a row without the column of this name, or without one of the known names."""
    if named is not None:
        meant = shortened(did_you_mean(named, row))
        return f"there is no column {named!r}{meant} (the reader's keys text and label name columns)"
    return f"the columns are {shortened(', '.join(row))}, {_EXPECTED}"


def _only(value: Any) -> Any:
    """Return the item of a list that has one, as doccano and Prodigy write a label, or the value."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _is_unlabelled(row: Dict[str, Any], label: str) -> bool:
    """
    Return whether a row has no label: its value is blank, or one of `NO_GOLD` for the `gold_label` of a
    pair, whichever of its texts are read, or it was refused.
    """
    value, none = row.get(label), {""}
    if usual_name(label) == "gold_label":
        names = set(map(usual_name, row))
        none.update(NO_GOLD if any(names.issuperset(pair) for pair in _PAIRS) else ())
    return _is_refused(row, label) or (isinstance(value, str) and value.strip() in none)


def _is_refused(row: Dict[str, Any], label: str) -> bool:
    """Return whether a row of Prodigy has a label that is wrong or unknown."""
    return label != "answer" and row.get("answer") in _NOT_ACCEPTED


def _as_input(texts: List[str], label: Any) -> Dict[str, Any]:
    names = ["text"] if len(texts) == 1 else ["premise", "hypothesis"]
    return {**dict(zip(names, texts)), **({} if label is None else {"label": label})}
