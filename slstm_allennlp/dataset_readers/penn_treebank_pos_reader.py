import logging
import pathlib
import re
from typing import Any, Dict, Iterator, List, NamedTuple

from allennlp.data import DatasetReader

from slstm_allennlp.dataset_readers.corpus_folder import CorpusPart
from slstm_allennlp.dataset_readers.lines import Line, read_lines
from slstm_allennlp.dataset_readers.tagging_reader import TaggedWord, TaggingReader

logger = logging.getLogger(__name__)


class _Sections(NamedTuple):
    first: int
    last: int


_PARTS = {"train": _Sections(0, 18), "dev": _Sections(19, 21), "test": _Sections(22, 24)}
_FILE = re.compile(r"wsj_(\d\d)\d\d\.pos", re.IGNORECASE)
_TOKEN = re.compile(r"(.+)(?<!\\)/([^/]+)")  # the last slash without a backslash before it


@DatasetReader.register("penn_treebank_pos")
class PennTreebankPosReader(TaggingReader):
    """
    Reads part-of-speech tags from the Wall Street Journal part of the Penn Treebank (Marcus et al.,
    1993) in the form in which it is distributed: a folder of files `wsj_0001.pos` … `wsj_2499.pos`, in
    folders by section or not, with `word/TAG` tokens, brackets around base noun phrases (which are
    passed over, like lines of `*x*`, the copyright), and sentences that end at a blank line or at a line
    of equals signs. The first two digits of a file's number are its section.

    The path names the folder and a part, `FOLDER#train` (sections 0-18), `FOLDER#dev` (19-21) or
    `FOLDER#test` (22-24), the split of Manning (2011); or sections, such as `FOLDER#2-21` or
    `FOLDER#23`.

    A slash within a word (`1\\/2`) loses its backslash. Of several tags that the annotators left open
    (`JJ|NN`), the first is taken, and the log says how often.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.

    Registered as a `DatasetReader` with name "penn_treebank_pos".

    # Parameters

    token_indexers, label_namespace, max_instances
        As in `TaggingReader`.

    # Errors

    While reading, `ValueError` for a path without a part, a part that does not exist, a section without
    files, a `.pos` file with a name that tells no section; and, with file and line, for a token that is
    not `word/TAG`, bytes that are not UTF-8 and a file that has no sentence.
    """

    def _sentences(self, path: str) -> Iterator[List[Line]]:
        corpus = CorpusPart.of(path)
        for file in _files(corpus.folder, _sections(corpus)):
            sentence: List[Line] = []
            found = False
            for line in read_lines(str(file)):
                if line.text.strip() and not re.match(r"\s*(={5,}\s*$|\*x\*)", line.text):
                    sentence.append(line)
                elif sentence:
                    found = True
                    yield sentence
                    sentence = []
            if sentence:
                yield sentence
            elif not found:
                raise ValueError(f"{file}: no sentence in the file, expected at least one")

    def _tagged_words(self, lines: List[Line]) -> List[TaggedWord]:
        words = []
        for line in lines:
            for token in line.text.split():
                if token in ("[", "]"):
                    continue
                match = _TOKEN.fullmatch(token)
                if match is None:
                    raise line.error(f"{token!r} is no token, expected word/TAG")
                word, tag = match.groups()
                if "|" in tag:
                    logger.info("%s, line %d: of %s the first tag is taken", *line[:2], token)
                words.append(TaggedWord(word.replace("\\/", "/"), tag.split("|")[0]))
        if not words:
            raise lines[0].error("there is no word between the brackets, expected some word/TAG")
        return words

    def _to_params(self) -> Dict[str, Any]:
        return {"type": "penn_treebank_pos", **super()._to_params()}


def _sections(corpus: CorpusPart) -> _Sections:
    if corpus.part in _PARTS:
        return _PARTS[corpus.part]
    match = re.fullmatch(r"(\d\d?)(?:-(\d\d?))?", corpus.part)
    sections = match and _Sections(int(match[1]), int(match[2] or match[1]))
    if not sections or not sections.first <= sections.last <= 24:
        raise ValueError(
            f"{corpus.folder}: there is no part {corpus.part!r}, expected one of {', '.join(_PARTS)}, "
            "or sections from 0 to 24, such as 2-21 or 23"
        )
    return sections


def _files(folder: pathlib.Path, sections: _Sections) -> List[pathlib.Path]:
    """The files of the sections, in their order; every section has to be there."""
    wanted: Dict[int, List[pathlib.Path]] = {n: [] for n in range(sections.first, sections.last + 1)}
    for file in sorted(folder.rglob("*.[pP][oO][sS]"), key=lambda path: path.name.lower()):
        match = _FILE.fullmatch(file.name)
        if match is None:
            raise ValueError(f"{file}: the name tells no section, expected one such as wsj_0001.pos")
        if int(match[1]) in wanted:
            wanted[int(match[1])].append(file)
    missing = [f"{section:02}" for section, files in wanted.items() if not files]
    if missing:
        raise ValueError(
            f"{folder}: there is no file of section {', '.join(missing)}, expected some such as "
            f"wsj_{missing[0]}01.pos"
        )
    return [file for files in wanted.values() for file in files]
