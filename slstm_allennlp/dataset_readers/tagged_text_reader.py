import re
from typing import Any, Iterable, Iterator, List, Optional, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from slstm_allennlp.common.extras import needs
from slstm_allennlp.dataset_readers.columns_reader import ColumnsReader
from slstm_allennlp.dataset_readers.lines import Line, blocks, number_of_columns, read_lines

_FORMATS = {"conllu": "CoNLL-U", "columns": ColumnsReader.form, "inline": "word/TAG lines"}
_TAG_COLUMNS = ("upos", "xpos")
_CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()


@DatasetReader.register("tagged_text")
class TaggedTextReader(ColumnsReader):
    """
    Read sentences with one tag per word, in one of these formats:

    - `conllu`: CoNLL-U, with the tags of the column `tag_column`. Multi-word tokens (`3-4`) and empty
      nodes (`3.1`) are skipped. The words of a multi-word token have their own rows. `# global.columns`
      of CoNLL-U Plus names other columns.
    - `columns`: one word and its tag per line, as in `ColumnsReader`. Lines can have more columns if
      `word_column` or `tag_column` is given.
    - `inline`: one sentence per line, each word followed by its tag: `The/DT dog/NN`. The last separator
      counts. An escaped separator (`1\\/2/CD`) is part of the word, and its backslash is removed. (For
      the bracketed `.pos` files of the Penn Treebank, use `penn_treebank_pos`.)

    # Parameters, besides those of `ColumnsReader`

    format : `str`, optional (default = `"conllu"`)
        `"conllu"`, `"columns"` or `"inline"`.
    tag_column : `str` or `int`, optional (default = `"xpos"`)
        The CoNLL-U tags to read: `"upos"`, the universal ones, or `"xpos"`, those of the treebank. In
        `columns`, the number of the column as in `ColumnsReader`; the default is the last.
    separator : `str`, optional (default = `"/"`)
        The character between a word and its tag in the `inline` format.
    word_column, word_prefix, comment
        As in `ColumnsReader`, for `columns` alone.
    """

    def __init__(
        self,
        format: str = "conllu",
        tag_column: Union[int, str] = "xpos",
        separator: str = "/",
        **kwargs: Any,
    ) -> None:
        if format not in _FORMATS:
            raise ConfigurationError(
                f"tagged_text: format is {format!r}, expected one of {', '.join(_FORMATS)}"
            )
        if tag_column not in _TAG_COLUMNS and not (format == "columns" and isinstance(tag_column, int)):
            number = ", or a number in the format columns" if isinstance(tag_column, int) else ""
            raise ConfigurationError(
                f"tagged_text: tag_column is {tag_column!r}, expected upos or xpos{number}"
            )
        for key in ("word_column", "word_prefix", "comment"):
            if kwargs.get(key) is not None and format != "columns":
                raise ConfigurationError(f"tagged_text: {key} is for the format columns, not {format}")
        if len(separator) != 1 or separator.isspace() or separator == "\\":
            raise ConfigurationError(
                f"tagged_text: separator is {separator!r}, expected one character, such as / or _"
            )
        super().__init__(tag_column=tag_column, **kwargs)
        self._format = format
        self.form = _FORMATS[format]
        self._separator = separator
        self._width = None if self._word_column or self._tag_number else 2

    def line_with(self, path: str, tag: str) -> Optional[Line]:
        return super().line_with(path, tag) if self._format == "columns" else None

    def _tagged_sentences(self, path: str) -> Iterator[List[Tuple[str, str]]]:
        if self._format == "conllu":
            sentences = _conllu_sentences(read_lines(path, self._encoding))
            return (list(self._from_conllu(*sentence)) for sentence in sentences)
        if self._format == "inline":
            lines = read_lines(path, self._encoding)
            return (list(self._from_inline(line)) for line in lines if line.text.strip())
        return super()._tagged_sentences(path)

    def _expected_columns(self, width: int) -> str:
        return "two: a word and its tag" if width == 2 else super()._expected_columns(width)

    def _from_conllu(self, lines: List[Line], names: List[str]) -> Iterator[Tuple[str, str]]:
        tag_name = str(self._tag_column).upper()
        last_id = covered = 0
        for line in lines:
            columns = line.text.split("\t")
            if len(columns) != len(names):
                expected = "the 10 of CoNLL-U" if names == _CONLLU else " ".join(names)
                raise line.error(
                    f"{number_of_columns(len(columns))} between tabs, expected {expected}"
                    + _other_format(line)
                )
            values = dict(zip(names, columns))
            word_id = _word_id(values.get("ID", str(last_id + 1)), line)
            if not isinstance(word_id, int):  # 7-8 or 7.1
                first, kind, last = word_id
                covered = max(covered, last if kind == "-" else first)
                continue
            if word_id != last_id + 1:
                raise line.error(
                    f"word id {word_id} follows {last_id}, expected {last_id + 1} "
                    "(is a blank line between two sentences missing?)"
                )
            last_id = word_id
            word, tag = values["FORM"].strip(" "), values.get(tag_name, "").strip()
            if not word:
                raise line.error(f"the word is empty, expected one in column {names.index('FORM') + 1}")
            if tag in ("", "_"):
                raise line.error(
                    f"the word {word!r} has no tag, expected one in the column {tag_name} (tag_column "
                    "of the reader, or --label of slstm train, is upos or xpos)"
                )
            yield word, tag
        if last_id < max(covered, 1):
            raise lines[-1].error(
                f"the sentence ends with word {last_id}, expected the words up to {max(covered, 1)}"
            )

    def _from_inline(self, line: Line) -> Iterator[Tuple[str, str]]:
        separator = re.escape(self._separator)
        for item in line.words():
            # Split at the last separator without a backslash before it.
            match = re.fullmatch(rf"(.*)(?<!\\){separator}(.*)", item)
            if match is None:
                raise line.error(
                    f"{item!r} has no tag, expected word{self._separator}TAG "
                    f"(the separator is {self._separator!r})"
                )
            word, tag = match[1], match[2].strip()
            if not word or not tag:
                missing = "tag" if word else "word"
                raise line.error(f"{item!r} has an empty {missing}, expected word{self._separator}TAG")
            # As in the People's Daily corpus: n]nt, or n]/nt.
            if re.fullmatch(r"[^\[]*\w\][^\[]*", tag) or re.search(rf"{separator}\w+\]$", word):
                raise line.error(
                    f"{item!r} ends brackets around several words, expected word{self._separator}TAG "
                    "without brackets"
                )
            yield word.replace("\\" + self._separator, self._separator), tag


def is_global_columns(line: Line) -> bool:
    """Return whether a line names the columns of CoNLL-U Plus."""
    return bool(re.match(r"#\s*global\.columns\s*=", line.text))


def _conllu_sentences(lines: Iterable[Line]) -> Iterator[Tuple[List[Line], List[str]]]:
    """Yield the lines of each sentence without comments, and the names of their columns."""
    names = _CONLLU
    for block in blocks(lines):
        for line in filter(is_global_columns, block):
            names = line.text.partition("=")[2].upper().split()
            if "FORM" not in names:
                raise line.error(f"the columns are {' '.join(names)}, expected FORM among them")
        # Without ids, a word can begin with this character, too.
        tabs = None if names[0] == "ID" else len(names) - 1
        rows = [line for line in block if line.text[:1] != "#" or line.text.count("\t") == tabs]
        if rows:
            yield rows, names


def _word_id(text: str, line: Line) -> Any:
    """Return the id of a word: a number, or three values for 7-8 and 7.1."""
    conllu = needs("conllu", "text")
    try:
        word_id = conllu.parser.parse_id_value(text)
    except conllu.exceptions.ParseException:
        raise line.error(f"{text!r} is no word id, expected one such as 7, 7-8 or 7.1") from None
    if word_id is None:
        raise line.error("the word has no id, expected one such as 7, 7-8 or 7.1")
    return word_id


def _other_format(line: Line) -> str:
    """Return a hint at the right format or reader for a line that is not CoNLL-U."""
    if len(line.columns()) == 2:
        return '; "format": "columns" of the reader tagged_text reads a word and its tag a line'
    if all("/" in item for item in line.text.split()):
        return (
            '; "format": "inline" of the reader tagged_text reads words with their tags, The/DT dog/NN'
        )
    if 2 < len(line.columns()) < 6:
        return "; the reader conll_ner reads entities in columns, the word first and the tag last"
    return ""
