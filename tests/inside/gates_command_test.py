"""allennlp cas-lstm-gates, as a user types it."""

import json

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import ROOT

SIZES = {
    "model.text_field_embedder.token_embedders.tokens.embedding_dim": 6,
    "model.seq2vec_encoder.input_size": 6,
    "model.seq2vec_encoder.hidden_size": 5,
    "trainer.num_epochs": 1,
}


@pytest.fixture(scope="module")
def pair_classifier(trained):
    overrides = {
        **SIZES,
        "model.feedforward.hidden_dims": 6,
        "model.seq2vec_encoder.num_layers": 3,
        "model.seq2vec_encoder.bidirectional": True,
    }
    return trained("three_layers", "snli_cas_lstm", overrides)


@pytest.fixture(scope="module")
def text_classifier(trained):
    overrides = {
        **SIZES,
        "model.seq2seq_encoder.input_dim": 6,
        "model.feedforward.input_dim": 5,
        "model.feedforward.hidden_dims": 6,
        "dataset_reader.max_instances": 40,
    }
    return trained("sst2_cas_lstm", "sst2_cas_lstm", overrides)


@pytest.fixture
def gates(allennlp, tmp_path):
    """Run the command in this process, and return its report."""

    def run(*arguments):
        allennlp("cas-lstm-gates", *arguments, "--output-dir", tmp_path / "gates")
        picture = (tmp_path / "gates" / "gates.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
        return json.loads((tmp_path / "gates" / "gates.json").read_text())

    return run


def test_pairs_of_a_three_layer_model(gates, pair_classifier, capsys):
    path = ROOT / "fixtures" / "snli" / "raw.jsonl"
    report = gates(pair_classifier / "model.tar.gz", path)
    assert report["lines"] == 3
    places = [(place["layer"], place["direction"]) for place in report["places"]]
    assert places == [(2, "forward"), (2, "backward"), (3, "forward"), (3, "backward")]
    words = sum(
        len(sentence.rstrip(".").split()) + 1
        for line in path.read_text().splitlines()
        for sentence in json.loads(line).values()
    )
    for place in report["places"]:
        assert place["range"]["count"] == words
        assert place["gate"]["count"] == place["difference"]["count"] == 5 * words
        assert 0 < place["gate"]["mean"] < 1
    assert "layer 3, backward: gate 0." in capsys.readouterr().out


def test_a_sample_of_plain_text(gates, text_classifier, tmp_path):
    (tmp_path / "sentences.txt").write_text("A good film .\n\nBad\nSo slow\n")
    report = gates(text_classifier / "model.tar.gz", tmp_path / "sentences.txt")
    assert report["lines"] == 4 and report["places"][0]["range"]["count"] == 7
    sample = [text_classifier / "model.tar.gz", tmp_path / "sentences.txt", "--sample", 2, "--seed", 1]
    assert gates(*sample)["lines"] == 2
    assert gates(*sample) == gates(*sample)


def test_a_file_that_it_was_trained_on(gates, text_classifier):
    path = ROOT / "fixtures" / "sst" / "dev.txt"
    report = gates(text_classifier / "model.tar.gz", path, "--sample", 5)
    assert report["lines"] == 5 and report["places"][0]["range"]["count"] > 5


def test_no_words(gates, text_classifier, tmp_path):
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(ConfigurationError, match=r"blank\.txt: no words in the file"):
        gates(text_classifier / "model.tar.gz", tmp_path / "blank.txt")


@pytest.mark.parametrize("option", ["--sample", "--batch-size"])
def test_numbers_below_one(gates, text_classifier, option, capsys):
    with pytest.raises(SystemExit):
        gates(text_classifier / "model.tar.gz", "sentences.txt", option, "0")
    assert f"{option}: it is '0', expected a number of at least 1" in capsys.readouterr().err


def test_an_archive_without_a_cas_lstm(gates, classifier):
    archive = classifier / "model.tar.gz"
    with pytest.raises(ConfigurationError, match=f"{archive}: BasicClassifier has no CAS-LSTM"):
        gates(archive, ROOT / "fixtures" / "mr" / "raw.jsonl")
