"""Precision, recall and F1 of each class, tag or type of entity."""

from collections import Counter
from itertools import count
from typing import Any, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

from slstm_allennlp.metrics.span_tags import spans_of

Labels = Union[str, List[str]]  # one for a text or a pair, or one per word


class ClassScore(NamedTuple):
    name: str
    precision: float
    recall: float
    f1: float
    gold: int
    """How often the gold labels have it."""


def units_of(labels: Optional[Labels], encoding: Optional[str] = None) -> Set[Tuple[Any, Any]]:
    """
    Return what is counted, with its place: the label of a text, the tag of each word or, with an
    encoding (BIO, IOB1, BIOUL or BMES), the entities.
    """
    if not isinstance(labels, list):
        return {(labels, 0)}
    return set(zip(labels, count()) if encoding is None else spans_of(labels, encoding))


def class_scores(
    pairs: Iterable[Tuple[Labels, Labels]], encoding: Optional[str] = None
) -> List[ClassScore]:
    """Return the scores of each class in pairs of gold and predicted labels, the most frequent first."""
    golds, guesses, rights = Counter[str](), Counter[str](), Counter[str]()
    for pair in pairs:
        gold, predicted = (units_of(labels, encoding) for labels in pair)
        golds.update(name for name, _ in gold)
        guesses.update(name for name, _ in predicted)
        rights.update(name for name, _ in gold & predicted)
    scores = []
    for name in sorted(golds | guesses, key=lambda name: (-golds[name], name)):
        right = rights[name]
        precision, recall = (right / counts[name] if right else 0.0 for counts in (guesses, golds))
        f1 = 2 * right / (golds[name] + guesses[name])
        scores.append(ClassScore(name, precision, recall, f1, golds[name]))
    return scores
