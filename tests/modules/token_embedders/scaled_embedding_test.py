"""Vectors at the scale that was asked for, but those of a file as they stand there."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.modules import TokenEmbedder
from allennlp.modules.token_embedders import Embedding


def vocabulary(*words):
    return Vocabulary(tokens_to_add={"tokens": list(words)})


def embedder(vocab, **options):
    options = {"type": "scaled_embedding", "embedding_dim": 2000, **options}
    torch.manual_seed(1)
    return TokenEmbedder.from_params(Params(options), vocab=vocab)


def scales(vectors):
    return vectors.std(dim=1), vectors.mean(dim=1)


@pytest.mark.parametrize("options, std", (({}, 0.1), ({"std": 2.0}, 2.0)), ids=str)
def test_the_scale(options, std):
    vectors = embedder(vocabulary("a", "b"), **options).weight
    assert vectors.shape == (4, 2000) and vectors.requires_grad
    measured, mean = scales(vectors)
    torch.testing.assert_close(measured, torch.full((4,), std), rtol=0.05, atol=0)
    assert (mean.abs() < 0.1 * std).all()


def test_padding_is_zero_where_it_is_named():
    vectors = embedder(vocabulary("a"), padding_index=0).weight
    assert not vectors[0].any() and vectors[1:].all()


def test_a_file_goes_first(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("a 5 6\nb 7 9\n")
    options = {"embedding_dim": 2, "pretrained_file": str(file)}
    ours = embedder(vocabulary("a", "b"), **options)
    assert ours.weight[2:].tolist() == [[5, 6], [7, 9]]
    torch.manual_seed(1)
    stock = Embedding(vocab=vocabulary("a", "b"), **options)
    assert torch.equal(ours.weight, stock.weight)
    ours.extend_vocab(vocabulary("a", "b", "c"))
    assert ours.weight[2:4].tolist() == [[5, 6], [7, 9]]


def test_new_words_are_like_the_others():
    ours = embedder(vocabulary("a", "b"))
    before = ours.weight.detach().clone()
    ours.extend_vocab(vocabulary("a", "b", "c", "d"))
    assert torch.equal(ours.weight[:4], before)
    torch.testing.assert_close(scales(ours.weight[4:])[0], torch.full((2,), 0.1), rtol=0.05, atol=0)


@pytest.mark.parametrize("std", (0, -1.0, float("nan")))
def test_a_scale_that_is_none(std):
    with pytest.raises(ConfigurationError, match=rf"std is {std}, expected a number above 0"):
        embedder(vocabulary("a"), std=std)
