"""Entities in tag sequences, as in the evaluation script of the CoNLL shared tasks (`conlleval`)."""

import re
from functools import cache
from typing import Collection, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.data.dataset_readers.dataset_utils import span_utils
from allennlp.data.dataset_readers.dataset_utils.span_utils import TypedStringSpan
from allennlp.modules.conditional_random_field.conditional_random_field import is_transition_allowed
from allennlp.training.metrics import SpanBasedF1Measure

_LETTERS = {"BIO": "BI", "IOB1": "BI", "BIOUL": "BILU", "BMES": "BMES"}  # prefixes, besides O
ENCODINGS = tuple(_LETTERS)
"""What AllenNLP knows as `label_encoding`."""
ENTITY_TAG = re.compile(r"O|[BIESLUM]-\S+")
"""Any tag of an entity, in any encoding."""
_BIOUL_TO_BIO = str.maketrans("UL", "BI")


def bioul_spans(tags: List[str], classes_to_ignore: Optional[List[str]] = None) -> List[TypedStringSpan]:
    """
    Return the entities of BIOUL tags in order, even if the tag sequence is invalid. As usual for
    `conlleval`, U is read as B and L as I. An entity starts at each B, and at each I that does not
    continue an entity of its type. For valid sequences the result is that of AllenNLP's
    `bioul_tags_to_spans`: (type, (first word, last word)), both inclusive.
    """
    bio = list(map(bio_of, tags))
    return sorted(span_utils.bio_tags_to_spans(bio, classes_to_ignore or []), key=lambda span: span[1])


def bio_of(tag: str) -> str:
    """Return the BIO tag of a BIOUL tag."""
    return tag[:1].translate(_BIOUL_TO_BIO) + tag[1:]


def type_of(tag: str) -> str:
    """Return the type of the entity that a tag belongs to, in any encoding; other tags as they are."""
    return (tag[2:] if tag[1:2] == "-" else "") or tag


def missing_tags(tags: Collection[str], encoding: str) -> List[str]:
    """Return the tags of the types of entities that are not there, such as U-PER beside B-PER."""
    letters = _LETTERS.get(encoding, "")
    types = dict.fromkeys(type_of(tag) for tag in tags if tag[1:2] == "-" and tag[0] in letters)
    return [
        tag for kind in types for tag in (f"{letter}-{kind}" for letter in letters) if tag not in tags
    ]


@cache
def may_follow(encoding: str, before: str, after: str) -> bool:
    """Return whether a tag may follow another one. START and END stand for both ends of a sentence."""
    return is_transition_allowed(encoding, *_parts(before), *_parts(after))


def _parts(tag: str) -> Tuple[str, str]:
    """Split `B-PER` into `B` and `-PER`. A tag such as `NN` has no letter of an encoding."""
    if tag in ("START", "END", "O"):
        return tag, ""
    return (tag[0], tag[1:]) if tag and tag[1:2] in ("", "-") and tag[0] != "O" else ("", tag)


def check_encoding(encoding: str) -> None:
    """Raise `ConfigurationError` for an encoding that AllenNLP does not know."""
    if encoding not in ENCODINGS:
        raise ConfigurationError(
            f"label_encoding is {encoding!r}, expected one of {', '.join(ENCODINGS)} (BIOES and BILOU "
            "are other names of BIOUL)"
        )


def spans_of(tags: List[str], encoding: str) -> List[TypedStringSpan]:
    """Return the entities in order, from tags in BIO, IOB1, BIOUL or BMES encoding."""
    read = {
        "BIO": span_utils.bio_tags_to_spans,
        "IOB1": span_utils.iob1_tags_to_spans,
        "BIOUL": bioul_spans,
        "BMES": span_utils.bmes_tags_to_spans,
    }[encoding]
    return sorted(read(tags), key=lambda span: span[1])


def span_f1(vocab: Vocabulary, namespace: str, encoding: str) -> SpanBasedF1Measure:
    """
    Return AllenNLP's span F1 for a model that may predict illegal tags. In BIOUL, it counts them by
    `bioul_spans`. AllenNLP's function raises an error for most of them, and if only the types within an
    entity differ, it uses the last type for the whole entity.
    """
    if encoding == "BIOUL":
        return SpanBasedF1Measure(
            vocab, namespace, label_encoding=None, tags_to_spans_function=bioul_spans
        )
    return SpanBasedF1Measure(vocab, namespace, label_encoding=encoding)
