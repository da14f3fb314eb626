"""The predictor `average`: the mean of the probabilities of several archives."""

import json
import tarfile

import numpy
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import archive_model
from allennlp.predictors import Predictor

from slstm_allennlp.console.main import main
from slstm_allennlp.predictors.average import _averaged

PAIR = {"premise": "A girl is throwing a ball.", "hypothesis": "A child is throwing something."}
INPUTS = {
    "classifier": [
        {"sentence": "A warm, funny film."},
        {"words": ["Dull", "."], "label": "0"},
        {"words": ["Fine", "."], "label": "1"},
    ],
    "pair_classifier": [PAIR, {**PAIR, "label": "entailment"}, {**PAIR, "label": "neutral"}],
}


@pytest.fixture(params=INPUTS)
def archives(request, tmp_path):
    """Return inputs, and two archives: a model, and the same with other weights in its last layer."""
    folder, other = request.getfixturevalue(request.param), tmp_path / "other"
    other.mkdir()
    with tarfile.open(folder / "model.tar.gz") as archive:
        archive.extractall(other, filter="data")
    weights = torch.load(other / "weights.th")
    torch.manual_seed(1)
    for name in list(weights)[-2:]:
        weights[name] = torch.randn_like(weights[name])
    torch.save(weights, other / "weights.th")
    archive_model(other, weights="weights.th")
    return INPUTS[request.param], str(folder / "model.tar.gz"), str(other / "model.tar.gz")


def test_the_mean_of_the_probabilities(archives):
    inputs, *paths = archives
    alone = [Predictor.from_path(path).predict_batch_json(inputs) for path in (paths[0], *paths)]
    predictor = Predictor.from_path(paths[0], "average", archives=paths)
    is_same = []
    for output, *outputs in zip(predictor.predict_batch_json(inputs), *alone, strict=True):
        expected = {
            name: numpy.mean([one["probabilities"][name] for one in outputs])
            for name in outputs[0]["probabilities"]
        }
        assert output.keys() == outputs[0].keys() and output.get("words") == outputs[0].get("words")
        assert output["probabilities"] == pytest.approx(expected, abs=1e-6)
        assert output["label"] == max(expected, key=expected.get)
        assert output.get("correct") in (None, output["label"] == output.get("gold"))
        is_same.append(output["label"] == outputs[0]["label"])
    first, blank = Predictor.from_path(paths[0]), predictor.of_sentence(" ")
    assert predictor.predict_json(blank) == first.predict_json(blank)
    assert [predictor.gold(each) for each in inputs] == [first.gold(each) for each in inputs]
    assert not all(is_same), "the second model changes no label: the test shows too little"
    with pytest.raises(ConfigurationError, match="given instances of a dataset reader, expected inputs"):
        predictor.predict_instance(predictor._predictors[0]._json_to_instance(inputs[0]))


def test_on_the_command_line(archives, tmp_path, capsys):
    inputs, first, second = archives
    path, arguments = tmp_path / "in.jsonl", json.dumps({"archives": [second]})
    path.write_text("".join(json.dumps(each) + "\n" for each in inputs))
    command = ["predict", first, str(path), "--predictor", "average", "--predictor-args", arguments]
    assert main(command) == 0
    console = capsys.readouterr()
    outputs = [json.loads(line) for line in console.out.splitlines()]
    right = sum(output.get("correct", False) for output in outputs)
    assert len(outputs) == 3 and f"correct: {right} of 2 ({50 * right:.2f} %)" in console.err


@pytest.mark.parametrize(
    "first, others, message",
    [
        ("classifier", [], r"archives is \[\], expected a list of files of other models "),
        ("classifier", None, r"archives is None, expected a list"),
        ("classifier", "model.tar.gz", r"archives is 'model.tar.gz', expected a list"),
        ("classifier", ["tagger"], "is for SentenceTagger, and the first model for TextClassifier, exp"),
        ("classifier", ["pair_classifier"], "is for SentencePair, and the first model for TextClassif"),
        (
            "tagger",
            ["tagger"],
            "the first model for SentenceTagger, expected two classifiers of texts, ",
        ),
    ],
)
def test_models_that_have_no_average(request, first, others, message):
    def path(name):
        return str(request.getfixturevalue(name) / "model.tar.gz")

    archives = [path(name) for name in others] if isinstance(others, list) else others
    with pytest.raises(ConfigurationError, match=message):
        Predictor.from_path(path(first), "average", archives=archives)


def test_models_of_other_classes(classifier, tmp_path):
    with tarfile.open(classifier / "model.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    labels = tmp_path / "vocabulary" / "labels.txt"
    labels.write_text(labels.read_text().replace("negative", "mixed"))
    archive_model(tmp_path, weights="weights.th")
    first, other = (str(folder / "model.tar.gz") for folder in (classifier, tmp_path))
    with pytest.raises(ConfigurationError, match=r"classes mixed, positive, expected .* negative, posi"):
        Predictor.from_path(first, "average", archives=[other])


def test_a_text_in_which_one_model_finds_no_words():
    read, blank = {"probabilities": {"a": 1.0}}, {"probabilities": {}}
    for outputs in ((read, blank), (blank, read)):
        assert _averaged(*outputs) == {"label": None, "probabilities": {}}
