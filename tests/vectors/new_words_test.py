"""Prediction for words that did not occur in training."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.console.main import main
from tests.conftest import SMALL, train

TOKENS = "model.text_field_embedder.token_embedders.tokens"
WORDS = ["the", "zebra", "quagga"]
TEXT = {"words": ["the", "zebra", "Quagga", "neverseen"]}


def rows(archive):
    embedder = archive.model.text_field_embedder.token_embedder_tokens
    index = archive.model.vocab.get_token_to_index_vocabulary("tokens")
    return {word: embedder.weight[number] for word, number in index.items()}


@pytest.mark.parametrize("trainable", (False, True))
def test_vectors_are_those_of_all_words_of_the_source(tmp_path, monkeypatch, trainable):
    vectors, run = tmp_path / "vectors.txt", tmp_path / "run"
    vectors.write_text("the 0 1 2\nzebra 1 1 2\nquagga 2 1 2\na 3 1 2\nof 4 1 2\n")
    options = {"vectors": str(vectors), "embedding_dim": 3, "trainable": trainable}
    overrides = {**SMALL, **{f"{TOKENS}.{key}": value for key, value in options.items()}}
    del overrides["model.encoder.input_size"]  # the config computes it
    archive = load_archive(train(run, "pos_slstm", overrides) / "model.tar.gz")
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
    # `evaluate` scores what `predict` predicts. Here, it is also what AllenNLP's option does.
    new = tmp_path / "new.conllu"
    new.write_text(
        "".join(f"{n}\t{word}\t_\tNOUN\tNN\t_\t0\t_\t_\t_\n" for n, word in enumerate(WORDS, 1))
    )
    losses = []
    for options in ([], ["--extend-vocab"]):
        file = tmp_path / "metrics.json"
        command = ["evaluate", str(run / "model.tar.gz"), str(new), "--output-file", str(file)]
        assert main([*command, *options]) == 0
        losses.append(json.loads(file.read_text())["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    # A word that another thread is about to learn is not read before it has its vector.
    archive = load_archive(run / "model.tar.gz")
    predictor, extend = Predictor.from_archive(archive), archive.model.extend_embedder_vocab

    def slow():
        time.sleep(0.2)
        extend()

    monkeypatch.setattr(archive.model, "extend_embedder_vocab", slow)
    with ThreadPoolExecutor(2) as threads:
        results = [threads.submit(predictor.predict_json, TEXT) for _ in range(2)]
        assert [result.result() for result in results] == [first, first]
    # Without the source, the archive predicts all the same.
    vectors.unlink()
    archive = load_archive(run / "model.tar.gz")
    assert len(Predictor.from_archive(archive).predict_json(TEXT)["tags"]) == 4
    assert "zebra" not in rows(archive)
