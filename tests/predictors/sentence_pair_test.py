import json

import pytest
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from tests.conftest import ROOT

PAIR = {"premise": "A girl is throwing a ball.", "hypothesis": "A child is throwing something."}


@pytest.fixture(scope="module")
def predictor(pair_classifier):
    """The model's default predictor, from an archive."""
    return Predictor.from_archive(load_archive(pair_classifier / "model.tar.gz"))


def test_pairs_of_raw_text(predictor):
    lines = (ROOT / "fixtures" / "snli" / "raw.jsonl").read_text().splitlines()
    pairs = [predictor.load_line(line) for line in lines]
    results = predictor.predict_batch_json(pairs)
    assert len(results) == len(pairs) == 3
    for pair, result in zip(pairs, results):
        assert set(result) == {"label", "probabilities"}
        assert set(result["probabilities"]) == {"entailment", "neutral", "contradiction"}
        assert sum(result["probabilities"].values()) == pytest.approx(1)
        assert result["label"] == max(result["probabilities"], key=result["probabilities"].get)
        alone = predictor.predict_json(pair)["probabilities"]
        assert alone == pytest.approx(result["probabilities"], abs=1e-5)
        assert json.loads(predictor.dump_line(result)) == result


def test_lines_of_the_corpora_themselves(predictor):
    """The keys of SNLI are accepted, and others are ignored."""
    line = {"gold_label": "hidden", "sentence1": PAIR["premise"], "sentence2": PAIR["hypothesis"]}
    assert predictor.predict_json(line) == predictor.predict_json(PAIR)


def test_a_sentence_without_words(predictor):
    """It gets no label, and the others are predicted."""
    inputs = [PAIR, {**PAIR, "hypothesis": " "}, {"sentence1": "", "sentence2": "A dog."}, PAIR]
    first, *nothing, last = predictor.predict_batch_json(inputs)
    assert first["label"] == last["label"] is not None
    assert nothing == [{"label": None, "probabilities": {}}] * 2
    assert predictor.predict_json(inputs[1]) == nothing[0]


def test_a_pair_that_the_reader_combines(predictor, monkeypatch):
    """It is one text field. A pair with an empty sentence has no label there, either."""
    reader = predictor._dataset_reader
    monkeypatch.setattr(reader, "_combine_input_fields", True)
    assert predictor._instance_of_words({**PAIR, "hypothesis": " "}) is None
    assert len(predictor._instance_of_words(PAIR)["tokens"]) == 13
