"""Predictions, and their scores as counts per sentence."""

import numpy
import pytest
from allennlp.data import Instance, Token
from allennlp.data.fields import LabelField, MetadataField, SequenceLabelField, TextField

from slstm_allennlp.comparison.counts import counts_of
from slstm_allennlp.comparison.predictions import (
    Prediction,
    prediction_of,
    read_predictions,
    write_predictions,
)


def text(words):
    return TextField([Token(word) for word in words.split()])


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


def test_f1_without_spans_is_zero():
    assert counts_of([[Prediction(1, ["O"], ["O"])]], "BIO").scores().tolist() == [0]


def test_f1_without_spans_is_not_a_known_score():
    """With a span that is predicted but not gold, F1 is known: it is 0."""
    nothing, wrong = Prediction(1, ["O"], ["O"]), Prediction(1, ["O"], ["B-PER"])
    assert counts_of([[nothing], [wrong]], "BIO").known_scores() == [0]
    assert counts_of([[nothing], [nothing]], "BIO").known_scores() == []


def test_a_class_goes_by_its_fields_name():
    instance = Instance({"tokens": text("a good film"), "label": LabelField("pos")})
    output = {"label": "neg", "tokens": ["a", "good", "film"], "probs": [0.1, 0.9]}
    assert prediction_of(instance, output) == Prediction(
        3, "pos", "neg", texts={"tokens": "a good film"}
    )


def test_the_label_comes_before_other_classes():
    fields = {"tokens": text("it"), "aspect": LabelField("plot"), "label": LabelField("pos")}
    prediction = prediction_of(Instance(fields), {"aspect": "plot", "label": "neg"})
    assert (prediction.gold, prediction.predicted) == ("pos", "neg")


def test_a_pair_has_the_words_of_both():
    fields = {"premise": text("a b c"), "hypothesis": text("d"), "label": LabelField("neutral")}
    prediction = prediction_of(Instance(fields), {"label": "neutral"})
    assert prediction.length == 4
    assert prediction.texts == {"premise": "a b c", "hypothesis": "d"}


def test_tags_of_padding_are_left_out():
    words = text("it rains")
    instance = Instance({"tokens": words, "tags": SequenceLabelField(["P", "V"], words)})
    output = {"tags": ["P", "N", "N", "N"]}
    assert prediction_of(instance, output) == Prediction(
        2, ["P", "V"], ["P", "N"], texts={"tokens": "it rains"}
    )
    with pytest.raises(ValueError, match="gives 1 tags for 2 words, expected one for each"):
        prediction_of(instance, {"tags": ["P"]})


def test_without_labels_the_words_that_it_gives_are_kept():
    fields = {"source_tokens": text("ein Haus"), "target": text("a house there")}
    words = [["a", "house"], ["one", "house"]]
    output = {"predicted_tokens": words, "loss": 0.5, "ids": [[1, 2]], "nothing": []}
    prediction = prediction_of(Instance(fields), output)
    assert (prediction.length, prediction.gold, prediction.predicted) == (2, None, None)
    assert prediction.output == {"predicted_tokens": words}
    assert prediction.texts == {"source_tokens": "ein Haus"}


def test_labels_that_the_model_does_not_predict_are_no_gold():
    words = text("it rains")
    fields = {"tokens": words, "pos": SequenceLabelField(["P", "V"], words), "meta": MetadataField({})}
    assert prediction_of(Instance(fields), {"tags": ["P", "V"]}).gold is None


def test_predictions_come_back_from_their_file(tmp_path):
    predictions = [
        Prediction(2, "gut", "schlecht", texts={"tokens": "schön da"}),
        Prediction(1, ["N"], ["V"]),
        Prediction(3, output={"words": ["é"]}),
    ]
    write_predictions(tmp_path / "p.jsonl", predictions)
    assert len((tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert read_predictions(tmp_path / "p.jsonl") == predictions
