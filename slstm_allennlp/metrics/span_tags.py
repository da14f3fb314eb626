"""Entities in tag sequences, as in the evaluation script of the CoNLL shared tasks (`conlleval`)."""

from typing import List, Optional

from allennlp.data.dataset_readers.dataset_utils import span_utils
from allennlp.data.dataset_readers.dataset_utils.span_utils import TypedStringSpan

_BIOUL_TO_BIO = str.maketrans("UL", "BI")


def bioul_spans(tags: List[str], classes_to_ignore: Optional[List[str]] = None) -> List[TypedStringSpan]:
    """
    Return the entities of BIOUL tags in order, even if the tag sequence is invalid. As usual for
    `conlleval`, U is read as B and L as I. An entity starts at each B, and at each I that does not
    continue an entity of its type. For valid sequences the result is that of AllenNLP's
    `bioul_tags_to_spans`.

    # Parameters

    tags : `List[str]`
        Such as `["B-PER", "L-PER", "O"]`.
    classes_to_ignore : `List[str]`, optional (default = `None`)
        The entity types to ignore.

    # Returns

    `List[TypedStringSpan]`
        (type, (first word, last word)), both inclusive.
    """
    bio = [tag[:1].translate(_BIOUL_TO_BIO) + tag[1:] for tag in tags]
    return sorted(span_utils.bio_tags_to_spans(bio, classes_to_ignore or []), key=lambda span: span[1])


def spans_of(tags: List[str], encoding: str) -> List[TypedStringSpan]:
    """Return the entities in order, from tags in BIO, IOB1, BIOUL or BMES encoding."""
    read = {
        "BIO": span_utils.bio_tags_to_spans,
        "IOB1": span_utils.iob1_tags_to_spans,
        "BIOUL": bioul_spans,
        "BMES": span_utils.bmes_tags_to_spans,
    }[encoding]
    return sorted(read(tags), key=lambda span: span[1])
