"""The scores of predictions as counts per sentence."""

import numpy
import pytest

from slstm_allennlp.comparison.counts import counts_of
from slstm_allennlp.predictors.predictions import Prediction


def test_accuracy_of_classes():
    one = [Prediction(2, "a", "a"), Prediction(3, "b", "a"), Prediction(4, "b", "b")]
    two = [Prediction(2, "a", "b"), Prediction(3, "b", "a"), Prediction(4, "b", "b")]
    counts = counts_of([one, two])
    assert counts.numerators.tolist() == [[1, 0, 1], [0, 0, 1]]
    assert counts.scores().tolist() == pytest.approx([2 / 3, 1 / 3])
    assert counts.of(numpy.array([0, 2])).scores().tolist() == [1, 0.5]


def test_accuracy_of_tags_counts_words():
    counts = counts_of([[Prediction(3, ["N", "V", "N"], ["N", "V", "V"]), Prediction(1, ["N"], ["V"])]])
    assert (counts.numerators.tolist(), counts.denominators.tolist()) == ([[2, 0]], [[3, 1]])
    assert counts.scores().tolist() == [0.5]


def test_span_f1_counts_spans():
    """One of two gold spans is predicted, and a wrong one: 2 · 1 / (2 + 2). Sentence 2 has no spans."""
    gold = ["B-PER", "I-PER", "O", "B-LOC"]
    predicted = ["B-PER", "I-PER", "O", "B-ORG"]
    counts = counts_of([[Prediction(4, gold, predicted), Prediction(1, ["O"], ["O"])]], "BIO")
    assert (counts.numerators.tolist(), counts.denominators.tolist()) == ([[2, 0]], [[4, 0]])
    assert counts.scores().tolist() == [0.5]


def test_f1_without_spans_is_not_a_known_score():
    """With a span that is predicted but not gold, F1 is known: it is 0."""
    nothing, wrong = Prediction(1, ["O"], ["O"]), Prediction(1, ["O"], ["B-PER"])
    assert counts_of([[nothing], [wrong]], "BIO").known_scores() == [0]
    neither = counts_of([[nothing], [nothing]], "BIO")
    assert neither.known_scores() == [] and neither.scores().tolist() == [0, 0]
