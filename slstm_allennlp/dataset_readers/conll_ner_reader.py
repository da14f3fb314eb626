from typing import Dict, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, TokenIndexer
from allennlp.data.dataset_readers.dataset_utils import to_bioul
from allennlp.modules.conditional_random_field.conditional_random_field import is_transition_allowed

from slstm_allennlp.dataset_readers.lines import Line, blocks, number_of_columns, read_lines
from slstm_allennlp.dataset_readers.tagging_reader import TaggingReader

_LETTERS = {"IOB1": "IB", "IOB2": "BI", "BIOES": "BIES"}  # prefixes, besides O
_ALLENNLP_ENCODINGS = {"IOB1": "IOB1", "IOB2": "BIO", "BIOES": "BIOUL"}
_BIOES_TO_BIOUL = str.maketrans("ES", "LU")


@DatasetReader.register("conll_ner")
class ConllNerReader(TaggingReader):
    """
    Read named entities in the column format of the CoNLL-2003 shared task: one word per line, with the
    word in the first column and its entity tag in the last. The columns between them are ignored (two in
    CoNLL-2003, none in WNUT-17). Columns are separated by a tab or by spaces, sentences by blank lines.
    `-DOCSTART-` lines are skipped.

    The instances have BIOES tags, which AllenNLP calls BIOUL. Of its taggers, `crf_tagger` supports them
    with `"label_encoding": "BIOUL"`. Tags that are invalid in the file's coding scheme are an error.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.

    Registered as a `DatasetReader` with name "conll_ner".

    # Parameters

    coding_scheme : `str`, optional (default = `"IOB1"`)
        The coding scheme of the file. `"IOB1"`, that of CoNLL-2003: B begins an entity only directly
        after another entity of the same type. `"IOB2"`: B begins every entity. `"BIOES"`: E ends an
        entity of several words, and S is an entity of one word.
    token_indexers, label_namespace, max_instances
        As in `CorpusReader`.

    # Errors

    `ConfigurationError` for an unknown coding scheme. While reading, `ValueError`: for a file that is
    missing, unreadable, without sentences or not UTF-8; and, with file and line, for fewer than two
    columns or another number than in the first sentence's first line, a missing word or tag, a tag that
    is not in the coding scheme, and a tag that must not follow the previous one.
    """

    def __init__(
        self,
        coding_scheme: str = "IOB1",
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(token_indexers, label_namespace, max_instances)
        if coding_scheme not in _LETTERS:
            raise ConfigurationError(
                f"conll_ner: coding_scheme is {coding_scheme!r}, expected one of {', '.join(_LETTERS)}"
            )
        self._coding_scheme = coding_scheme

    def _sentences(self, path: str) -> Iterator[List[Line]]:
        width = 0
        for sentence in blocks(read_lines(path), end="-DOCSTART-"):
            width = width or max(2, len(sentence[0].columns()))
            for line in sentence:
                if len(line.columns()) != width:
                    raise line.error(
                        f"{number_of_columns(len(line.columns()))}, expected {width}: a word first, "
                        "the entity's tag last, and the same number on every line"
                    )
            yield sentence

    def _tagged_words(self, sentence: List[Line]) -> List[Tuple[str, str]]:
        words, tags = [], []
        previous = "O"
        for line in sentence:
            word, tag = line.word_and_tag()
            self._check_tag(tag, line)
            self._check_transition(f"the tag {tag}", previous, tag, line)
            words.append(word)
            tags.append(tag)
            previous = tag
        self._check_transition("the end of the sentence", previous, "O", sentence[-1])
        return list(zip(words, self._to_bioul(tags)))

    def _check_tag(self, tag: str, line: Line) -> None:
        letter, _, entity = tag.partition("-")
        if tag != "O" and not (letter in tuple(_LETTERS[self._coding_scheme]) and entity):
            forms = " or ".join(f"{known}-TYPE" for known in _LETTERS[self._coding_scheme])
            raise line.error(
                f"the tag is {tag!r}, expected O or {forms} (coding_scheme is {self._coding_scheme})"
            )

    def _check_transition(self, what: str, previous: str, tag: str, line: Line) -> None:
        """Check that the tag may follow the previous one. O stands for both ends of a sentence."""
        before, after = _with_bioul_letter(previous), _with_bioul_letter(tag)
        scheme = _ALLENNLP_ENCODINGS[self._coding_scheme]
        if not is_transition_allowed(scheme, before[0], before[2:], after[0], after[2:]):
            raise line.error(
                f"{what} follows {previous}, which {self._coding_scheme} does not allow, expected "
                f"another tag, or another coding_scheme of the reader: {', '.join(_LETTERS)}"
            )

    def _to_bioul(self, tags: List[str]) -> List[str]:
        if self._coding_scheme == "BIOES":
            return list(map(_with_bioul_letter, tags))
        return to_bioul(tags, encoding=_ALLENNLP_ENCODINGS[self._coding_scheme])


def _with_bioul_letter(tag: str) -> str:
    return tag[0].translate(_BIOES_TO_BIOUL) + tag[1:]
