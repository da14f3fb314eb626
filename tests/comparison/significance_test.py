"""The significance tests, compared to SciPy's and to enumeration."""

import itertools
import math

import numpy
import pytest
from scipy import stats

from slstm_allennlp.comparison.significance import (
    Counts,
    SeedTest,
    SentenceTest,
    corrected,
    counts_of,
    length_test,
    p_value_of_both,
    paired_t_test,
    sentence_test,
    verdict,
)
from slstm_allennlp.predictors.predictions import Prediction

GOLD, FOUND = ["B-PER", "I-PER", "O", "B-LOC"], ["B-PER", "I-PER", "O", "B-ORG"]


@pytest.mark.parametrize(
    "pairs, encoding, numerators, denominators, score",
    [
        ([("a", "a"), ("b", "a"), ("b", "b")], None, [1, 0, 1], [1, 1, 1], 2 / 3),
        ([(["N", "V", "N"], ["N", "V", "V"]), (["N"], ["V"])], None, [2, 0], [3, 1], 0.5),
        # One of two gold spans is predicted, and a wrong one: 2 · 1 / (2 + 2). Sentence 2 has no spans.
        ([(GOLD, FOUND), (["O"], ["O"])], "BIO", [2, 0], [4, 0], 0.5),
        ([(["O"], ["B-PER"])], "BIO", [0], [1], 0),
        ([("a", "a")], None, [1], [1], 1),
        ([(["O"], ["O"])], "BIO", [0], [0], 0),  # it is not a known score
    ],
)
def test_counts(pairs, encoding, numerators, denominators, score):
    """With another seed, all is right."""
    seeds = [Prediction(1, *pair) for pair in pairs], [Prediction(1, gold, gold) for gold, _ in pairs]
    counts = counts_of(seeds, encoding)
    assert [counts.numerators[0].tolist(), counts.denominators[0].tolist()] == [numerators, denominators]
    is_known = [any(denominators), any(counts.denominators[1])]
    scores = [score, float(is_known[1])]
    assert counts.scores().tolist() == pytest.approx(scores)
    assert counts.known_scores() == pytest.approx([s for s, known in zip(scores, is_known) if known])
    assert counts.of(numpy.array([0])).numerators.tolist() == counts.numerators[:, :1].tolist()


def test_the_t_test_is_the_one_of_the_differences():
    system, baseline = [0.81, 0.83, 0.80, 0.84, 0.82], [0.80, 0.80, 0.79, 0.80, 0.81]
    test = paired_t_test(system, baseline)
    each = numpy.subtract(system, baseline)
    half = stats.t.ppf(0.975, df=4) * each.std(ddof=1) / math.sqrt(5)
    assert test.p_value == pytest.approx(stats.ttest_1samp(each, 0).pvalue)
    assert test.interval == pytest.approx((0.02 - half, 0.02 + half))
    assert (test.difference, test.num_seeds, test.remark) == (pytest.approx(0.02), 5, "")


@pytest.mark.parametrize(
    "system, baseline, remark",
    [
        ([0.9], [0.7], "one seed: no spread, no test over seeds"),
        ([0.7, 0.8, 0.9], [0.7, 0.8, 0.9], "the results are the same with every seed: no t-test"),
        ([0.8, 0.9, 1.0], [0.7, 0.8, 0.9], "the difference is the same with every seed: no t-test"),
        ([0.6, 0.7, 0.8], [0.7, 0.8, 0.9], "the difference is the same with every seed: no t-test"),
        ([0.9, 0.9005], [0.7, 0.7], "2 seeds: the t-test has little power"),
        ([0.8, 0.9], [0.7, 0.7], "2 seeds: the t-test has little power"),
    ],
)
def test_what_is_said_of_few_or_equal_scores(system, baseline, remark):
    test = paired_t_test(system, baseline)
    assert (test.remark, test.num_seeds) == (remark, len(system))
    assert test.difference == pytest.approx(numpy.mean(system) - numpy.mean(baseline))
    has_a_test = "power" in remark
    assert (test.p_value is not None, test.interval is not None) == (has_a_test, has_a_test)


def swaps(system, baseline):
    """Return the differences for all swaps of the systems within sentences, and the observed one."""

    def difference(a, b):
        scores = [n.sum(axis=1) / d.sum(axis=1) for n, d in (a, b)]
        return (scores[0] - scores[1]).mean()

    differences = []
    for swap in itertools.product([False, True], repeat=system.num_sentences):
        first = [numpy.where(swap, b, a) for a, b in zip(system, baseline)]
        second = [numpy.where(swap, a, b) for a, b in zip(system, baseline)]
        differences.append(difference(first, second))
    return numpy.array(differences), difference(system, baseline)


def random_counts(seed, seeds=2, sentences=8, longest=6):
    """Return random counts. As for F1, the denominators differ between systems."""
    generator = numpy.random.default_rng(seed)
    denominators = generator.integers(1, longest + 1, size=(seeds, sentences)).astype(float)
    return Counts(numpy.floor(denominators * generator.random((seeds, sentences))), denominators)


@pytest.mark.parametrize("seed", range(4))
def test_randomisation_is_exact_where_all_swaps_can_be_tried(seed):
    system, baseline = random_counts(seed), random_counts(seed + 100)
    differences, observed = swaps(system, baseline)
    more = numpy.mean(differences >= observed - 1e-12)
    less = numpy.mean(differences <= observed + 1e-12)
    test = sentence_test(system, baseline)
    assert (test.difference, test.num_sentences) == (pytest.approx(observed), 8)
    assert test.p_value == pytest.approx(min(1, 2 * min(more, less)))


@pytest.mark.parametrize("sentences, others", [(1821, 1457), (997, 800), (1067, 850)])
def test_equal_differences_are_equal_however_they_are_rounded(sentences, others):
    """Of 1,821 sentences, the mean over three seeds of equal differences was not the same to the bit."""
    baseline = numpy.zeros((3, sentences))
    baseline[:, 10 : 10 + others] = 1
    system = baseline.copy()
    system[:2, :3] = system[:1, 3:5] = 1  # five sentences: better with two, two, two, one and one seed
    system[0, 5:7] = 1  # two more, that are worse with another seed
    baseline[1, 5] = baseline[2, 6] = 1
    ones = numpy.ones_like(baseline)
    test = sentence_test(Counts(system, ones), Counts(baseline, ones))
    assert test.p_value == pytest.approx(2 / 32, abs=0.006)  # of the 32 swaps, two are as large


def one_seed(*right):
    return Counts(numpy.array([right], dtype=float), numpy.ones((1, len(right))))


def test_many_sentences_agree_with_the_sign_test():
    """For accuracy with one seed, swaps are coin tosses over sentences in which the systems differ."""
    one, other, both = [1] * 60 + [0] * 40, [0] * 60 + [1] * 40, [1] * 100
    test = sentence_test(one_seed(*one, *both), one_seed(*other, *both))
    assert test.p_value == pytest.approx(stats.binomtest(60, 100).pvalue, abs=0.01)
    error = math.sqrt((100 / 200 - 0.1**2) / 200)  # 100 of the 200 differ
    assert test.interval == pytest.approx((0.1 - 1.96 * error, 0.1 + 1.96 * error), abs=0.01)
    # With nine of ten right, the upper bound is 1. That of a basic bootstrap interval is larger.
    test = sentence_test(one_seed(*[1] * 9, 0), one_seed(*[0] * 10))
    assert test.interval == pytest.approx((0.7, 1))
    # The interval of F1 is that of resampled sentences.
    system, baseline = random_counts(7, sentences=40), random_counts(8, sentences=40)
    generator = numpy.random.default_rng(0)
    found = []
    for _ in range(4000):
        chosen = generator.integers(0, 40, size=40)
        found.append((system.of(chosen).scores() - baseline.of(chosen).scores()).mean())
    test = sentence_test(system, baseline, num_resamples=4000)
    assert test.interval == pytest.approx(tuple(numpy.percentile(found, [2.5, 97.5])), abs=0.01)


@pytest.mark.parametrize("sentences", [2, 5, 50, None])
def test_identical_results(sentences):
    counts = random_counts(3, sentences=sentences) if sentences else Counts(*numpy.zeros((2, 2, 5)))
    test = sentence_test(counts, counts)
    assert (test.difference, test.p_value, test.interval) == (0, 1, (0, 0))


def test_the_number_of_resamples():
    """The same number gives the same test twice."""
    both = random_counts(1, sentences=60), random_counts(2, sentences=60)
    few, many = (sentence_test(*both, num_resamples=number) for number in (19, 9999))
    assert few.interval != many.interval and few.num_resamples == 19
    assert sentence_test(*both) == many
    over_lengths = length_test(*both, range(60), num_resamples=19)
    assert over_lengths.p_value * 20 == pytest.approx(round(over_lengths.p_value * 20))
    assert length_test(*both, range(60), num_resamples=19) == over_lengths


def sentences(p_value, difference=0.1):
    return SentenceTest(difference, p_value, (0.0, 0.2), 100, 9999)


@pytest.mark.parametrize(
    "seeds, over_sentences, expected",
    [
        (SeedTest(0.1, 5, 0.01), sentences(0.01), "better"),
        (SeedTest(-0.1, 5, 0.01), sentences(0.01, -0.1), "worse"),
        (SeedTest(0.1, 3, 0.01), sentences(0.01), "better"),
        (SeedTest(0.1, 5, 0.01), None, "better"),
        (SeedTest(0.1, 5, 0.01), sentences(0.2), "too close to call"),
        (SeedTest(0.1, 5, 0.2), sentences(0.01), "too close to call"),
        (SeedTest(0.1, 5, 0.05), None, "too close to call"),  # not below 0.05
        (SeedTest(0.1, 3, 0.2), sentences(0.01), "too few seeds to say"),
        (SeedTest(0.1, 3, 0.2), sentences(0.2), "too few seeds to say"),
        (SeedTest(0.1, 1), sentences(0.01), "too few seeds to say"),
        (SeedTest(0.1, 4), sentences(0.01), "too few seeds to say"),
        # The difference is the same with every seed: there is no t-test.
        (SeedTest(0.1, 5), sentences(0.01), "better"),
        (SeedTest(0.1, 5), sentences(0.2), "too close to call"),
        (SeedTest(0.1, 5), None, "too close to call"),
        (SeedTest(0.1, 2), sentences(0.01), "too few seeds to say"),
        (SeedTest(0.0, 5), sentences(1.0), "the same with every seed"),
        (SeedTest(0.0, 5, 1.0), sentences(1.0), "too close to call"),  # the same only on average
        (SeedTest(0.0, 5), sentences(0.01), "the same with every seed"),
        (SeedTest(0.0, 5), sentences(0.01, -0.1), "the same with every seed"),
        # The seeds and the sentences contradict each other.
        (SeedTest(-0.1, 5, 0.01), sentences(0.01, 0.1), "too close to call"),
        (SeedTest(0.1, 5, 0.01), sentences(0.01, -0.1), "too close to call"),
    ],
)
def test_verdicts(seeds, over_sentences, expected):
    assert verdict(seeds, over_sentences, p_value_of_both(seeds, over_sentences)) == expected


@pytest.mark.parametrize("over_sentences, is_better", [(None, True), (0.1, True), (-0.1, False)])
def test_less_loss_is_better(over_sentences, is_better):
    """Unless fewer are right."""
    tests = SeedTest(-0.1, 5, 0.01), over_sentences and sentences(0.01, over_sentences)
    said = verdict(*tests, 0.01, higher_is_better=False)
    assert said == ("better" if is_better else "too close to call")


def test_many_comparisons_are_corrected():
    """Benjamini–Hochberg: p times the number of tests / its rank, at most the next larger p's value."""
    # 0.01 * 3 / 1; 0.04 * 3 / 2, but at most 0.045 * 3 / 3.
    found = corrected([0.04, None, 0.01, 0.045])
    assert found.pop(1) is None and found == pytest.approx([0.045, 0.03, 0.045])
    assert corrected([None]) == [None] and corrected([]) == []
    among_many = corrected([0.04, *[0.9] * 10])[0]
    assert verdict(SeedTest(0.1, 5, 0.04), None, among_many) == "too close to call"


def test_length_by_enumeration():
    """Count the assignments of lengths to six sentences that give a change as large."""
    system, baseline, lengths = (0, 1, 0, 1, 1, 1), (1, 0, 0, 0, 0, 0), (2, 3, 3, 7, 8, 9)
    each = numpy.subtract(system, baseline)
    changes = []
    for longer in itertools.combinations(range(6), 3):
        halves = each[list(longer)], numpy.delete(each, longer)
        variance = sum(half.var() / 3 for half in halves)
        changes.append((halves[0].mean() - halves[1].mean()) / math.sqrt(variance + 1e-12))
    observed = changes[-1]  # of the last three
    more = sum(change >= observed - 1e-9 for change in changes)
    less = sum(change <= observed + 1e-9 for change in changes)
    test = length_test(one_seed(*system), one_seed(*baseline), lengths)
    assert (test.most_words, test.shorter, test.longer) == (3, 0.0, 1.0)
    assert test.p_value == pytest.approx(2 * min(more, less) / len(changes))
    # The score of a half is that of its summed counts, not the mean of its sentences' scores.
    system = Counts(numpy.array([[2.0, 0, 4, 2]]), numpy.array([[2.0, 2, 8, 2]]))
    baseline = Counts(numpy.array([[0.0, 0, 2, 2]]), numpy.array([[3.0, 1, 8, 2]]))
    test = length_test(system, baseline, [1, 2, 3, 4])
    assert test.shorter == pytest.approx(2 / 4) and test.longer == pytest.approx(6 / 10 - 4 / 10)
    # By enumeration, with each sentence's influence on F1 over two seeds and uneven halves
    test = length_test(random_counts(7, sentences=7), random_counts(8, sentences=7), [1] * 4 + [5, 6, 7])
    assert test.p_value == pytest.approx(34 / 35)
    # Sentences of one length stay together.
    counts = one_seed(1, 0, 1, 0, 1)
    assert length_test(counts, counts, [4, 4, 4, 4, 9]).most_words == 4
    assert length_test(counts, counts, [1, 4, 4, 4, 4]).most_words == 1
    assert length_test(counts, counts, [4, 4, 4, 4, 4]) is None
    assert length_test(one_seed(1, 0, 1, 0), one_seed(1, 0, 1, 0), [1, 2, 2, 3]).most_words == 1  # a tie


def test_an_advantage_that_grows_with_length():
    random = numpy.random.default_rng(0)
    lengths = random.integers(3, 40, 400)

    def draw(chance):
        return Counts((random.random((5, 400)) < chance).astype(float), numpy.ones((5, 400)))

    baseline = draw(0.6)
    growing = length_test(draw(0.6 + 0.2 * (lengths > 20)), baseline, lengths)
    assert growing.p_value < 0.01 and growing.longer > growing.shorter + 0.1
    assert length_test(draw(0.7), baseline, lengths).p_value > 0.05  # equally better at all lengths


def test_short_sentences_have_fewer_words():
    """If both halves have the same true difference, p is below 0.05 in about 5% of the corpora."""
    random = numpy.random.default_rng(0)
    found = 0
    for _ in range(300):
        lengths = numpy.maximum(1, random.lognormal(2.3, 0.8, 200).astype(int))
        system, baseline = (
            Counts(random.binomial(lengths, chance)[None].astype(float), lengths[None].astype(float))
            for chance in (0.9, 0.85)
        )
        test = length_test(system, baseline, lengths, num_resamples=199)
        found += test.p_value < 0.05
    assert 5 <= found <= 24  # 15 is expected; without the division by the standard error it is 30
