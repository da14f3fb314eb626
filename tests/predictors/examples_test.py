"""Inputs of `allennlp predict`: files of the training data's format, JSON and plain text."""

import json

import pytest

from slstm_allennlp.console.predict import PredictManager
from tests.conftest import ROOT


@pytest.fixture
def predict(predictors, tmp_path):
    """Run `allennlp predict` on a file, and return its output."""

    def run(name, file, text=None):
        path = ROOT / "fixtures" / file if text is None else tmp_path / file
        if text is not None:
            path.write_text(text)
        output = tmp_path / "out.jsonl"
        PredictManager(predictors[name], str(path), str(output), 8, False, False).run()
        return [json.loads(line) for line in output.read_text().splitlines()]

    return run


@pytest.mark.parametrize("name, file", [("tagger", "pos/dev.conllu"), ("entities", "ner/dev.txt")])
def test_a_corpus(predict, name, file):
    outputs = predict(name, file)
    assert len(outputs) == 100
    for one in outputs:
        assert len(one["gold"]) == len(one["tags"])
        assert one["correct"] == (one["gold"] == one["tags"])
    assert any(g == t for one in outputs for g, t in zip(one["gold"], one["tags"]))


@pytest.mark.parametrize("file", ["plain.txt", "plain"])
@pytest.mark.parametrize("name", ["tagger", "entities", "classifier"])
def test_plain_text_with_its_blank_lines(predict, name, file):
    """Also if each line has two words, like the format of a word and its tag."""
    outputs = predict(name, file, "It rains\n\nRosa sleeps\n")
    assert [output["words"] for output in outputs] == [["It", "rains"], [], ["Rosa", "sleeps"]]
    assert not any("gold" in output for output in outputs)


def test_labelled_lines(predict):
    text = '{"text": "a fine film", "label": "positive"}\n\n{"text": "a fine film", "label": "x"}\n'
    first, blank, second = predict("classifier", "labelled.jsonl", text)
    assert first["gold"] == "positive" and first["correct"] == (first["label"] == "positive")
    assert blank["label"] is None and blank["words"] == [] and "gold" not in blank
    assert second["gold"] == "x" and second["correct"] is False
    assert predict("classifier", "labelled.txt", text) == [first, blank, second]


def test_pairs(predict, predictors):
    outputs = predict("pairs", "snli/dev.jsonl")
    lines = (ROOT / "fixtures" / "snli" / "dev.jsonl").read_text().splitlines()
    assert len(outputs) == len(lines)
    for line, output in zip(map(json.loads, lines), outputs):
        assert output.get("gold", "-") == line["gold_label"]
    # In plain text, a tab separates the sentences of a pair.
    pair = {"premise": "Rosa sleeps .", "hypothesis": "Nobody is awake ."}
    expected = predictors["pairs"].predict_json(pair)["probabilities"]
    (output,) = predict("pairs", "pairs.txt", "\t".join(pair.values()) + "\n")
    assert output["probabilities"] == pytest.approx(expected)
