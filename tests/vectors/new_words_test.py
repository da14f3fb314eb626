"""Prediction for words that did not occur in training."""

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from tests.conftest import ROOT, SMALL

TOKENS = "model.text_field_embedder.token_embedders.tokens"
TEXT = {"words": ["the", "zebra", "Quagga", "neverseen"]}


@pytest.fixture
def vectors(tmp_path):
    path = tmp_path / "vectors.txt"
    words = ("the", "zebra", "quagga", "a", "of")
    path.write_text("".join(f"{word} {number} 1 2\n" for number, word in enumerate(words)))
    return path


def train(tmp_path, vectors, **options):
    overrides = {
        **SMALL,
        f"{TOKENS}.vectors": str(vectors),
        f"{TOKENS}.embedding_dim": 3,
        **{f"{TOKENS}.{key}": value for key, value in options.items()},
        "trainer.num_epochs": 1,
    }
    del overrides["model.encoder.input_size"]  # the config computes it
    config = str(ROOT / "training_config" / "pos_slstm.jsonnet")
    train_model_from_file(config, str(tmp_path / "run"), overrides=overrides)
    return load_archive(tmp_path / "run" / "model.tar.gz")


def rows(archive):
    embedder = archive.model.text_field_embedder.token_embedder_tokens
    index = archive.model.vocab.get_token_to_index_vocabulary("tokens")
    return {word: embedder.weight[number] for word, number in index.items()}


def test_fixed_vectors_are_those_of_all_words_of_the_source(tmp_path, vectors):
    archive = train(tmp_path, vectors, trainable=False)
    assert "zebra" not in rows(archive)
    predictor = Predictor.from_archive(archive)
    first = predictor.predict_json(TEXT)
    after = rows(archive)
    assert "neverseen" not in after
    # Proportional to the vectors in the file.
    torch.testing.assert_close(after["zebra"] / after["zebra"][1], torch.tensor([1.0, 1.0, 2.0]))
    torch.testing.assert_close(after["quagga"] / after["quagga"][1], torch.tensor([2.0, 1.0, 2.0]))
    assert predictor.predict_json(TEXT) == first
    assert len(rows(archive)) == len(after)
    # Without the source, the archive predicts all the same.
    vectors.unlink()
    archive = load_archive(tmp_path / "run" / "model.tar.gz")
    assert len(Predictor.from_archive(archive).predict_json(TEXT)["tags"]) == 4
    assert "zebra" not in rows(archive)


def test_tuned_vectors_stay_those_of_training(tmp_path, vectors):
    archive = train(tmp_path, vectors)
    before = len(rows(archive))
    Predictor.from_archive(archive).predict_json(TEXT)
    assert len(rows(archive)) == before
