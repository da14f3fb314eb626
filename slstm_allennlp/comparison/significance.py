"""
Significance tests, with SciPy: a paired t-test over seeds, as in the S-LSTM paper; approximate
randomisation and a bootstrap confidence interval over test sentences, from counts per sentence.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from scipy import stats

from slstm_allennlp.metrics.class_scores import units_of
from slstm_allennlp.predictors.predictions import Prediction

ALPHA = 0.05
ENOUGH_SEEDS = 5
TOO_FEW_SEEDS = "too few seeds to say"
# Sentences in one batch of resamples: a compromise between memory and SciPy's overhead per batch.
_SENTENCES_AT_A_TIME = 1_000_000
_RESAMPLING_SEED = 0  # fixed, so that the same runs give the same report
_TOLERANCE = 1e-12
_DIGITS = 12  # of what is permuted: rounding would make equal differences unequal

Interval = Tuple[float, float]


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


class Spread(NamedTuple):
    """Mean and standard deviation of a sample. The latter is None for a single value."""

    mean: float
    std: Optional[float]

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        std = float(numpy.std(values, ddof=1)) if len(values) > 1 else None
        return cls(float(numpy.mean(values)), std)


@dataclass(frozen=True)
class SeedTest:
    difference: float  # mean over the common seeds
    num_seeds: int
    p_value: Optional[float] = None  # None without a test; `remark` has the reason
    interval: Optional[Interval] = None  # 95% confidence interval of the mean
    remark: str = ""


def paired_t_test(system: Sequence[float], baseline: Sequence[float]) -> SeedTest:
    """Test the scores of two systems. They are for the same seeds in the same order, one or more."""
    each = numpy.subtract(system, baseline)
    difference, number = float(each.mean()), len(each)
    if number < 2:
        return SeedTest(difference, number, remark="one seed: no spread, no test over seeds")
    if numpy.ptp(each) <= _TOLERANCE:
        # With a standard deviation of zero, t is undefined or infinite.
        what = "results are" if abs(difference) <= _TOLERANCE else "difference is"
        return SeedTest(difference, number, remark=f"the {what} the same with every seed: no t-test")
    result = stats.ttest_rel(system, baseline)
    low, high = result.confidence_interval(1 - ALPHA)
    remark = f"{number} seeds: the t-test has little power" if number < ENOUGH_SEEDS else ""
    return SeedTest(difference, number, float(result.pvalue), (float(low), float(high)), remark)


@dataclass(frozen=True)
class SentenceTest:
    difference: float  # of the scores, mean over the seeds
    p_value: float  # paired approximate randomisation, two-sided
    interval: Interval  # 95% confidence interval, percentile bootstrap
    num_sentences: int
    num_resamples: int


def sentence_test(system: Counts, baseline: Counts, *, num_resamples: int = 9999) -> SentenceTest:
    """
    Test the difference of two systems with the same seeds over the same test sentences, two or more.
    Under the null hypothesis, the outputs of the two systems for a sentence (of all seeds together) can
    be swapped.
    """
    number = system.num_sentences
    sums = [(a.sum(axis=1), b.sum(axis=1)) for a, b in zip(system, baseline)]
    changes = [(b - a).T for a, b in zip(system, baseline)]

    def swapped(names: numpy.ndarray, _: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """
        Return the difference of the scores. SciPy permutes the systems' names, 0 and 1, in each
        sentence. *Shape:* (..., num_sentences) to (...)
        """
        swaps = [names @ change for change in changes]
        first = ratio(*(a + change for (a, _), change in zip(sums, swaps)))
        second = ratio(*(b - change for (_, b), change in zip(sums, swaps)))
        return (first - second).mean(axis=-1).round(_DIGITS)

    def resampled(sentences: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """Return the difference of the scores. *Shape:* (..., num_sentences) to (...)"""
        first, second = (
            ratio(*(part[:, sentences].sum(axis=-1) for part in counts)) for counts in (system, baseline)
        )
        return (first - second).mean(axis=0)

    names = (numpy.zeros(number), numpy.ones(number))
    test = stats.permutation_test(
        names, swapped, permutation_type="samples", **_resampling(number, num_resamples)
    )
    low, high = stats.bootstrap(
        (numpy.arange(number),),
        resampled,
        confidence_level=1 - ALPHA,
        method="percentile",
        **_resampling(number, num_resamples),
    ).confidence_interval
    interval = (float(low), float(high))
    return SentenceTest(float(test.statistic), float(test.pvalue), interval, number, num_resamples)


def _resampling(num_sentences: int, num_resamples: int) -> Dict[str, Any]:
    """Return SciPy's settings for resamples of the test sentences."""
    return {
        "vectorized": True,
        "n_resamples": num_resamples,
        "batch": max(1, _SENTENCES_AT_A_TIME // num_sentences),
        "rng": numpy.random.default_rng(_RESAMPLING_SEED),
    }


@dataclass(frozen=True)
class LengthTest:
    most_words: int  # maximum length in the shorter half of the sentences
    shorter: float  # difference of the scores on the shorter half, mean over the seeds
    longer: float  # the same on the longer half
    p_value: float  # permutation test for `shorter` ≠ `longer`, two-sided


def length_test(
    system: Counts, baseline: Counts, lengths: Sequence[int], *, num_resamples: int = 9999
) -> Optional[LengthTest]:
    """
    Test whether the difference of two systems depends on sentence length. Under the null hypothesis, the
    lengths can be permuted among the sentences. The halves are as even as possible without separating
    equal lengths. Returns None if all sentences have the same length.
    """
    ordered = sorted(lengths)
    ends = [end for end in range(1, len(ordered)) if ordered[end - 1] < ordered[end]]
    if not ends:
        return None
    most_words = ordered[min(ends, key=lambda end: abs(2 * end - len(ordered))) - 1]
    is_longer = (numpy.asarray(lengths) > most_words).astype(float)

    def change(is_longer: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """
        Return how much larger the difference is on the longer sentences, in standard errors: short
        sentences have fewer words or spans, so that the score of the shorter half has a larger variance.
        *Shape:* (..., num_sentences) to (...)
        """
        shorter, of_shorter = _difference_on(1 - is_longer, system, baseline)
        longer, of_longer = _difference_on(is_longer, system, baseline)
        variance = ((of_shorter + of_longer) ** 2).sum(axis=-1)  # each sentence is in one half
        return ((longer - shorter) / numpy.sqrt(variance + _TOLERANCE)).round(_DIGITS)

    test = stats.permutation_test(
        (is_longer,), change, permutation_type="pairings", **_resampling(len(lengths), num_resamples)
    )
    halves = (1 - is_longer, is_longer)
    shorter, longer = (float(_difference_on(half, system, baseline)[0]) for half in halves)
    return LengthTest(most_words, shorter, longer, float(test.pvalue))


def _difference_on(
    chosen: numpy.ndarray, system: Counts, baseline: Counts
) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """
    Return the difference of the scores on the chosen sentences (1 if chosen, otherwise 0), and each
    sentence's influence on it. *Shape:* (..., num_sentences) to (...) and (..., num_sentences)
    """
    difference, parts = numpy.zeros(chosen.shape[:-1]), numpy.zeros(chosen.shape)
    for sign, (numerators, denominators) in ((1, system), (-1, baseline)):
        sizes = chosen @ denominators.T  # per seed
        scores = ratio(chosen @ numerators.T, sizes)
        shares = ratio(numpy.ones_like(sizes), sizes) / sizes.shape[-1]
        difference += sign * scores.mean(axis=-1)
        parts += sign * chosen * (shares @ numerators - (shares * scores) @ denominators)
    return difference, parts


def p_value_of_both(seeds: SeedTest, sentences: Optional[SentenceTest]) -> Optional[float]:
    """
    Return the larger p-value of the two tests, or that of the only one. With fewer than `ENOUGH_SEEDS`
    seeds, it is None without a t-test. With more, the test over sentences decides.
    """
    if seeds.p_value is None:
        return sentences.p_value if sentences and seeds.num_seeds >= ENOUGH_SEEDS else None
    return max(seeds.p_value, sentences.p_value) if sentences else seeds.p_value


def corrected(p_values: Sequence[Optional[float]]) -> List[Optional[float]]:
    """Correct p-values for multiple comparisons (Benjamini–Hochberg, 1995). None stays None."""
    tested = [p for p in p_values if p is not None]
    adjusted = iter(stats.false_discovery_control(tested) if tested else ())
    return [None if p is None else float(next(adjusted)) for p in p_values]


def verdict(
    seeds: SeedTest,
    sentences: Optional[SentenceTest],
    p_value: Optional[float],
    higher_is_better: bool = True,
) -> str:
    """
    Return the verdict in words: `better` or `worse` if the difference is significant and all tests agree
    on its direction. `p_value` is that of `p_value_of_both`, `corrected`. `higher_is_better` applies to
    the scores over seeds; scores over sentences always count correct labels.
    """
    is_better = (seeds.difference > 0) == higher_is_better
    agree = sentences is None or (sentences.difference > 0) == is_better
    if seeds.difference and agree and p_value is not None and p_value < ALPHA:
        return "better" if is_better else "worse"
    if seeds.num_seeds < ENOUGH_SEEDS:
        return TOO_FEW_SEEDS
    is_same = seeds.p_value is None and abs(seeds.difference) <= _TOLERANCE
    return "the same with every seed" if is_same else "too close to call"
