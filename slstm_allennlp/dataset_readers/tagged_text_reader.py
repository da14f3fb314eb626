import re
from typing import Dict, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, TokenIndexer

from slstm_allennlp.common.extras import needs
from slstm_allennlp.dataset_readers.lines import Line, blocks, number_of_columns, read_lines
from slstm_allennlp.dataset_readers.tagging_reader import TaggingReader

_FORMATS = ("conllu", "columns", "inline")
_TAG_COLUMNS = {"upos": 3, "xpos": 4}  # column indices in CoNLL-U


@DatasetReader.register("tagged_text")
class TaggedTextReader(TaggingReader):
    """
    Read sentences with one tag per word, in one of these formats:

    - `conllu`: CoNLL-U, with the tags of the column `tag_column`. Multi-word tokens (`3-4`) and empty
      nodes (`3.1`) are skipped. The words of a multi-word token have their own rows.
    - `columns`: one word and its tag per line, separated by a tab or, in a line without a tab, by
      spaces. Blank lines separate sentences, and `-DOCSTART-` lines are skipped.
    - `inline`: one sentence per line, each word followed by its tag: `The/DT dog/NN`. The last separator
      counts. An escaped separator (`1\\/2/CD`) is part of the word, and its backslash is removed. (For
      the bracketed `.pos` files of the Penn Treebank, use `penn_treebank_pos`.)

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.

    Registered as a `DatasetReader` with name "tagged_text".

    # Parameters

    format : `str`, optional (default = `"conllu"`)
        `"conllu"`, `"columns"` or `"inline"`.
    tag_column : `str`, optional (default = `"xpos"`)
        The CoNLL-U tags to read: `"upos"`, the universal ones, or `"xpos"`, those of the treebank.
    separator : `str`, optional (default = `"/"`)
        The character between a word and its tag in the `inline` format.
    token_indexers, label_namespace, max_instances
        As in `CorpusReader`.

    # Errors

    `ConfigurationError` for an invalid argument. While reading, `ValueError`: for a file that is
    missing, unreadable, without sentences or not UTF-8; and, with file and line, for a wrong number of
    columns, an invalid CoNLL-U id or one that is out of order, and a missing word or tag.
    """

    def __init__(
        self,
        format: str = "conllu",
        tag_column: str = "xpos",
        separator: str = "/",
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(token_indexers, label_namespace, max_instances)
        if format not in _FORMATS:
            raise ConfigurationError(
                f"tagged_text: format is {format!r}, expected one of {', '.join(_FORMATS)}"
            )
        if tag_column not in _TAG_COLUMNS:
            raise ConfigurationError(f"tagged_text: tag_column is {tag_column!r}, expected upos or xpos")
        if len(separator) != 1 or separator.isspace() or separator == "\\":
            raise ConfigurationError(
                f"tagged_text: separator is {separator!r}, expected one character, such as / or _"
            )
        self._format = format
        self._tag_column = tag_column
        self._separator = separator

    def _sentences(self, path: str) -> Iterator[List[Line]]:
        """Yield the lines of each sentence, without comments and `-DOCSTART-` lines."""
        lines = read_lines(path)
        if self._format == "conllu":
            return blocks(line for line in lines if not line.text.startswith("#"))
        if self._format == "columns":
            return blocks(lines, end="-DOCSTART-")
        return ([line] for line in lines if line.text.strip())

    def _tagged_words(self, sentence: List[Line]) -> List[Tuple[str, str]]:
        if self._format == "conllu":
            return list(self._from_conllu(sentence))
        if self._format == "columns":
            return [_from_columns(line) for line in sentence]
        return list(self._from_inline(sentence[0]))

    def _from_conllu(self, lines: List[Line]) -> Iterator[Tuple[str, str]]:
        parser = needs("conllu.parser", "text")
        last_id = covered = 0
        for line in lines:
            columns = line.text.split("\t")
            if len(columns) != 10:
                raise line.error(
                    f"{number_of_columns(len(columns))} between tabs, expected the 10 of CoNLL-U"
                    + _other_format(line)
                )
            try:
                word_id = parser.parse_id_value(columns[0])
            except parser.ParseException:
                raise line.error(
                    f"{columns[0]!r} is no word id, expected one such as 7, 7-8 or 7.1"
                ) from None
            if word_id is None:
                raise line.error("the word has no id, expected one such as 7, 7-8 or 7.1")
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
            word, tag = columns[1].strip(), columns[_TAG_COLUMNS[self._tag_column]].strip()
            if not word:
                raise line.error("the word is empty, expected one in column 2")
            if tag in ("", "_"):
                raise line.error(
                    f"the word {word!r} has no tag, expected one in the column "
                    f"{self._tag_column.upper()}"
                )
            yield word, tag
        if last_id < max(covered, 1):
            raise lines[-1].error(
                f"the sentence ends with word {last_id}, expected the words up to {max(covered, 1)}"
            )

    def _from_inline(self, line: Line) -> Iterator[Tuple[str, str]]:
        separator = re.escape(self._separator)
        for item in re.split("[ \t]+", line.text.strip(" \t")):
            # Split at the last separator without a backslash before it.
            match = re.fullmatch(rf"(.*)(?<!\\){separator}(.*)", item)
            if match is None:
                raise line.error(
                    f"{item!r} has no tag, expected word{self._separator}TAG "
                    f"(the separator is {self._separator!r})"
                )
            word, tag = match.groups()
            if not word or not tag:
                missing = "tag" if word else "word"
                raise line.error(f"{item!r} has an empty {missing}, expected word{self._separator}TAG")
            yield word.replace("\\" + self._separator, self._separator), tag


def _other_format(line: Line) -> str:
    """Return a hint at the right format or reader for a line that is not CoNLL-U."""
    if len(line.columns()) == 2:
        return '; "format": "columns" of the reader tagged_text reads a word and its tag a line'
    if all("/" in item for item in line.text.split()):
        return (
            '; "format": "inline" of the reader tagged_text reads words with their tags, The/DT dog/NN'
        )
    if len(line.columns()) > 2:
        return "; the reader conll_ner reads entities in columns, the word first and the tag last"
    return ""


def _from_columns(line: Line) -> Tuple[str, str]:
    values = line.columns()
    if len(values) != 2:
        raise line.error(f"{number_of_columns(len(values))}, expected two: a word and its tag")
    return line.word_and_tag()
