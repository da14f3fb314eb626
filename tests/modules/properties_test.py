"""With any valid settings, an encoder trains. Any invalid setting is an error in one line."""

import json
import re

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder
from hypothesis import given
from hypothesis import strategies as st

from tests import properties  # noqa: F401  (sets the number of examples)
from tests.modules.common import CHOICES

SIZES = st.integers(1, 5)
INVALID = [True, False, 1.5, "4", [4], {}, "", -1, [[]], {"type": "x"}]
# For each key: valid and invalid values.
SIZE = (SIZES, [0, None, *INVALID])
RATE = (st.sampled_from([0, 1]) | st.floats(0, 1), [1.01, 2, None, -0.5, *INVALID[4:], True, "0.5"])
FLAG = (st.booleans(), [2, None, *INVALID[2:]])
CNN = {"input_size": SIZE, "hidden_size": SIZE, "num_layers": SIZE, "dropout": RATE}
LSTM = {**CNN, "bidirectional": FLAG}
POOLINGS = [[], ["max"], ["mean"], ["max", "mean"], ["mean", "max"]]
NO_POOLINGS = [["min"], "max", ["max", 1], ["max", "max"], 3, True, [None], {}]
PRESETS = ["paper", "released", "fastnlp", "balanced"]
CHOSEN = {name: st.sampled_from(values) for name, values in {"preset": PRESETS, **CHOICES}.items()}
SOME = st.fixed_dictionaries({}, optional=CHOSEN)
TRANSITIONS = st.sampled_from([*PRESETS, {}]) | SOME
SLSTM = {
    "input_size": SIZE,
    "hidden_size": SIZE,
    "num_steps": (st.integers(1, 3), SIZE[1]),
    "window_size": (st.integers(1, 3), SIZE[1]),
    "num_sentence_nodes": (st.integers(0, 3), [None, *INVALID]),
    "boundary": (st.one_of(st.none(), st.booleans()), [2, *INVALID[2:]]),
    "transition": (TRANSITIONS, ["papr", 3, True, None, [], {"preset": 1}, {"window": "x"}, {"x": 1}]),
    "layer_norm": FLAG,
    "recompute": FLAG,
    "bfloat16": FLAG,
    "dropout": RATE,
}
FUSIONS = st.floats(0, 1) | st.sampled_from([0, 1, "trainable", "sum", "peephole"])
FUSION = (FUSIONS, [-0.1, 2, "x", True, None, [0.5], {}])
RECURRENT = [{"type": name, "hidden_size": 3} for name in ("slstm", "lstm")]
NO_ENCODERS = [None, 3, True, [], {}]
SEQUENCE = {
    "slstm": SLSTM,
    "cas_lstm": {**LSTM, "fusion": FUSION},
    "coupled_lstm": {**LSTM, "boundary": FLAG},
    "padded_lstm": LSTM,
    "stacked_cnn": {**CNN, "window": (st.sampled_from([1, 3, 5]), [2, 0, None, *INVALID])},
    "dropout": {"input_dim": SIZE, "dropout": RATE},
}
ENCODERS = st.sampled_from([{"type": "dropout"}, "dropout", *RECURRENT])
LAST = st.sampled_from([{"type": "max_pooling"}, "additive_attention", {"type": "boe"}])
COMPOSE = {
    "input_size": SIZE,
    "seq2seq_encoder": (ENCODERS, [*NO_ENCODERS, ["dropout"], {"type": "dropout", "input_dim": -1}]),
    "seq2vec_encoder": (LAST, [*NO_ENCODERS, ["max_pooling"], {"type": "pooling", "pooling": []}]),
}
SOME_POOLING = (st.sampled_from([None, *POOLINGS[1:]]), [[], *NO_POOLINGS])
VECTOR = {
    **{name: SEQUENCE[name] for name in ("cas_lstm", "coupled_lstm", "padded_lstm", "stacked_cnn")},
    "slstm": {**SLSTM, "pooling": (st.sampled_from([None, *POOLINGS]), NO_POOLINGS)},
    "additive_attention": {"input_size": SIZE, "attention_size": (st.none() | SIZES, [0, *INVALID])},
    "max_pooling": {"embedding_dim": SIZE},
    "pooling": {"embedding_dim": SIZE, "pooling": SOME_POOLING},
    "compose": COMPOSE,
}
# A config that lacks one of these keys is refused.
REQUIRED = "input_size hidden_size input_dim embedding_dim seq2seq_encoder seq2vec_encoder".split()
ROLES = {"sequence": (Seq2SeqEncoder, SEQUENCE), "vector": (Seq2VecEncoder, VECTOR)}
EACH = [(role, name) for role, (_, encoders) in ROLES.items() for name in encoders]
each_encoder = pytest.mark.parametrize("role, name", EACH)
# Errors of valid settings that cannot be combined.
CONFLICTS = r"input_size is \d and hidden_size is \d, expected equal|num_sentence_nodes is 0, expected"


def test_every_encoder_is_here():
    for base, encoders in ROLES.values():
        modules = {name: base.by_name(name).__module__ for name in base.list_available()}
        ours = {name for name in modules if modules[name].startswith("slstm_allennlp.")}
        assert set(encoders) == ours - {"cnn"}  # AllenNLP's, with its keys


def valid(name, keys):
    values = {key: strategy for key, (strategy, _) in keys.items()}
    required = {key: values.pop(key) for key in REQUIRED if key in values}
    return st.fixed_dictionaries({"type": st.just(name), **required}, optional=values)


def train(role, params):
    """Train one step on sentences of different lengths, one of them empty."""
    encoder = ROLES[role][0].from_params(Params(json.loads(json.dumps(params))))
    size = encoder.get_input_dim()
    mask = torch.arange(4) < torch.tensor([4, 1, 0, 2]).unsqueeze(1)
    inputs = torch.randn(4, 4, size, requires_grad=True)
    outputs = encoder(inputs, mask)
    assert outputs.shape == (4, *[4] * (role == "sequence"), encoder.get_output_dim())
    optimizer = torch.optim.SGD([inputs, *encoder.parameters()], lr=0.1)
    outputs.double().pow(2).sum().backward()
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in (inputs, *encoder.parameters()))
    optimizer.step()
    with torch.no_grad():
        assert torch.isfinite(encoder(inputs, mask)).all()


@each_encoder
def test_valid_settings_train(role, name):
    @given(valid(name, ROLES[role][1][name]))
    def any_valid(params):
        try:
            train(role, params)
        except ConfigurationError as error:
            assert re.search(CONFLICTS, str(error)), error

    any_valid()


@each_encoder
def test_other_settings_are_one_sentence(role, name):
    keys = ROLES[role][1][name]

    @given(valid(name, keys), st.data())
    def any_invalid(params, data):
        key = data.draw(st.sampled_from(sorted(keys)))
        if key in REQUIRED and data.draw(st.integers(0, 5)) == 0 and key != "input_size":
            params.pop(key)
        else:
            params[key] = data.draw(st.sampled_from(keys[key][1]))
        with pytest.raises((ConfigurationError, ValueError)) as error:
            train(role, params)
        message = str(error.value)
        assert "\n" not in message and len(message) < 400, message

    any_invalid()
