"""
Whether a difference means something, by SciPy's tests: over seeds, a paired t-test as the S-LSTM paper
has it; over test sentences, approximate randomisation and a bootstrap interval.
"""

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

import numpy
from scipy import stats

from slstm_allennlp.comparison.counts import Counts, ratio

ALPHA = 0.05
ENOUGH_SEEDS = 5
# Sentences in the resamples that are made at a time: bounds the memory, and SciPy's time for each.
_SENTENCES_AT_A_TIME = 1_000_000
_SEED = 0  # of the resamples: the same runs give the same report
_EQUAL = 1e-12

Interval = Tuple[float, float]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (of a sample; None for a single value)."""

    mean: float
    std: Optional[float]

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        std = float(numpy.std(values, ddof=1)) if len(values) > 1 else None
        return cls(float(numpy.mean(values)), std)


@dataclass(frozen=True)
class SeedTest:
    difference: float  # the mean over the seeds that both systems have
    num_seeds: int
    p_value: Optional[float] = None  # None where there is no test, for which `remark` has the reason
    interval: Optional[Interval] = None  # of 95 per cent, for the mean
    remark: str = ""


def paired_t_test(system: Sequence[float], baseline: Sequence[float]) -> SeedTest:
    """Of the scores of two systems with the same seeds, one or more, in the same order."""
    if len(system) != len(baseline) or not len(system):
        raise ValueError(
            f"there are {len(system)} and {len(baseline)} scores, expected as many of both and some"
        )
    each = numpy.subtract(system, baseline)
    difference, number = float(each.mean()), len(each)
    if number < 2:
        return SeedTest(difference, number, remark="one seed: no spread, no test over seeds")
    if numpy.ptp(each) <= _EQUAL:
        # Without a spread t is 0 / 0 or infinite, neither of which says anything.
        same = "the results are the same" if abs(difference) <= _EQUAL else "the difference is the same"
        return SeedTest(difference, number, remark=f"{same} with every seed: no t-test")
    result = stats.ttest_rel(system, baseline)
    low, high = result.confidence_interval(1 - ALPHA)
    remark = f"{number} seeds: the t-test has little power" if number < ENOUGH_SEEDS else ""
    return SeedTest(difference, number, float(result.pvalue), (float(low), float(high)), remark)


@dataclass(frozen=True)
class SentenceTest:
    difference: float  # of the scores, as a mean over the seeds
    p_value: float  # of paired approximate randomisation, two-sided
    interval: Interval  # of 95 per cent, by the bootstrap's percentiles
    num_sentences: int
    num_resamples: int


def sentence_test(system: Counts, baseline: Counts, *, num_resamples: int = 9999) -> SentenceTest:
    """
    Over the test sentences, for two systems with the same seeds: if it made no difference which system
    is which, their outputs for a sentence (with all seeds at once) could be swapped.
    """
    _check_paired(system, baseline)
    number = system.num_sentences
    if number < 2:
        raise ValueError(f"there is {number} sentence, expected two or more")
    swapped = stats.permutation_test(
        (numpy.zeros(number), numpy.ones(number)),
        _DifferenceWhenSwapped(system, baseline),
        permutation_type="samples",
        vectorized=True,
        n_resamples=num_resamples,
        batch=_batch(number),
        rng=numpy.random.default_rng(_SEED),
    )
    return SentenceTest(
        difference=float(swapped.statistic),
        p_value=float(swapped.pvalue),
        interval=_bootstrap_interval(system, baseline, num_resamples),
        num_sentences=number,
        num_resamples=num_resamples,
    )


def _check_paired(system: Counts, baseline: Counts) -> None:
    if system.numerators.shape != baseline.numerators.shape:
        raise ValueError(
            f"the counts have shapes {system.numerators.shape} and {baseline.numerators.shape}, "
            "expected the same seeds and sentences"
        )


def _batch(num_sentences: int) -> int:
    return max(1, _SENTENCES_AT_A_TIME // num_sentences)


class _DifferenceWhenSwapped:
    """
    The difference of the two scores when some sentences' outputs are swapped, for SciPy, which shuffles
    the two systems' names within each sentence: 0 for the one, 1 for the other.
    """

    def __init__(self, system: Counts, baseline: Counts) -> None:
        self._sums = [(a.sum(axis=1), b.sum(axis=1)) for a, b in zip(system, baseline)]
        self._changes = [(b - a).T for a, b in zip(system, baseline)]

    def __call__(self, names: numpy.ndarray, _: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """*Shape:* (..., num_sentences), with the sentences on `axis`, to (...)"""
        changes = [numpy.moveaxis(names, axis, -1) @ change for change in self._changes]
        first = ratio(*(a + change for (a, _), change in zip(self._sums, changes)))
        second = ratio(*(b - change for (_, b), change in zip(self._sums, changes)))
        return (first - second).mean(axis=-1)


def _bootstrap_interval(system: Counts, baseline: Counts, num_resamples: int) -> Interval:
    def difference(sentences: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """*Shape:* (..., num_sentences) to (...)"""
        chosen = numpy.moveaxis(sentences, axis, -1)
        scores = [
            ratio(*(part[:, chosen].sum(axis=-1) for part in counts)) for counts in (system, baseline)
        ]
        return (scores[0] - scores[1]).mean(axis=0)

    interval = stats.bootstrap(
        (numpy.arange(system.num_sentences),),
        difference,
        vectorized=True,
        n_resamples=num_resamples,
        batch=_batch(system.num_sentences),
        confidence_level=1 - ALPHA,
        method="percentile",
        rng=numpy.random.default_rng(_SEED),
    ).confidence_interval
    return float(interval.low), float(interval.high)


@dataclass(frozen=True)
class LengthTest:
    most_words: int  # what the shorter half of the sentences has at most
    shorter: float  # the difference of the scores on either half, as a mean over the seeds
    longer: float
    p_value: float  # of a permutation test, two-sided, for that the one is not the other


def length_test(
    system: Counts, baseline: Counts, lengths: Sequence[int], *, num_resamples: int = 9999
) -> Optional[LengthTest]:
    """
    Whether one system's advantage grows with the sentences' length: if length made no difference, any
    other sentences could be the longer ones. The counts are of the same sentences, with the same seeds,
    and the lengths theirs. None for sentences of one length.
    """
    _check_paired(system, baseline)
    if len(lengths) != system.num_sentences:
        raise ValueError(
            f"there are {len(lengths)} lengths for {system.num_sentences} and "
            f"{baseline.num_sentences} sentences, expected one for each"
        )
    most_words = _most_words_of_shorter_half(lengths)
    if most_words is None:
        return None
    change = _ChangeWithLength(system, baseline)
    is_longer = numpy.asarray(lengths) > most_words
    shuffled = stats.permutation_test(
        (is_longer,),
        change,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=num_resamples,
        batch=_batch(len(lengths)),
        rng=numpy.random.default_rng(_SEED),
    )
    shorter, longer = (float(change.of(half)[0]) for half in (1.0 - is_longer, 1.0 * is_longer))
    return LengthTest(most_words, shorter, longer, float(shuffled.pvalue))


def _most_words_of_shorter_half(lengths: Sequence[int]) -> Optional[int]:
    """Where sentences of one length stay together; None if all have one."""
    ordered = sorted(lengths)
    ends = [end for end in range(1, len(ordered)) if ordered[end - 1] < ordered[end]]
    return ordered[min(ends, key=lambda end: abs(2 * end - len(ordered))) - 1] if ends else None


class _ChangeWithLength:
    """
    How much larger the difference of two systems' scores is on some sentences than on the others, in
    standard errors: where sentences have several words or spans each, the shorter half has fewer of
    them, and its score varies more than that of as many sentences of any length.
    """

    def __init__(self, system: Counts, baseline: Counts) -> None:
        self._systems = (system, baseline)

    def of(self, chosen: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray]:
        """
        The difference on the sentences that are chosen (1, and 0 for the others), and what each of all
        sentences has to do with it. *Shape:* (..., num_sentences) to (...) and (..., num_sentences)
        """
        difference, parts = numpy.zeros(chosen.shape[:-1]), numpy.zeros(chosen.shape)
        for sign, (numerators, denominators) in zip((1, -1), self._systems):
            sizes = chosen @ denominators.T  # with each seed
            scores = ratio(chosen @ numerators.T, sizes)
            shares = ratio(numpy.ones_like(sizes), sizes) / sizes.shape[-1]
            difference += sign * scores.mean(axis=-1)
            parts += sign * chosen * (shares @ numerators - (shares * scores) @ denominators)
        return difference, parts

    def __call__(self, is_longer: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        """*Shape:* (..., num_sentences), with the sentences on `axis`, to (...)"""
        chosen = numpy.moveaxis(is_longer, axis, -1)
        shorter, of_shorter = self.of(1.0 - chosen)
        longer, of_longer = self.of(1.0 * chosen)
        variance = ((of_shorter + of_longer) ** 2).sum(axis=-1)  # each sentence is in one of them
        return (longer - shorter) / numpy.sqrt(variance + _EQUAL)


def p_value_of_both(seeds: SeedTest, sentences: Optional[SentenceTest]) -> Optional[float]:
    """
    That of the claim that neither difference is by chance: the larger one, of the tests there are. A few
    seeds without a t-test have none: with enough, the same difference with every seed, the sentences
    decide.
    """
    if seeds.p_value is None and seeds.num_seeds < ENOUGH_SEEDS:
        return None
    p_values = [seeds.p_value, None if sentences is None else sentences.p_value]
    return max((p for p in p_values if p is not None), default=None)


def corrected(p_values: Sequence[Optional[float]]) -> List[Optional[float]]:
    """
    The same for there being so many of them: of the differences that these are below `ALPHA` for, that
    share is expected to be by chance (Benjamini and Hochberg, 1995).
    """
    tested = [p for p in p_values if p is not None]
    adjusted = iter(stats.false_discovery_control(tested) if tested else ())
    return [None if p is None else float(next(adjusted)) for p in p_values]


def verdict(
    seeds: SeedTest,
    sentences: Optional[SentenceTest],
    p_value: Optional[float],
    *,
    higher_is_better: bool = True,
) -> str:
    """
    In words: `better` or `worse` where the tests that there are agree, in the direction, too, that the
    difference is not by chance. The p-value is that of both, `corrected`. `higher_is_better` is for the
    scores over seeds; those of sentences always count what is right.
    """
    is_better = (seeds.difference > 0) == higher_is_better
    agree = sentences is None or (sentences.difference > 0) == is_better
    if agree and p_value is not None and p_value < ALPHA:
        return "better" if is_better else "worse"
    if seeds.num_seeds < ENOUGH_SEEDS:
        return "too few seeds to say"
    is_same = seeds.p_value is None and abs(seeds.difference) <= _EQUAL
    return "the same with every seed" if is_same else "too close to call"
