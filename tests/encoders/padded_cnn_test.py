"""AllenNLP's CNN for texts, and words of characters, that are shorter than its filters."""

import pytest
import torch
from allennlp.common import Params
from allennlp.modules import Seq2VecEncoder
from allennlp.modules.seq2vec_encoders import CnnEncoder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder

from slstm_allennlp.encoders import PaddedCnnEncoder

SIZES = {"embedding_dim": 4, "num_filters": 3, "ngram_filter_sizes": [2, 5]}


@pytest.fixture
def cnn():
    return Seq2VecEncoder.from_params(Params({"type": "cnn", **SIZES}))


@pytest.mark.parametrize("lengths", [(5, 7), (1, 6), (3, 5)])
def test_with_a_text_of_its_length_it_is_allennlps(cnn, lengths):
    stock = CnnEncoder(4, 3, (2, 5))
    stock.load_state_dict(cnn.state_dict())
    tokens = torch.randn(2, max(lengths), 4)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    assert type(cnn) is PaddedCnnEncoder and torch.equal(cnn(tokens, mask), stock(tokens, mask))


@pytest.mark.parametrize("length", (1, 2, 4))
def test_a_short_text_is_as_beside_a_longer_one(cnn, length):
    tokens = torch.randn(2, 6, 4)
    mask = torch.arange(6) < torch.tensor([[length], [6]])
    expected = cnn(tokens, mask)[:1]
    for alone in (mask[:1, :length], None):
        torch.testing.assert_close(cnn(tokens[:1, :length], alone), expected)


def test_short_words_of_characters(cnn):
    words = TokenCharactersEncoder(Embedding(4, num_embeddings=9), cnn)
    assert words(torch.tensor([[[3], [0]]])).shape == (1, 2, 6)
