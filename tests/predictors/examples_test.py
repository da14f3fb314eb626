"""Inputs of `allennlp predict`: files of the training data's format, JSON and plain text."""

import io
import json
import sys

import pytest
from allennlp.predictors import Predictor

from slstm_allennlp.console.predict import PredictManager
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.tokenizers import SpacyBlankTokenizer
from tests.conftest import ROOT, SMALL


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


def test_conllu(predict):
    outputs = predict("tagger", "pos/dev.conllu")
    assert len(outputs) == 100
    assert all(len(output["gold"]) == len(output["tags"]) for output in outputs)
    assert all(output["correct"] == (output["gold"] == output["tags"]) for output in outputs)
    right = sum(g == t for one in outputs for g, t in zip(one["gold"], one["tags"]))
    assert right > 0


def test_columns_of_entities_in_a_txt(predict):
    outputs = predict("entities", "ner/dev.txt")
    assert len(outputs) > 10 and all(len(one["gold"]) == len(one["words"]) for one in outputs)


def test_columns_of_tags(trained, tmp_path):
    """A tagger that was trained on such a file also predicts from it."""
    (tmp_path / "tags.txt").write_text("It\tPRON\nrains\tVERB\n\nRosa\tPROPN\n")
    overrides = {
        **SMALL,
        "dataset_reader": {"type": "tagged_text", "format": "columns"},
        "train_data_path": str(tmp_path / "tags.txt"),
        "validation_data_path": str(tmp_path / "tags.txt"),
        "test_data_path": None,
        "trainer.num_epochs": 1,
        "model.text_field_embedder.token_embedders": {
            "tokens": {"type": "embedding", "embedding_dim": 60}
        },
    }
    del overrides["model.text_field_embedder.token_embedders.tokens.embedding_dim"]
    folder = trained("columns", "pos_slstm", overrides)
    predictor = Predictor.from_path(str(folder / "model.tar.gz"))
    examples = list(read_examples(str(tmp_path / "tags.txt"), predictor))
    gold = [one["gold"] for one in predictor.predict_batch_json(examples)]
    assert gold == [["PRON", "VERB"], ["PROPN"]]


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


@pytest.mark.parametrize(
    "name, file, fixture",
    [
        ("classifier", "mr#test", "classifier"),  # a part of a corpus that is a folder
        ("pairs", "snli/test.jsonl", "pair_classifier"),
    ],
)
def test_accuracy_is_that_of_training(predict, request, name, file, fixture):
    right = [output["correct"] for output in predict(name, file) if "gold" in output]
    metrics = json.loads((request.getfixturevalue(fixture) / "metrics.json").read_text())
    assert sum(right) / len(right) == pytest.approx(metrics["test_accuracy"])


def test_pairs(predict):
    outputs = predict("pairs", "snli/dev.jsonl")
    lines = (ROOT / "fixtures" / "snli" / "dev.jsonl").read_text().splitlines()
    assert len(outputs) == len(lines)
    for line, output in zip(map(json.loads, lines), outputs):
        gold = line["gold_label"]
        assert ("gold" in output) == (gold != "-")
        assert gold == "-" or output["gold"] == gold


@pytest.mark.parametrize(
    "file, text, message",
    [
        ("bad.jsonl", '{"sentence": "It"}\n\n{"text": 3}\n', "bad.jsonl, line 3: text is 3, expected"),
        ("bad.jsonl", '{"sentence": "a", "text": "b"}\n', "bad.jsonl, line 1: the input is"),
        ("bad.txt", '{"sentence": "It"}\nIt\n', "bad.txt, line 2: 'It' is not JSON"),
        ("bad.conllu", "1\tIt\n", "bad.conllu, line 1: 2 columns between tabs, expected the 10"),
        ("none.conllu", None, "none.conllu: cannot be read"),
        ("empty.txt", "", "empty.txt: the file is empty"),
    ],
)
def test_what_cannot_be_read(predictors, tmp_path, file, text, message):
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=message):
        list(read_examples(str(tmp_path / file), predictors["tagger"]))


@pytest.mark.parametrize(
    "text, expected",
    [
        ('{"text": "It rains"}\n\n', [{"text": "It rains"}, {"sentence": ""}]),
        ("\nIt rains\n", [{"sentence": ""}, {"sentence": "It rains"}]),
    ],
)
def test_the_standard_input(predictors, monkeypatch, text, expected):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert list(read_examples("-", predictors["tagger"])) == expected


def test_the_readers_examples(tmp_path):
    from slstm_allennlp.dataset_readers import QuoraParaphraseReader, StanfordSentimentTreebankReader

    (tmp_path / "pairs.tsv").write_text("1\tIs it?\tIt is?\t7\n")
    (pair,) = QuoraParaphraseReader(tokenizer=SpacyBlankTokenizer()).examples(
        str(tmp_path / "pairs.tsv")
    )
    assert pair == {"premise": "Is it?", "hypothesis": "It is?", "label": "1"}
    (tmp_path / "trees.txt").write_text("(3 (2 a) (4 film))\n(2 (2 a) (2 film))\n")
    trees = StanfordSentimentTreebankReader(granularity="2-class").examples(str(tmp_path / "trees.txt"))
    assert list(trees) == [{"words": ["a", "film"], "label": "3"}]


def test_pairs_as_plain_text(predict, predictors):
    """A tab separates the sentences of a pair."""
    outputs = predict("pairs", "pairs.txt", "Rosa sleeps .\tNobody is awake .\nIt rains .\tIt rains .\n")
    texts = [("Rosa sleeps .", "Nobody is awake ."), ("It rains .", "It rains .")]
    pairs = [{"premise": premise, "hypothesis": hypothesis} for premise, hypothesis in texts]
    expected = predictors["pairs"].predict_batch_json(pairs)
    assert [output["probabilities"] for output in outputs] == [
        pytest.approx(one["probabilities"]) for one in expected
    ]
    assert outputs[0]["probabilities"] != outputs[1]["probabilities"]
