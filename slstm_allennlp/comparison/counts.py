"""A test score as counts of each sentence, which is what tests over sentences need."""

from typing import List, NamedTuple, Optional, Sequence

import numpy

from slstm_allennlp.comparison.predictions import Prediction
from slstm_allennlp.metrics.span_tags import spans_of


class Counts(NamedTuple):
    """
    For each sentence, a numerator and a denominator; their sums' ratio is the score. Accuracy: the
    words (or the one class) that are right, and all of them. Span F1: twice the spans that are right,
    and those predicted plus those that stand there.

    # Parameters

    numerators, denominators : `numpy.ndarray`
        *Shape:* (num_seeds, num_sentences)
    """

    numerators: numpy.ndarray
    denominators: numpy.ndarray

    @property
    def num_sentences(self) -> int:
        return self.numerators.shape[1]

    def of(self, sentences: numpy.ndarray) -> "Counts":
        """Those of some of the sentences."""
        return Counts(self.numerators[:, sentences], self.denominators[:, sentences])

    def scores(self) -> numpy.ndarray:
        """The score with each seed. *Shape:* (num_seeds,)"""
        return ratio(self.numerators.sum(axis=1), self.denominators.sum(axis=1))

    def known_scores(self) -> List[float]:
        """Those of the seeds that have one: of no span, there or found, there is no F1."""
        known = self.denominators.sum(axis=1) > 0
        return self.scores()[known].tolist()


def ratio(numerators: numpy.ndarray, denominators: numpy.ndarray) -> numpy.ndarray:
    """Their ratio, and 0 for nothing of nothing, as AllenNLP's metrics have it."""
    return numpy.divide(
        numerators, denominators, out=numpy.zeros(numpy.shape(numerators)), where=denominators > 0
    )


def counts_of(seeds: Sequence[List[Prediction]], encoding: Optional[str] = None) -> Counts:
    """
    Of predictions for the same sentences with each seed: for the span F1 of tags in an encoding (BIO,
    IOB1, BIOUL or BMES), and for accuracy without it.
    """
    pairs = numpy.array(
        [[_pair(prediction, encoding) for prediction in predictions] for predictions in seeds],
        dtype=float,
    )
    return Counts(pairs[..., 0], pairs[..., 1])


def _pair(prediction: Prediction, encoding: Optional[str]) -> List[int]:
    gold, predicted = prediction.gold, prediction.predicted
    if not isinstance(gold, list) or not isinstance(predicted, list):
        return [int(gold == predicted), 1]
    if encoding is None:
        return [sum(a == b for a, b in zip(gold, predicted)), len(gold)]
    there, found = set(spans_of(gold, encoding)), set(spans_of(predicted, encoding))
    return [2 * len(there & found), len(there) + len(found)]
