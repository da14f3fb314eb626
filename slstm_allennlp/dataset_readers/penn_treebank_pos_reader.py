import logging
import pathlib
import re
from typing import Dict, Iterable, Iterator, List, NamedTuple, Tuple

from allennlp.data import DatasetReader

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.corpus_reader import TaggingReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.dataset_readers.parts import CorpusPart

logger = logging.getLogger(__name__)


class _Token(NamedTuple):
    """A word, its tag, whether a sentence may end after it, and whether a paragraph begins with it."""

    word: str
    tag: str
    is_end: bool
    begins_paragraph: bool


_PARTS = {"train": range(19), "dev": range(19, 22), "test": range(22, 25)}
_FILE = re.compile(r"wsj_(\d\d)\d\d\.pos", re.IGNORECASE)
_TOKEN = re.compile(r"(.+)(?<!\\)/([^/|][^/]*)")  # split at the last slash without a backslash before
_CLOSING = ("''", "-RRB-", ")")  # tags that may follow the full stop of a sentence


@DatasetReader.register("penn_treebank_pos")
class PennTreebankPosReader(TaggingReader):
    """
    Read part-of-speech tags from the Wall Street Journal part of the Penn Treebank (Marcus et al.,
    1993) in its original format: a folder with files `wsj_0001.pos` … `wsj_2454.pos`, with or without a
    subfolder per section. The files contain `word/TAG` tokens. Brackets around base noun phrases and
    copyright lines (`*x*`) are ignored. The first two digits of a file's number are its section.

    The path names the folder and one part: `FOLDER#train` (sections 0-18), `FOLDER#dev` (19-21) or
    `FOLDER#test` (22-24), the split of Manning (2011). It can also name sections, such as `FOLDER#2-21`
    or `FOLDER#23`.

    The files mark paragraphs (a line of equals signs, or at least two blank lines), but not sentences.
    A single blank line has no meaning. A sentence ends with its paragraph. It also ends after a word
    that is tagged `.` and outside brackets, and any closing quotes and brackets after that, unless the
    next word begins in lower case (`''What/WP ?/. ''/'' he/PRP asked/VBD`).

    The backslash before a slash in a word (`1\\/2`) is removed. If the annotators left several tags open
    (`JJ|NN`), the first is read, and the log gives the number of these words.
    Parameters as in `CorpusReader`.
    """

    def _tagged_sentences(self, path: str) -> Iterator[List[Tuple[str, str]]]:
        corpus = CorpusPart.of(path)
        ambiguous = 0
        for file in _files(corpus, _sections(corpus)):
            name = str(file.relative_to(corpus.folder))
            tokens = list(_tokens(corpus.lines(name)))
            if not tokens:
                raise CorpusError(f"{corpus.name}/{name}: no word in the file, expected some word/TAG")
            ambiguous += sum("|" in token.tag for token in tokens)
            for sentence in _split(tokens):
                yield [(token.word, token.tag.split("|")[0]) for token in sentence]
        if ambiguous:
            logger.info("%s: %d words have several tags, of which the first is read", path, ambiguous)


def _tokens(lines: Iterable[Line]) -> Iterator[_Token]:
    blank_lines, begins_paragraph, in_brackets = 0, True, False
    for line in lines:
        if not line.text.strip():
            blank_lines += 1
            begins_paragraph |= blank_lines == 2
            continue
        blank_lines = 0
        if re.match(r"\s*={5,}\s*$", line.text):
            begins_paragraph = True
            continue
        if line.text.lstrip().startswith("*x*"):
            continue
        for text in line.words():
            if text in ("[", "]"):
                in_brackets = text == "["
                continue
            match = _TOKEN.fullmatch(text)
            if match is None:
                raise line.error(f"{text!r} is no token, expected word/TAG")
            word, tag = match.groups()
            is_end = tag == "." and not in_brackets
            yield _Token(word.replace("\\/", "/"), tag, is_end, begins_paragraph)
            begins_paragraph = False


def _split(tokens: List[_Token]) -> Iterator[List[_Token]]:
    """Split the tokens of a file into sentences."""
    sentence: List[_Token] = []
    ended = False
    for token in tokens:
        # Closing quotes may be a separate paragraph.
        closes = ended and token.tag in _CLOSING
        continues = ended and token.word[0].islower() and not token.begins_paragraph
        if sentence and not closes and (token.begins_paragraph or (ended and not continues)):
            yield sentence
            sentence = []
        sentence.append(token)
        ended = token.is_end or closes
    yield sentence


def _sections(corpus: CorpusPart) -> range:
    if corpus.part in _PARTS:
        return _PARTS[corpus.part]
    match = re.fullmatch(r"(\d\d?)(?:-(\d\d?))?", corpus.part)
    sections = match and range(int(match[1]), int(match[2] or match[1]) + 1)
    if not sections or sections[-1] > 24:
        raise CorpusError(
            f"{corpus.name}: there is no part {corpus.part!r}, expected one of {', '.join(_PARTS)}, "
            "or sections from 0 to 24, such as 2-21 or 23"
        )
    return sections


def _files(corpus: CorpusPart, sections: range) -> List[pathlib.Path]:
    """Return the files of the sections, in order. Every section must have a file."""
    wanted: Dict[int, List[pathlib.Path]] = {n: [] for n in sections}
    for file in sorted(corpus.folder.rglob("*.[pP][oO][sS]"), key=lambda path: path.name.lower()):
        match = _FILE.fullmatch(file.name)
        if match is None:
            raise CorpusError(
                f"{file}: the name has no section number, expected one such as wsj_0001.pos"
            )
        if int(match[1]) in wanted:
            wanted[int(match[1])].append(file)
    missing = [f"{section:02}" for section, files in wanted.items() if not files]
    if missing:
        raise CorpusError(
            f"{corpus.name}: there is no file of section {', '.join(missing)}, expected some such as "
            f"wsj_{missing[0]}01.pos"
        )
    return [file for files in wanted.values() for file in files]
