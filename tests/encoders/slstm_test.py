"""What only the encoders registered as "slstm" have. encoders_test.py compares them with "lstm"."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder

ROLES = (Seq2SeqEncoder, Seq2VecEncoder)


def build(role, **params):
    return role.from_params(Params({"type": "slstm", "input_size": 4, "hidden_size": 6, **params}))


def batch():
    return torch.randn(3, 5, 4), torch.arange(5) < torch.tensor([5, 2, 3]).unsqueeze(1)


def test_in_a_character_encoder():
    embedding = Embedding(embedding_dim=4, num_embeddings=9)
    encoder = TokenCharactersEncoder(embedding, build(Seq2VecEncoder))
    characters = torch.tensor([[[3, 4, 5], [6, 0, 0], [0, 0, 0]]])
    output = encoder(characters)
    assert output.shape == (1, 3, 6) and output[0, 1].any() and not output[0, 2].any()


@pytest.mark.parametrize("role", ROLES)
def test_dropout_in_training_only(role):
    encoder, (inputs, mask) = build(role, dropout=0.5), batch()
    assert not torch.equal(encoder(inputs, mask), encoder(inputs, mask))
    assert (encoder(torch.ones(64, 5, 4)) == 0).float().mean() > 0.4
    # Dropout applies to the inputs as well: outputs that are kept change, too.
    dropped = encoder(inputs, mask)
    encoder.eval()
    kept = dropped != 0
    assert not torch.allclose(dropped[kept], 2 * encoder(inputs, mask)[kept])
    assert torch.equal(encoder(inputs, mask), encoder(inputs, mask))


LSTM_KEYS = {"bidirectional": False, "num_layers": 2, "bias": False, "stateful": True}
LSTM_KEYS["recurrent_dropout_probability"] = 0.1


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("keys", [*([key] for key in LSTM_KEYS), list(LSTM_KEYS)])
def test_keys_that_only_an_lstm_has(role, keys):
    names = ", ".join(f'"{key}"' for key in keys)
    end, these = ("", "it") if len(keys) == 1 else ("s", "them")
    advice = f"slstm has no key{end} {names}: an S-LSTM reads both ways, .*; remove {these} and keep hid"
    with pytest.raises(ConfigurationError, match=advice):
        build(role, **{key: LSTM_KEYS[key] for key in keys})


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "params, message",
    [
        ({"num_steps": 0}, "slstm: num_steps is 0, expected an integer of at least 1"),
        ({"transition": "fast"}, r"slstm: transition: unknown preset 'fast', did you mean 'fastnlp'\?$"),
        ({"transition": "released"}, "slstm: input_size is 4 and hidden_size is 6, expected equal"),
        ({"dropout": 1.5}, r"slstm: dropout is 1\.5, expected a rate from 0 to 1"),
        ({"dropout": None}, "slstm: dropout is None, expected a rate from 0 to 1"),
    ],
)
def test_configs_out_of_range(role, params, message):
    with pytest.raises(ConfigurationError, match=message):
        build(role, **params)
