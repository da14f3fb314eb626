"""A model's predictions beside their gold labels."""

import pytest
from allennlp.data import Instance, Token
from allennlp.data.fields import LabelField, MetadataField, SequenceLabelField, TextField

from slstm_allennlp.predictors.predictions import (
    Prediction,
    prediction_of,
    read_predictions,
    write_predictions,
)


def text(words):
    return TextField([Token(word) for word in words.split()])


RAINS = text("it rains")
TAGS = SequenceLabelField(["P", "V"], RAINS)


FOUND = [["a", "house"], ["one", "house"]]


TRANSLATION = {"source_tokens": "ein Haus", "target": "a house there"}


@pytest.mark.parametrize(
    "fields, output, expected",
    [
        # The label comes before other classes.
        (
            {"tokens": text("a good film"), "aspect": LabelField("plot"), "label": LabelField("pos")},
            {"aspect": "plot", "label": "neg", "tokens": ["a", "good", "film"], "probs": [0.1, 0.9]},
            Prediction(3, "pos", "neg", texts={"tokens": "a good film"}),
        ),
        # A pair has the words of both.
        (
            {"premise": text("a b c"), "hypothesis": text("d"), "label": LabelField("neutral")},
            {"label": "neutral"},
            Prediction(4, "neutral", "neutral", texts={"premise": "a b c", "hypothesis": "d"}),
        ),
        # Tags of padding are left out.
        (
            {"tokens": RAINS, "tags": TAGS},
            {"tags": ["P", "N", "N", "N"]},
            Prediction(2, ["P", "V"], ["P", "N"], texts={"tokens": "it rains"}),
        ),
        # Labels that the model does not predict are no gold.
        (
            {"tokens": RAINS, "pos": TAGS, "meta": MetadataField({})},
            {"tags": ["P", "V"]},
            Prediction(2, output={"tags": ["P", "V"]}, texts={"tokens": "it rains"}),
        ),
        # Without labels, the words that it gives are kept.
        (
            {"source_tokens": text("ein Haus"), "target": text("@start@ a house there @end@")},
            {"predicted_tokens": FOUND, "loss": 0.5, "ids": [[1, 2]], "nothing": []},
            Prediction(2, output={"predicted_tokens": FOUND}, texts=TRANSLATION),
        ),
    ],
)
def test_a_prediction_from_an_instance_and_its_output(fields, output, expected):
    assert prediction_of(Instance(fields), output) == expected


def test_too_few_tags():
    with pytest.raises(ValueError, match="gives 1 tags for 2 words, expected one for each"):
        prediction_of(Instance({"tokens": RAINS, "tags": TAGS}), {"tags": ["P"]})


def test_predictions_come_back_from_their_file(tmp_path):
    predictions = [
        Prediction(2, "gut", "schlecht", texts={"tokens": "schön da"}),
        Prediction(1, ["N"], ["V"]),
        Prediction(3, output={"words": ["é"]}),
    ]
    write_predictions(tmp_path / "p.jsonl", predictions)
    assert len((tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert read_predictions(tmp_path / "p.jsonl") == predictions
