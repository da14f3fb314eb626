"""Test scores as counts per sentence, the input of significance tests over sentences."""

from typing import List, NamedTuple, Optional, Sequence

import numpy

from slstm_allennlp.metrics.class_scores import units_of
from slstm_allennlp.predictors.predictions import Prediction


class Counts(NamedTuple):
    """
    A numerator and a denominator for each sentence. The score is the ratio of their sums. For accuracy,
    they are the correct labels and all labels. For span F1, they are twice the correct spans, and the
    predicted spans plus the gold spans. *Shape:* (num_seeds, num_sentences) each
    """

    numerators: numpy.ndarray
    denominators: numpy.ndarray

    @property
    def num_sentences(self) -> int:
        return self.numerators.shape[1]

    def of(self, sentences: numpy.ndarray) -> "Counts":
        """Return the counts of some of the sentences."""
        return Counts(self.numerators[:, sentences], self.denominators[:, sentences])

    def scores(self) -> numpy.ndarray:
        """Return the score with each seed. *Shape:* (num_seeds,)"""
        return ratio(self.numerators.sum(axis=1), self.denominators.sum(axis=1))

    def known_scores(self) -> List[float]:
        """Return the scores that are defined: F1 needs at least one gold or predicted span."""
        known = self.denominators.sum(axis=1) > 0
        return self.scores()[known].tolist()


def ratio(numerators: numpy.ndarray, denominators: numpy.ndarray) -> numpy.ndarray:
    """Return the ratio, with 0 for 0 / 0, as in AllenNLP's metrics."""
    zeros = numpy.zeros(numpy.shape(numerators))
    return numpy.divide(numerators, denominators, out=zeros, where=denominators > 0)


def counts_of(seeds: Sequence[List[Prediction]], encoding: Optional[str] = None) -> Counts:
    """
    Count the predictions of each seed, which are for the same sentences. With an encoding (BIO, IOB1,
    BIOUL or BMES), the counts are for span F1, otherwise for accuracy.
    """
    pairs = [[_pair(prediction, encoding) for prediction in predictions] for predictions in seeds]
    return Counts(*numpy.moveaxis(numpy.array(pairs, dtype=float), -1, 0))


def _pair(prediction: Prediction, encoding: Optional[str]) -> List[int]:
    gold, predicted = (units_of(each, encoding) for each in (prediction.gold, prediction.predicted))
    right = len(gold & predicted)
    return [right, len(gold)] if encoding is None else [2 * right, len(gold) + len(predicted)]
