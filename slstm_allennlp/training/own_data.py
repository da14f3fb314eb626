"""Put a user's data files into a config."""

import copy
import itertools
import logging
import math
import re
import unicodedata
from collections import Counter
from typing import Any, Dict, Iterable, List, Literal, Optional, Sequence, Set, Union

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import with_overrides
from allennlp.data import DatasetReader

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.training_keys import is_fitted, section
from slstm_allennlp.dataset_readers.columns_reader import ColumnsReader
from slstm_allennlp.dataset_readers.conll_ner_reader import ConllNerReader
from slstm_allennlp.dataset_readers.lines import (
    ANY,
    JSON,
    Line,
    blocks,
    ending,
    expect_no_pipe,
    number_of_columns,
    read_lines,
)
from slstm_allennlp.dataset_readers.parts import checksum_of, file_of
from slstm_allennlp.dataset_readers.table_reader import TableReader, is_header
from slstm_allennlp.dataset_readers.tagged_text_reader import is_global_columns
from slstm_allennlp.models.summary import inputs_of
from slstm_allennlp.training.label_counts import labels_found

logger = logging.getLogger(__name__)

Config = Dict[str, Any]

_TABLES = (".csv", *JSON)  # .tsv can be columns of words and tags, too
_KEPT = "token_indexers tokenizer label_namespace max_instances combine_input_fields".split()
_SETTINGS = ("word_column", "tag_column", "word_prefix", "comment", "encoding")
_HEAD = 100  # sentences, which show the format of a file
# A recipe learns from this number of examples, in all epochs together (docs/recipes.md).
_TEXTS, _SENTENCES = 3_200, 10_000
_LONGEST = 100  # words: a file of one sentence that has more lacks its blank lines
_NO_LABEL = {"-", "?", "NA", "<NA>", "N/A", "#N/A", "n/a", "NaN", "nan", "None", "NULL", "null", "\\N"}
_FEW = 50  # dev examples
_MANY = 20  # examples of a class, beside which a class with one is a mistake


def with_data(
    config: Config,
    data: str,
    dev: Union[str, Literal[False], None] = None,
    test: Optional[str] = None,
    text: Sequence[str] = (),
    label: Optional[str] = None,
    overrides: Optional[Config] = None,
) -> Config:
    """
    Return a config that trains the same model on a user's files. It has their paths, a reader for their
    format, and more epochs if there are few examples. The log says what was read. Without `dev`, `data`
    is split into train, dev and test, 80, 10 and 10 per cent, by the reader's `split_seed`.
    `ConfigurationError` for a config of another task. `CorpusError` for files that cannot be read and
    for labels from which nothing can be learned.

    # Parameters

    config : `Dict[str, Any]`
        The config of a classifier of texts or pairs, or of a tagger.
    data, dev, test : `str`
        For classifiers, tables as the reader `table` reads them: CSV, TSV or JSON lines. For taggers,
        CoNLL-U, columns or word/TAG lines. With `dev` and without `test`, there is no test. With
        `dev=False`, there is no dev either.
    text : `Sequence[str]`, optional (default = `()`)
        The column of the text, or those of the two texts. Default: known names, such as `text`. For
        taggers, the number of the column of the word.
    label : `str`, optional (default = `None`)
        The column of the label. For taggers, its number, or `upos` or `xpos`.
    overrides : `Dict[str, Any]`, optional (default = `None`)
        Values that win over those of the config and of this function, as for `allennlp train`.
    """
    for path in (data, dev, test):
        if path:
            expect_no_pipe(file_of(path))
    config = copy.deepcopy(config)
    given = config.get("dataset_reader") or {}
    given = given if isinstance(given, dict) else {"type": given}
    kept = {key: given[key] for key in _KEPT if key in given}
    inputs = _inputs_of(config)
    if kept.get("combine_input_fields"):  # pairs that the model takes as texts
        inputs |= {"premise"}
    if "tags" in inputs:
        kept.pop("tokenizer", None)
        settings = {key: (overrides or {}).get(f"dataset_reader.{key}") for key in _SETTINGS}
        settings = {key: value for key, value in settings.items() if value is not None}
        reader = _tag_reader(data, config["model"].get("label_encoding"), text, label, settings)
    else:
        reader = _table_reader(data, text, label, is_pair="premise" in inputs)
    config["dataset_reader"] = {**reader, "split_seed": 0, **kept}
    config.pop("validation_dataset_reader", None)
    is_split = not dev and dev is not False
    config["train_data_path"] = f"{data}#train+test" if test and is_split else data
    if is_split and not test:
        config["train_data_path"] = f"{data}#train"
        test = f"{data}#test"
    config["validation_data_path"] = f"{data}#dev" if is_split else dev or None
    config["test_data_path"] = test
    if is_split:
        config["dataset_reader"]["split_checksum"] = checksum_of(data)
    config = _with_overrides(config, overrides)
    config["evaluate_on_test"] = test is not None and not config.get("distributed")
    size = _check(config, inputs)
    trainer = section(config, "trainer")
    epochs = math.ceil((_SENTENCES if "tags" in inputs else _TEXTS) / size)
    own_epochs = trainer.get("num_epochs", 20)
    if not is_fitted(config) and isinstance(own_epochs, int) and epochs > own_epochs:
        trainer["num_epochs"] = epochs
    return _with_overrides(config, overrides)  # again: num_epochs may be among them


def _with_overrides(config: Config, overrides: Optional[Config]) -> Config:
    try:
        return with_overrides(config, overrides or {})
    except ValueError as error:
        raise ConfigurationError(f"overrides: {error}") from None


def _inputs_of(config: Config) -> Set[str]:
    """Return the names of a model's inputs, which show its task."""
    name = (config.get("model") or {}).get("type")
    inputs = {*inputs_of(name)}
    if not {"tags", "label"} & inputs:
        raise ConfigurationError(
            f"the model is {name}, expected one that classifies texts or pairs, or a tagger, for data "
            "of one's own"
        )
    return inputs


def _table_reader(data: str, text: Sequence[str], label: Optional[str], is_pair: bool) -> Config:
    file = file_of(data)
    if ending(file) not in _TABLES:
        head = list(itertools.islice(blocks(read_lines(file, ANY, has_returns=True)), 2))
        first = head[0] if len(head) == 2 else []
        has_names = first and (is_header(first[0].text) or {*text} & {*first[0].columns()})
        if len(first) > 1 and not has_names and len({len(line.columns()) for line in first}) == 1:
            raise first[0].error(
                "looks like a word and its tag per line, expected a table (CSV, TSV or JSON lines) of "
                "texts and their classes, or another config: that of a tagger"
            )
    names = ("text_a", "text_b") if is_pair else ("text",)
    if text and len(text) != len(names):
        raise ConfigurationError(f"text is {', '.join(text)}, expected {len(names)} of the columns")
    return {"type": "table", **dict(zip(names, text)), **({} if label is None else {"label": label})}


def _tag_reader(
    path: str, label_encoding: Optional[str], text: Sequence[str], label: Optional[str], settings: Config
) -> Config:
    """Return the reader of a file of tagged words: CoNLL-U, word/TAG lines, or columns."""
    file = file_of(path)
    if ending(file) in _TABLES:
        raise CorpusError(
            f"{file}: is a table, and the model tags words, expected a word and its tag per line, and "
            "a blank line after each sentence (in Python, slstm_allennlp.Tagger takes lists of words "
            "and of tags)"
        )
    head = list(itertools.islice(blocks(read_lines(file, ANY), end="-DOCSTART-"), _HEAD))
    all_lines = list(itertools.chain(*head))
    is_plus = any(is_global_columns(line) for line in all_lines)
    comments = ("# ", str(settings.get("comment") or "# "))
    lines = [line for line in all_lines if not line.text.startswith(comments)]
    rows = [line.text.split("\t") for line in lines]
    conllu = [row for row in rows if len(row) == 10 or row[0][:1] != "#"]  # comments, without a space
    if label_encoding is None and conllu and (is_plus or len(conllu[0]) == 10):
        words = [] if is_plus else [row for row in conllu if len(row) == 10 and row[0].isdecimal()]
        tags = label or ("xpos" if any(row[4] != "_" for row in words) else "upos")
        if label is None:
            logger.info("%s: CoNLL-U, tags are read from the column %s", file, tags)
        return {"type": "tagged_text", "format": "conllu", "tag_column": tags}
    is_named = bool(text or label or settings.keys() - {"encoding"})
    words_and_tags = [word for line in lines for word in line.words()]
    marks = "/_" if label_encoding is None else "/_|"
    # In most words: the reader says which one has no tag.
    most = 0.9 * len(words_and_tags)
    separators = [mark for mark in marks if sum(mark in word for word in words_and_tags) > most]
    is_inline = separators and not any("\t" in line.text.strip() for line in lines)
    if not is_named and rows and is_inline:
        if label_encoding is not None:
            raise lines[0].error(
                f"a tag is behind each word, such as {words_and_tags[0]}, expected one word and its tag "
                "per line, and a blank line after each sentence"
            )
        _check_inline(lines, words_and_tags, separators[0])
        return {"type": "tagged_text", "format": "inline", "separator": separators[0]}
    are_lists = settings.get("word_prefix") == ""  # of Python
    if len(head) == 1 and len(lines) > _LONGEST and not are_lists:
        raise CorpusError(
            f"{file}: {len(lines):,} words without a blank line between them, expected one after each "
            "sentence"
        )
    columns: Config = {}
    for key, name, number in (
        ("word_column", "text", next(iter(text), None)),
        ("tag_column", "label", label),
    ):
        if number is not None and not number.isdecimal():
            raise ConfigurationError(f"{name} is {number!r}, expected the number of a column, from 1 on")
        columns.update({} if number is None else {key: int(number)})
    columns.update(settings)
    for key in ("word_column", "tag_column"):
        if not isinstance(columns.get(key, 1), int):
            raise ConfigurationError(
                f"dataset_reader.{key} is {columns[key]!r}, expected the number of a column, from 1 on"
            )
    width = len(lines[0].columns()) if lines else 0
    after = width - columns.get("word_column", 1)
    if label_encoding is None and "tag_column" not in columns and width > 2 and after > 1:
        raise lines[0].error(
            f"{number_of_columns(width)}, expected the number of that with the tag as label, such as 2"
        )
    if width > 2:
        read = {"word_column": 1, "tag_column": width, **columns}
        where = read["word_column"], read["tag_column"]
        logger.info("%s: words are read from column %d, tags from column %d", file, *where)
    if label_encoding is not None:
        return {"type": "conll_ner", "coding_scheme": _scheme_of(file, columns), **columns}
    return {"type": "tagged_text", "format": "columns", **columns}


def _check_inline(lines: List[Line], items: List[str], separator: str) -> None:
    """Check that word/TAG lines are sentences, and that items have two parts."""
    if len(lines) > 1 and len(items) == len(lines):
        raise lines[0].error(
            f"each line has one word{separator}TAG, such as {items[0]}, expected a sentence in each "
            "line, or a tab between a word and its tag and a blank line after each sentence"
        )
    if all(re.search(rf"(?<!\\){separator}.*(?<!\\){separator}", item) for item in items):
        raise lines[0].error(
            f"every word has two {separator!r} or more, such as {items[0]}, expected word{separator}TAG"
        )


def _scheme_of(path: str, columns: Config) -> str:
    """Return the coding scheme of entity tags, by their letters and by how entities begin."""
    letters: Counter = Counter()
    begins: Counter = Counter()
    for example in ColumnsReader(**columns).examples(path):
        for before, tag in zip(["O", *example["tags"]], example["tags"]):
            letter = tag.partition("-")[0]
            letters[letter] += 1
            begins[letter] += before == "O"
    if letters.keys() & set("ESLU"):
        return "BIOES"
    return "IOB1" if begins["I"] > begins["B"] else "IOB2"


def _check(config: Config, inputs: Iterable[str]) -> int:
    """Log what is in the files, check that it can be learned, and return the size of the train set."""
    reader: Any = DatasetReader.from_params(Params(copy.deepcopy(config["dataset_reader"])))
    keys = {"train": "train_data_path", "dev": "validation_data_path", "test": "test_data_path"}
    paths = {part: config[key] for part, key in keys.items() if config.get(key) is not None}
    files = list(dict.fromkeys(map(file_of, paths.values())))
    for file in files:
        if isinstance(reader, TableReader):
            example = next(reader.examples(file))
            check_texts(example, file, inputs)
            if example.get("label") is None:
                raise reader.no_label_in(file)
    examples = {part: list(reader.examples(path)) for part, path in paths.items()}
    sizes = {part: len(found) for part, found in examples.items()}
    everything = list(itertools.chain(*examples.values()))
    unit = "pairs" if "premise" in inputs else "texts"
    what = f"{len(everything):,} {unit}"
    labels = [str(example.get("label")) for example in everything]
    kind = "classes"
    if "tags" in inputs:
        tags = [tag for example in everything for tag in example["tags"]]
        what = f"{len(everything):,} sentences, {len(tags):,} words"
        labels, kind = tags, "tags"
        counts = Counter(tags)
        if len(tags) > _LONGEST:
            _warn_of_names(reader, files, counts)
        if len(counts) > len({word for example in everything for word in example["words"]}):
            raise CorpusError(
                f"{', '.join(files)}: there are more different tags than words, such as {tags[0]!r}, "
                "expected words and their tags; text and label are the numbers of their columns"
            )
    if isinstance(reader, ConllNerReader):
        labels = [kind for example in everything for kind in reader.entities_in(example["tags"])]
        kind = "kinds of entities"
    counts = Counter(labels)
    found = labels_found(counts, kind, shown=12)
    where = ", ".join(files)
    parts = ", ".join(f"{part} {size:,}" for part, size in sizes.items())
    logger.info("%s: %s, %s; %s", where, what, found, parts)
    if kind == "classes" and len(counts) > max(2, len(everything) / 2):
        letters = [sum(map(len, part)) for part in (labels, map(_without_label, everything))]
        hint = "; are text and label swapped?" if letters[0] > letters[1] else ", not numbers"
        raise CorpusError(
            f"{where}: {len(counts):,} classes in {len(everything):,} {unit}, expected classes with "
            f"several examples each{hint}"
        )
    if len(counts) < (1 if isinstance(reader, ConllNerReader) else 2) or max(counts.values()) < 2:
        raise CorpusError(f"{where}: {found}, expected more, each of several examples")
    _warn_of_spellings(counts, where, kind)
    if kind == "classes":
        _warn_of_no_label(counts, where)
        _warn_of_one_example(reader, files, counts)
    if isinstance(reader, TableReader):
        _warn_of_columns(reader, files)
        if not any(ending(file) in JSON for file in files):
            _warn_of_rows(everything, counts, where)
    _warn_of_examples(examples, where, unit)
    return min(sizes["train"], reader.max_instances or sizes["train"])


def _warn_of_spellings(counts: Counter, where: str, kind: str) -> None:
    """Warn of labels that differ only in their spelling."""
    spellings = Counter(map(_without_spelling, counts))
    alike = sorted(label for label in counts if spellings[_without_spelling(label)] > 1)
    if alike:
        listed = ", ".join(map(repr, alike))
        logger.warning("%s: the %s %s differ only in their spelling", where, kind, listed)


def _warn_of_no_label(counts: Counter, where: str) -> None:
    """Warn of classes that are marks for "no label" in pandas, R, Excel, SQL and others."""
    marks = sorted(_NO_LABEL & counts.keys())
    if {"-1", "2"} <= counts.keys() and "-2" not in counts:  # -1, 0, 1 is a scale
        marks.append("-1")
    for mark in marks:
        logger.warning("%s: the class %r may stand for examples without a label", where, mark)


def _warn_of_one_example(reader: Any, files: Sequence[str], counts: Counter) -> None:
    """Warn of a class with one example beside one with many: often a line that is no data."""
    rare = [label for label, count in counts.items() if count == 1]
    if rare and max(counts.values()) >= _MANY:
        lines = (reader.line_with(file, rare[0]) for file in files)
        number, path = next((line.number, line.path) for line in lines if line is not None)
        only = "%s, line %d: the only example of the class %r, expected several of each class"
        logger.warning(only, path, number, rare[0])


def _warn_of_names(reader: Any, files: Sequence[str], counts: Counter) -> None:
    """Warn of a first line that may be the names of columns: its tag occurs nowhere else."""
    for file in files:
        first = next(iter(reader.examples(file)))
        if counts[first["tags"][0]] <= len(files):
            line = (file, first["words"][0], first["tags"][0])
            logger.warning(
                "%s: the first word is %r, the only one with the tag %r; is it a name?", *line
            )


def _warn_of_rows(examples: Sequence[Config], counts: Counter, where: str) -> None:
    """Warn of texts with a line that looks like a row of a table, as behind a stray quotation mark."""
    labels = "|".join(map(re.escape, counts))
    row = re.compile(rf'"?({labels})"?[,;|]\S.*|.*[,;|]"?({labels})"?')
    texts = (str(text) for example in examples for key, text in example.items() if key != "label")
    lines = [line for text in texts if "\n" in text for line in text.split("\n")]
    rows = list(filter(row.fullmatch, lines))
    if rows:
        logger.warning(
            "%s: %d lines within texts look like rows, such as %r; if a quotation mark before is not "
            'doubled, "dataset_reader.quoting": false takes all as they are',
            where,
            len(rows),
            rows[0],
        )


def _warn_of_columns(reader: TableReader, files: Sequence[str]) -> None:
    """Warn of a file whose texts or labels are in a column of another name than in the first file."""
    first = reader.columns_of(files[0])
    for file in files[1:]:
        columns = reader.columns_of(file)
        if columns != first:
            other = "%s: the columns %s are read, and %s in %s"
            logger.warning(other, file, ", ".join(columns), ", ".join(first), files[0])


def _warn_of_examples(examples: Dict[str, List[Config]], where: str, unit: str) -> None:
    """Warn of texts with several labels, of few examples, and of those of dev and test in train."""
    inputs = {part: list(map(_without_label, found)) for part, found in examples.items()}
    labels_of: Dict[str, Set[str]] = {}
    for part, found in examples.items():
        for text, example in zip(inputs[part], found):
            labels_of.setdefault(text, set()).add(str(example.get("label")))
    several = sum(len(own) > 1 for own in labels_of.values())
    if several:
        logger.warning("%s: %d of the %s have several labels each", where, several, unit)
    uses = {"train": "learn from", "dev": "choose the best epoch by", "test": "measure the model by"}
    for part, use in uses.items():
        if part in inputs and len(inputs[part]) < _FEW:
            few = "%s has only %d of the examples, few to %s: expected %d or more"
            logger.warning(few, part, len(inputs[part]), use, _FEW)
    in_train = set(inputs.pop("train"))
    for part, texts in inputs.items():
        shared = sum(text in in_train for text in texts)
        if shared:
            logger.warning("%d of the %d examples of %s are in train, too", shared, len(texts), part)


def _without_spelling(label: str) -> str:
    """Return the same for labels that people read as one, such as `Good` and `good`, `1` and `1.0`."""
    text = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
    text = re.sub(r"[\s_-]+", " ", text.strip(" '\"") or text).casefold()
    return re.sub(r"(\d)[.,]0+$", r"\1", text)


def _without_label(example: Config) -> str:
    return repr({key: value for key, value in example.items() if key not in ("label", "tags")})


def check_texts(example: Config, file: str, inputs: Iterable[str]) -> None:
    """Check that an example of a table has the texts that a model with these inputs takes."""
    if ("premise" in example) != ("premise" in inputs):
        is_pair = "premise" in example
        raise CorpusError(
            f"{file}: the columns are those of {'pairs' if is_pair else 'texts'}, expected those of "
            f"{'texts' if is_pair else 'pairs'}, which the model takes; --text names others"
        )
