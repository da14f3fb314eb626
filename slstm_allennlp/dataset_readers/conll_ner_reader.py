from typing import Any, List, Optional, Tuple, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Token
from allennlp.data.dataset_readers.dataset_utils import to_bioul
from allennlp.data.dataset_readers.dataset_utils.span_utils import InvalidTagSequence

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.columns_reader import ColumnsReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.metrics.span_tags import ENTITY_TAG, may_follow

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
        tags = [tag for _, tag in pairs]
        wrong = _misfit(tags, self._coding_scheme)
        if wrong is not None:
            number, what = wrong
            fitting = [scheme for scheme in _LETTERS if _misfit(tags, scheme) is None]
            if fitting:
                hint = f"the reader's coding_scheme {' or '.join(fitting)} fits the sentence"
            else:
                hint = f"the coding_scheme of a reader can be {', '.join(_LETTERS)}"
            raise sentence[number].error(f"{what} ({hint})")
        return pairs

    def text_to_instance(  # type: ignore[override]
        self, tokens: List[Union[str, Token]], tags: Optional[List[str]] = None
    ) -> Instance:
        """Do the same as the base class's. Tags in the coding scheme become BIOUL, and BIOUL stays."""
        return super().text_to_instance(tokens, None if tags is None else self._to_bioul(tags))

    def entities_in(self, tags: List[str]) -> List[str]:
        """Return the type of each entity in the tags of a sentence."""
        return [tag[2:] for tag in self._to_bioul(tags) if tag[0] in "BU"]

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
    wrong = _misfit(tags, "IOB2")
    if wrong is not None:
        number, what = wrong
        raise CorpusError(f"{where}[{number}]: {what}")


def _misfit(tags: List[str], scheme: str) -> Optional[Tuple[int, str]]:
    """Return the position of the first tag that is not in a coding scheme, and what is wrong with it."""
    previous, not_allowed = "O", f"which {scheme} does not allow, expected {scheme}"
    for number, tag in enumerate(tags):
        letter, _, entity = tag.partition("-")
        if tag != "O" and not (letter in tuple(_LETTERS[scheme]) and entity):
            if tag in ("B", "I"):
                return number, f"the tag {tag} names no type, expected one behind it, such as {tag}-X"
            forms = " or ".join(f"{known}-TYPE" for known in _LETTERS[scheme])
            return number, f"the tag is {tag!r}, expected O or {forms}"
        if not _may_follow(previous, tag, scheme):
            return number, f"the tag {tag} follows {previous}, {not_allowed}"
        previous = tag
    if not _may_follow(previous, "O", scheme):
        return len(tags) - 1, f"the end of the sentence follows {previous}, {not_allowed}"
    return None


def _may_follow(previous: str, tag: str, scheme: str) -> bool:
    """Return whether the tag may follow the previous one. O stands for both ends of a sentence."""
    encoding = _ALLENNLP_ENCODINGS[scheme]
    return may_follow(encoding, _with_bioul_letter(previous), _with_bioul_letter(tag))


def _with_bioul_letter(tag: str) -> str:
    return tag[:1].translate(_BIOES_TO_BIOUL) + tag[1:]
