from typing import Dict, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, TokenIndexer
from allennlp.data.dataset_readers.dataset_utils import to_bioul
from allennlp.modules.conditional_random_field.conditional_random_field import is_transition_allowed

from slstm_allennlp.dataset_readers.lines import Line, blocks, number_of_columns, read_lines
from slstm_allennlp.dataset_readers.tagging_reader import TaggingReader

_LETTERS = {"IOB1": "IB", "IOB2": "BI", "BIOES": "BIES"}  # beside O
_ALLENNLPS = {"IOB1": "IOB1", "IOB2": "BIO", "BIOES": "BIOUL"}
_BIOES_TO_BIOUL = str.maketrans("ES", "LU")


@DatasetReader.register("conll_ner")
class ConllNerReader(TaggingReader):
    """
    Reads named entities in the columns of the CoNLL-2003 shared task: a word a line, the word in the
    first column and the entity's tag in the last, with or without others between (two columns in
    WNUT-17, four in CoNLL-2003), a tab or spaces between columns, blank lines between sentences.
    `-DOCSTART-` lines are passed over.

    The model gets BIOES tags, which AllenNLP calls BIOUL: of its taggers, `crf_tagger` takes them with
    `"label_encoding": "BIOUL"`. Tags that break the rules of the file's coding scheme are an error.

    The instances have the fields `tokens`, `metadata` (the words) and, where there are tags, `tags`.

    Registered as a `DatasetReader` with name "conll_ner".

    # Parameters

    coding_scheme : `str`, optional (default = `"IOB1"`)
        How the file marks entities: `"IOB1"`, as CoNLL-2003 is distributed, where B opens an entity
        only right behind another of the same type; `"IOB2"`, where B opens every entity; `"BIOES"`,
        where E closes those of several words and S stands for those of one.
    token_indexers, label_namespace, max_instances
        As in `CorpusReader`.

    # Errors

    `ConfigurationError` for an unknown coding scheme. While reading, `ValueError` that names the file
    and the line: for a file that is missing, unreadable, without sentences or not UTF-8, fewer than two
    columns or another number than on the file's first line, a missing word or tag, a tag that is not of
    the coding scheme, and one that must not follow the one before it.
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
        if not width:
            raise ValueError(f"{path}: no sentence in the file, expected at least one")

    def _tagged_words(self, sentence: List[Line]) -> List[Tuple[str, str]]:
        words, tags = [], []
        previous = "O"
        for line in sentence:
            word, tag = line.word_and_tag()
            self._check_tag(tag, line)
            if not self._may_follow(tag, previous):
                raise self._illegal(f"the tag {tag}", previous, line)
            words.append(word)
            tags.append(tag)
            previous = tag
        if not self._may_follow("O", previous):
            raise self._illegal("the end of the sentence", previous, sentence[-1])
        return list(zip(words, self._to_bioul(tags)))

    def _check_tag(self, tag: str, line: Line) -> None:
        letter, _, entity = tag.partition("-")
        if tag != "O" and not (letter in tuple(_LETTERS[self._coding_scheme]) and entity):
            forms = " or ".join(f"{known}-TYPE" for known in _LETTERS[self._coding_scheme])
            raise line.error(
                f"the tag is {tag!r}, expected O or {forms} (coding_scheme is {self._coding_scheme})"
            )

    def _may_follow(self, tag: str, previous: str) -> bool:
        """Whether the coding scheme has the tag behind the one before it, O at the sentence's start."""
        letters = [each[0].translate(_BIOES_TO_BIOUL) for each in (previous, tag)]
        (before, letter), (entity_before, entity) = letters, (previous[2:], tag[2:])
        scheme = _ALLENNLPS[self._coding_scheme]
        return is_transition_allowed(scheme, before, entity_before, letter, entity)

    def _illegal(self, what: str, previous: str, line: Line) -> ValueError:
        return line.error(
            f"{what} follows {previous}, which {self._coding_scheme} does not allow, expected another "
            f"tag, or another coding_scheme of the reader: {', '.join(_LETTERS)}"
        )

    def _to_bioul(self, tags: List[str]) -> List[str]:
        if self._coding_scheme == "BIOES":
            return [tag[0].translate(_BIOES_TO_BIOUL) + tag[1:] for tag in tags]
        return to_bioul(tags, encoding=_ALLENNLPS[self._coding_scheme])
