from typing import Any, List, Optional, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Token
from allennlp.data.dataset_readers.dataset_utils import to_bioul
from allennlp.data.dataset_readers.dataset_utils.span_utils import InvalidTagSequence
from allennlp.modules.conditional_random_field.conditional_random_field import is_transition_allowed

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.columns_reader import ColumnsReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.metrics.span_tags import ENTITY_TAG

_LETTERS = {"IOB1": "IB", "IOB2": "BI", "BIOES": "BIESLU"}  # prefixes, besides O
_ALLENNLP_ENCODINGS = {"IOB1": "IOB1", "IOB2": "BIO", "BIOES": "BIOUL"}
_BIOES_TO_BIOUL = str.maketrans("ES", "LU")


@DatasetReader.register("conll_ner")
class ConllNerReader(ColumnsReader):
    """
    Read named entities in the column format of the CoNLL-2003 shared task: one word per line, with the
    word in the first column and its entity tag in the last. The columns between them are ignored (two in
    CoNLL-2003, none in WNUT-17), unless a key names others.

    The instances have BIOES tags, which AllenNLP calls BIOUL. Of its taggers, `crf_tagger` supports them
    with `"label_encoding": "BIOUL"`. Tags that are invalid in the file's coding scheme are an error.

    # Parameters, besides those of `ColumnsReader`

    coding_scheme : `str`, optional (default = `"IOB1"`)
        The coding scheme of the file. `"IOB1"`, that of CoNLL-2003: B begins an entity only directly
        after another entity of the same type. `"IOB2"`: B begins every entity. `"BIOES"`: E ends an
        entity of several words, and S is an entity of one word; L and U, as in BIOUL, are the same.
    """

    def __init__(
        self, coding_scheme: str = "IOB1", tag_column: Optional[int] = None, **kwargs: Any
    ) -> None:
        super().__init__(tag_column=tag_column, **kwargs)
        if coding_scheme not in _LETTERS:
            raise ConfigurationError(
                f"conll_ner: coding_scheme is {coding_scheme!r}, expected one of {', '.join(_LETTERS)}"
            )
        self._coding_scheme = coding_scheme

    def _expected_columns(self, width: int) -> str:
        return f"{width}: a word first, the entity's tag last, and the same number on every line"

    def _is_comment(self, line: Line, last: Line) -> bool:
        is_comment = super()._is_comment(line, last)
        columns = line.columns()
        if is_comment and len(columns) == len(last.columns()) and ENTITY_TAG.fullmatch(columns[-1]):
            raise line.error(
                f"{line.text!r} begins as a comment and ends with a tag, expected how comments alone "
                "begin as the reader's comment, such as '# id'"
            )
        return is_comment

    def _tagged_words(self, sentence: List[Line]) -> List[Tuple[str, str]]:
        pairs = super()._tagged_words(sentence)
        previous = "O"
        for line, (_, tag) in zip(sentence, pairs):
            self._check_tag(tag, line)
            self._check_transition(f"the tag {tag}", previous, tag, line)
            previous = tag
        self._check_transition("the end of the sentence", previous, "O", sentence[-1])
        return pairs

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """Do the same as the base class's. Tags in the coding scheme become BIOUL, and BIOUL stays."""
        return super().text_to_instance(tokens, None if tags is None else self._to_bioul(tags))

    def entities_in(self, tags: List[str]) -> List[str]:
        """Return the type of each entity in the tags of a sentence."""
        return [tag[2:] for tag in self._to_bioul(tags) if tag[0] in "BU"]

    def _check_tag(self, tag: str, line: Line) -> None:
        letter, _, entity = tag.partition("-")
        if tag != "O" and not (letter in tuple(_LETTERS[self._coding_scheme]) and entity):
            if tag in ("B", "I"):
                raise line.error(f"the tag {tag} names no type, expected one behind it, such as {tag}-X")
            forms = " or ".join(f"{known}-TYPE" for known in _LETTERS[self._coding_scheme])
            raise line.error(
                f"the tag is {tag!r}, expected O or {forms} (coding_scheme is "
                f"{self._coding_scheme}, one of {', '.join(_LETTERS)})"
            )

    def _check_transition(self, what: str, previous: str, tag: str, line: Line) -> None:
        """Check that the tag may follow the previous one. O stands for both ends of a sentence."""
        before, after = _with_bioul_letter(previous), _with_bioul_letter(tag)
        scheme = _ALLENNLP_ENCODINGS[self._coding_scheme]
        if not is_transition_allowed(scheme, before[0], before[2:], after[0], after[2:]):
            raise line.error(
                f"{what} follows {previous}, which {self._coding_scheme} does not allow, expected "
                f"{self._coding_scheme} (the coding_scheme of a reader can be {', '.join(_LETTERS)})"
            )

    def _to_bioul(self, tags: List[str]) -> List[str]:
        if self._coding_scheme == "BIOES":
            return list(map(_with_bioul_letter, tags))
        if any(tag[:2] in ("L-", "U-") for tag in tags):  # BIOUL, such as predictions
            return tags
        try:
            return to_bioul(tags, encoding=_ALLENNLP_ENCODINGS[self._coding_scheme])
        except InvalidTagSequence:
            raise CorpusError(
                f"the tags are {' '.join(tags)}, expected tags in {self._coding_scheme} or BIOUL"
            ) from None


def expect_iob2(where: str, tags: List[str]) -> None:
    """Raise `CorpusError` for the tags of a sentence that are not IOB2, with the place of the first."""
    ConllNerReader("IOB2")._tagged_words([_Tag(where, i, f"x\t{tag}") for i, tag in enumerate(tags)])


class _Tag(Line):
    """A tag in a list."""

    def error(self, what: str) -> CorpusError:
        return CorpusError(f"{self.path}[{self.number}]: {what}")


def _with_bioul_letter(tag: str) -> str:
    return tag[:1].translate(_BIOES_TO_BIOUL) + tag[1:]
