"""Entities in tags, as the CoNLL shared tasks' script counts them."""

from typing import List, Optional

from allennlp.data.dataset_readers.dataset_utils import span_utils
from allennlp.data.dataset_readers.dataset_utils.span_utils import TypedStringSpan

_BIOUL_TO_BIO = str.maketrans("UL", "BI")


def bioul_spans(tags: List[str], classes_to_ignore: Optional[List[str]] = None) -> List[TypedStringSpan]:
    """
    The entities of BIOUL tags, also of tags that break the scheme's rules, in their order. As is usual
    before the CoNLL script (`conlleval`), U is read as B and L as I; then, as there, an entity begins at
    a B and at an I that does not go on with one of its type, and ends where it does not go on. For legal
    tags this is what AllenNLP's `bioul_tags_to_spans` gives.

    # Parameters

    tags : `List[str]`
        Such as `["B-PER", "L-PER", "O"]`.
    classes_to_ignore : `List[str]`, optional (default = `None`)
        The types to leave out.

    # Returns

    `List[TypedStringSpan]`
        (type, (first word, last word)).
    """
    bio = [tag[:1].translate(_BIOUL_TO_BIO) + tag[1:] for tag in tags]
    return sorted(span_utils.bio_tags_to_spans(bio, classes_to_ignore or []), key=lambda span: span[1])


def spans_of(tags: List[str], encoding: str) -> List[TypedStringSpan]:
    """The entities of tags in one of AllenNLP's encodings, BIO, IOB1, BIOUL or BMES, in their order."""
    read = {
        "BIO": span_utils.bio_tags_to_spans,
        "IOB1": span_utils.iob1_tags_to_spans,
        "BIOUL": bioul_spans,
        "BMES": span_utils.bmes_tags_to_spans,
    }[encoding]
    return sorted(read(tags), key=lambda span: span[1])
