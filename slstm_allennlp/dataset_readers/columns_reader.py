import itertools
import json
import re
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.dataset_readers.corpus_reader import TaggingReader
from slstm_allennlp.dataset_readers.lines import (
    UTF_8,
    Line,
    blocks,
    expect_encoding,
    number_of_columns,
    read_lines,
    usual_name,
)
from slstm_allennlp.dataset_readers.parts import examples_of, file_of
from slstm_allennlp.metrics.span_tags import type_of

_HEAD = 10  # sentences, which show whether the words are in another column
_MANY = 10
# How a first line names its columns, with _ for - and blanks.
_WORD_NAMES = {*"word words token tokens form text".split()}
_TAG_NAMES = {*"tag tags label labels pos upos xpos ner ner_tag ner_tags entity entity_type".split()}
_TAG_NAMES |= {*"pos_tag pos_tags upostag xpostag upos_tag xpos_tag class iob gold".split()}
_TAG_NAMES |= {"part_of_speech"}
_PREFIX = re.compile(r"([a-z]{2,}(?:-[a-z]+)*:)[^/]")
_NUMBER = re.compile(r"(?:.*[\W_])?[A-Za-z]?(\d{1,9})[\W_]*")  # 7, and T7, 1-7 or 7.
_ID = re.compile(r"\d+([-.]\d+)?")  # of CoNLL-U
_NO_WORD_ID = re.compile(r"\d+(-\d+|\.1)")
# The start of a comment. CoNLL-2012 and WebAnno have others of another first word.
_COMMENT = re.compile(r"#(?=begin document|FORMAT=)|#[ \t]|#[^\W\d]*")
_NO_LETTERS = re.compile(r"[\W\d_]+")
_QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')  # a word with a quotation mark, as CSV writes it


class ColumnsReader(TaggingReader):
    """
    Base class of the readers of columns: one word and its tag per line. Columns are separated by a tab
    or, in a file without tabs, by spaces. Blank lines separate sentences, and `-DOCSTART-` lines are
    skipped.

    # Parameters, besides those of `CorpusReader`

    word_column : `int`, optional (default = `None`)
        The column of the word, counted from 1, which is the default. Without this key, a first column of
        running numbers is an error.
    tag_column : `int`, optional (default = `None`)
        The column of the tag, counted from 1. The default is the last.
    word_prefix : `str`, optional (default = `None`)
        A prefix of every word that is removed, such as WikiANN's `"en:"`; `""`: words are as they are.
        Without this key, a prefix of this form on every word is an error.
    comment : `str`, optional (default = `None`)
        How lines begin that are skipped at the start of a sentence, such as `"# "`.
    encoding : `str`, optional (default = `"UTF-8"`)
    split_seed : `int`, optional (default = `0`)
        Decides which sentences are in `FILE#train`, `FILE#dev` and `FILE#test`, 80, 10 and 10 per cent.
    split_checksum : `str`, optional (default = `None`)
        The checksum of FILE, as `slstm train --data` writes it. Parts of another file are an error.
    """

    form = "columns of words and tags"
    _width: Optional[int] = None  # the number of columns; by default that of the first line

    def __init__(
        self,
        word_column: Optional[int] = None,
        tag_column: Union[int, str, None] = None,
        word_prefix: Optional[str] = None,
        comment: Optional[str] = None,
        encoding: str = UTF_8,
        split_seed: int = 0,
        split_checksum: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for key, value in (("word_column", word_column), ("tag_column", tag_column)):
            if isinstance(value, int) and value < 1:
                raise ConfigurationError(f"{key} is {value}, expected a number from 1 on")
        if isinstance(tag_column, int) and tag_column == (word_column or 1):
            raise ConfigurationError(
                f"word_column and tag_column are both {tag_column}, expected two columns"
            )
        if comment == "":
            raise ConfigurationError("comment is '', expected how a comment begins, such as '# '")
        self._word_column = word_column
        self._tag_column = tag_column
        self._tag_number = tag_column if isinstance(tag_column, int) else None
        self._word_prefix = word_prefix
        self._comment = comment
        expect_encoding(encoding)
        self._encoding = encoding
        self._split_seed = split_seed
        self._split_checksum = split_checksum

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        read = super().examples
        return examples_of(path, self._split_seed, read, checksum=self._split_checksum)

    def line_with(self, path: str, tag: str) -> Optional[Line]:
        """
        Return the first line of a file of columns with the tag, or with one of this type of entity, in
        any coding scheme, or `None`.
        """
        lines = itertools.chain(*self._sentences(file_of(path)))
        wanted = type_of(tag)
        return next((each for each in lines if type_of(self._tagged_word(each)[1]) == wanted), None)

    def _tagged_sentences(self, path: str) -> Iterator[List[Tuple[str, str]]]:
        sentences = self._sentences(path)
        head = list(itertools.islice(sentences, _HEAD))
        self._check_words(head)
        width = self._width
        # By default the tag is in the last column, behind the word.
        least = max((self._word_column or 1) + (self._tag_number is None), self._tag_number or 1)
        has_tabs: Optional[bool] = None
        for sentence in itertools.chain(head, sentences):
            width = width or max(least, len(sentence[0].columns()))
            start = _COMMENT.match(sentence[0].text) if self._comment is None else None
            hint = ""
            if start:
                hint = f'; "comment": {json.dumps(start[0])} of the reader skips comments'
            for line in sentence:
                if len(line.columns()) != width:
                    found = number_of_columns(len(line.columns()))
                    raise line.error(f"{found}, expected {self._expected_columns(width)}{hint}")
                if has_tabs not in (None, "\t" in line.text):
                    what = "no tab, as" if has_tabs else "a tab, and none"
                    raise line.error(f"there is {what} on the lines before, expected the same{hint}")
                has_tabs = "\t" in line.text
            yield self._tagged_words(sentence)

    def _sentences(self, path: str) -> Iterator[List[Line]]:
        """Yield the lines of each sentence, without comments."""
        for block in blocks(read_lines(path, self._encoding), end="-DOCSTART-"):
            while block and self._is_comment(block[0], block[-1]):
                del block[0]
            if block:
                yield block

    def _is_comment(self, line: Line, last: Line) -> bool:
        """Whether the first line of a sentence, whose last line is given, is a comment."""
        return self._comment is not None and line.text.startswith(self._comment)

    def _expected_columns(self, width: int) -> str:
        return (
            f"{width} on every line, with a tab or spaces between, of which word_column and tag_column "
            "name two"
        )

    def _check_words(self, sentences: List[List[Line]]) -> None:
        """
        Check that the first line is not a header and that sentences do not begin with comments. Check
        that the column of the words has words: no numbers, no names of documents, no quotation marks
        around them, and no prefix.
        """
        first = sentences[0][0].columns() if sentences else []
        names = {usual_name(name.strip(' "')) for name in first}
        if names & _WORD_NAMES and names & _TAG_NAMES:
            raise sentences[0][0].error(
                f"the names of columns ({', '.join(first)}), expected a word and its tag"
            )
        starts = [sentence[0] for sentence in sentences]
        of_document = next(filter(_of_document, starts), None)
        are_comments = len(starts) > 1 and all(line.text.startswith("# ") for line in starts)
        if self._comment is None and (of_document or are_comments):
            line = of_document or starts[0]
            what = "a sentence" if of_document else "every sentence"
            raise line.error(
                f"{what} begins with a line such as {line.text!r}, expected a word and its tag; "
                f'"comment": {json.dumps(line.text[:2])} of the reader skips comments'
            )
        column = (self._word_column or 1) - 1
        words = [[(line.columns() + [""] * column)[column] for line in lines] for lines in sentences]
        all_words = [word for sentence in words for word in sentence]
        are_alike = "_" not in all_words and _are_alike(words)
        if self._word_column is None and (are_alike or _are_running_numbers(words)):
            raise sentences[0][0].error(
                f"the first column has running numbers, names or offsets ({', '.join(all_words[:3])}, "
                "…), expected words; word_column of the reader names their column, such as 2, and "
                "tag_column that of the tags"
            )
        are_quoted = [len(word) > 1 and word[0] == word[-1] == '"' for word in all_words]
        if len(are_quoted) > 2 and all(are_quoted):
            raise sentences[0][0].error(
                f"every word is in quotation marks, such as {all_words[0]}, expected words as they are "
                "(in R, quote = FALSE; in pandas, quoting=csv.QUOTE_NONE)"
            )
        prefixes = {match[1] if match else "" for match in map(_PREFIX.match, all_words)}
        if self._word_prefix is None and len(all_words) > 2 and len(prefixes) == 1 and prefixes != {""}:
            raise sentences[0][0].error(
                f"every word begins with {prefixes.pop()!r}, such as {all_words[0]!r}, expected words; "
                'word_prefix of the reader names what is no part of them ("" for nothing)'
            )

    def _tagged_words(self, sentence: List[Line]) -> List[Tuple[str, str]]:
        if (self._word_column or 1) > 1:
            _expect_words_alone(sentence)
        return [self._tagged_word(line) for line in sentence]

    def _tagged_word(self, line: Line) -> Tuple[str, str]:
        columns = line.columns()
        word = columns[(self._word_column or 1) - 1].strip(" ")
        tag = columns[(self._tag_number or len(columns)) - 1].strip()
        if self._word_prefix is not None:
            if not word.startswith(self._word_prefix):
                raise line.error(f"the word is {word!r}, expected {self._word_prefix!r} at its start")
            word = word[len(self._word_prefix) :]
        if not word or not tag:
            raise line.error(f"the {'tag' if word else 'word'} is empty, expected a word and its tag")
        if self._word_prefix != "" and _QUOTED.fullmatch(word):
            raw = word[1:-1].replace('""', '"')
            raise line.error(
                f"the word is {word!r}, {raw!r} as CSV writes it, expected {raw!r} (in pandas, "
                "quoting=csv.QUOTE_NONE)"
            )
        return word, tag


def _expect_words_alone(sentence: List[Line]) -> None:
    """Raise an error for multiword tokens (`3-4`) and empty nodes (`3.1`) beside CoNLL-U's words."""
    ids = [line.columns()[0] for line in sentence]
    numbers = list(filter(str.isdecimal, ids))
    if not numbers or numbers != [str(number + 1) for number in range(len(numbers))]:
        return
    if all(map(_ID.fullmatch, ids)):  # or else they are lemmas, for example
        for line, word_id in zip(sentence, ids):
            if _NO_WORD_ID.fullmatch(word_id):
                raise line.error(
                    f"{word_id} is the id of a multiword token or an empty node of CoNLL-U, expected "
                    "words alone (grep -vP '^\\d+[-.]' removes these lines)"
                )


def _of_document(line: Line) -> bool:
    """Whether a line is a comment of CoNLL-U at the start of a document."""
    return bool(re.match(r"#[ \t]new(doc|par)\b", line.text))


def _are_alike(sentences: List[List[str]]) -> bool:
    """Whether many words have the same letters in each sentence or, if each is one word, in all."""
    longer = [each for each in sentences if len(each) > 1] or [list(itertools.chain(*sentences))]
    is_many = sum(map(len, longer)) >= _MANY
    return is_many and all(len({_NO_LETTERS.sub("", word) for word in each}) == 1 for each in longer)


def _are_running_numbers(sentences: List[List[str]]) -> bool:
    """Whether all words end with numbers, each one more than the one before, or a new start."""
    if sum(map(len, sentences)) < 2:
        return False
    starts = None
    for sentence in sentences:
        matches = list(map(_NUMBER.fullmatch, sentence))
        numbers = [int(match[1]) for match in matches if match]
        if len(numbers) < len(sentence):
            return False
        end = numbers[0] + len(numbers)
        if numbers != list(range(numbers[0], end)) or (starts and numbers[0] not in starts):
            return False
        starts = (0, 1, end)
    return True
