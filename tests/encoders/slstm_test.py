"""The encoders registered as "slstm", as Seq2SeqEncoder and Seq2VecEncoder, compared with "lstm"."""

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder

from slstm_allennlp.modules import SentenceStateLSTM

ROLES = (Seq2SeqEncoder, Seq2VecEncoder)


def build(role, **params):
    return role.from_params(Params({"type": "slstm", "input_size": 4, "hidden_size": 6, **params}))


def batch():
    return torch.randn(3, 5, 4), torch.arange(5) < torch.tensor([5, 2, 3]).unsqueeze(1)


@pytest.mark.parametrize("role", ROLES)
def test_swap_in_a_config(role):
    """The common keys of "lstm" and "slstm" have the same meaning, and so do their methods."""
    inputs, mask = batch()
    lstm, slstm = build(role, type="lstm"), build(role)
    assert slstm.get_input_dim() == lstm.get_input_dim() == 4
    assert slstm.get_output_dim() == lstm.get_output_dim() == 6
    assert slstm(inputs, mask).shape == lstm(inputs, mask).shape
    assert slstm(inputs, None).shape == lstm(inputs, None).shape
    torch.testing.assert_close(slstm(inputs), slstm(inputs, torch.ones(3, 5, dtype=torch.bool)))
    if role is Seq2SeqEncoder:
        assert slstm.is_bidirectional() is lstm.is_bidirectional() is False
        assert not slstm(inputs, mask)[~mask].any() and not lstm(inputs, mask)[~mask].any()


@pytest.mark.parametrize("role", ROLES)
def test_computes_what_the_module_computes(role):
    options = {
        "num_steps": 2,
        "window_size": 2,
        "num_sentence_nodes": 2,
        "boundary": True,
        "transition": {"preset": "fastnlp", "gate_normalization": "sigmoid_softmax"},
        "layer_norm": True,
    }
    torch.manual_seed(5)
    module = SentenceStateLSTM(4, 6, **options)
    torch.manual_seed(5)
    encoder = build(role, **options)
    inputs, mask = batch()
    words, sentence = module(inputs, mask)
    assert torch.equal(encoder(inputs, mask), words if role is Seq2SeqEncoder else sentence)


@pytest.mark.parametrize("role", ROLES)
def test_masks_of_integers_and_rows_of_padding(role):
    """Some models have integer masks with rows of padding only. "lstm" returns zeros for them."""
    inputs, mask = batch()
    mask = torch.cat([mask, torch.zeros(1, 5, dtype=torch.bool)])
    inputs = torch.cat([inputs, torch.randn(1, 5, 4)])
    for encoder in (build(role), build(role, type="lstm")):
        assert torch.equal(encoder(inputs, mask.long()), encoder(inputs, mask))
        assert not encoder(inputs, mask)[3].any() and encoder(inputs, mask)[2].any()


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
