"""All encoders, as AllenNLP encoders: shapes, masks and results."""

import json

import pytest
import torch
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder

from slstm_allennlp.encoders.sized import sized
from slstm_allennlp.modules import AdditiveAttention, CoupledLSTM, SentenceStateLSTM, StackedCNN

SIZES = {"input_size": 4, "hidden_size": 6}
SLSTM = {"type": "slstm", **SIZES}
DROPOUT = {"type": "dropout", "input_dim": 4}
MIXED = {"preset": "fastnlp", "gate_normalization": "sigmoid_softmax"}
POOLED = {"type": "compose", "seq2seq_encoder": SLSTM}
OF_FOUR = {"type": "max_pooling", "embedding_dim": 4}
SEQUENCE = [
    (SLSTM, 6),
    ({"type": "coupled_lstm", **SIZES}, 6),
    ({"type": "coupled_lstm", "num_layers": 2, "bidirectional": True, "boundary": False, **SIZES}, 12),
    ({"type": "cas_lstm", **SIZES}, 6),
    ({"type": "cas_lstm", "num_layers": 3, "bidirectional": True, "fusion": "peephole", **SIZES}, 12),
    ({"type": "padded_lstm", **SIZES}, 6),
    ({"type": "padded_lstm", "num_layers": 2, "bidirectional": True, **SIZES}, 12),
    ({"type": "stacked_cnn", "num_layers": 2, **SIZES}, 6),
    (DROPOUT, 4),
]
VECTOR = [
    *SEQUENCE[:-1],
    ({"type": "additive_attention", "input_size": 4}, 4),
    ({"type": "additive_attention", "input_size": 4, "attention_size": 3}, 4),
    (OF_FOUR, 4),
    ({"type": "pooling", "embedding_dim": 4}, 8),
    ({"type": "pooling", "embedding_dim": 4, "pooling": ["mean"]}, 4),
    ({**SLSTM, "pooling": ["mean", "max"]}, 18),
    ({**POOLED, "seq2vec_encoder": {"type": "max_pooling", "embedding_dim": 6}}, 6),
    ({**POOLED, "seq2vec_encoder": {"type": "additive_attention", "input_size": 6}}, 6),
    ({**POOLED, "seq2vec_encoder": {"type": "boe", "embedding_dim": 6, "averaged": True}}, 6),
]
ROLES = ((Seq2SeqEncoder, SEQUENCE), (Seq2VecEncoder, VECTOR))
EACH = [(role, *encoder) for role, encoders in ROLES for encoder in encoders]
# AllenNLP's, whose place ours take
LSTM = [(role, {"type": "lstm", **SIZES}, 6) for role in (Seq2SeqEncoder, Seq2VecEncoder)]
both_roles = pytest.mark.parametrize("role", (Seq2SeqEncoder, Seq2VecEncoder))
each_encoder = pytest.mark.parametrize("role, params, size", EACH, ids=str)


def build(role, params):
    return role.from_params(Params(json.loads(json.dumps(params))))


def test_a_mask_that_is_added_to_scores():
    with pytest.raises(
        ValueError, match=r"mask has dtype torch\.float32, expected torch\.bool or integers"
    ):
        build(Seq2SeqEncoder, SLSTM)(torch.randn(1, 2, 4), torch.tensor([[0.0, -1e4]]))


def batch():
    """Return sentences of 5, 2 and 0 words, padded with large numbers, and their mask."""
    mask = torch.arange(5) < torch.tensor([5, 2, 0]).unsqueeze(1)
    return torch.randn(3, 5, 4).masked_fill(~mask.unsqueeze(-1), 1e3), mask


@pytest.mark.parametrize("role, params, size", [*EACH, *LSTM], ids=str)
def test_shapes_and_masks(role, params, size):
    encoder = build(role, params).eval()
    inputs, mask = batch()
    outputs = encoder(inputs, mask)
    assert outputs.shape == ((3, 5, size) if role is Seq2SeqEncoder else (3, size))
    assert (encoder.get_input_dim(), encoder.get_output_dim()) == (4, size)
    second = outputs[1:2, :2] if role is Seq2SeqEncoder else outputs[1:2]
    torch.testing.assert_close(second, encoder(inputs[1:2, :2], mask[1:2, :2]))
    torch.testing.assert_close(outputs[:1], encoder(inputs[:1], None))
    assert torch.equal(encoder(inputs, mask.long()), outputs)  # as in some models
    if role is Seq2VecEncoder:
        assert not outputs[2].any() and outputs[:2].any(dim=1).all()
        return
    assert outputs.is_contiguous()  # AllenNLP's extractors of spans view them in another shape
    assert encoder.is_bidirectional() is params.get("bidirectional", False)
    assert params["type"] == "dropout" or not outputs[~mask].any()


@each_encoder
@pytest.mark.parametrize("sizes", [(2, 0), (0, 3)])
def test_batches_without_words_or_sentences(role, params, size, sizes):
    outputs = build(role, params)(torch.zeros(*sizes, 4), torch.ones(sizes, dtype=torch.bool))
    assert outputs.shape == ((*sizes, size) if role is Seq2SeqEncoder else (sizes[0], size))
    assert not outputs.any()


@pytest.mark.parametrize("params, size", VECTOR)
def test_vector_encoders_refuse_other_shapes(params, size):
    encoder, (inputs, mask) = build(Seq2VecEncoder, params), batch()
    with pytest.raises(ValueError, match=r"have shape \(3, 5, 7\), .* input_size of 4"):
        encoder(torch.randn(3, 5, 7), mask)
    with pytest.raises(ValueError, match=r"mask has shape \(3, 1\), expected \(3, 5\)"):
        encoder(inputs, mask[:, :1])


def test_additive_attention_is_the_papers(double):
    """Section 3.3 word by word. Table 3: 90K more weights than S-LSTM's, 360K more than BiLSTM's."""
    for size, thousands in ((300, 90), (600, 360)):
        count = sum(p.numel() for p in AdditiveAttention(size).parameters())
        assert count == pytest.approx(1000 * thousands, rel=0.01)
    module = AdditiveAttention(4, 3)
    inputs, mask = batch()
    results = zip(inputs[:2], module(inputs, mask), module.weights(inputs, mask), (5, 2))
    for sentence, vector, alpha, n in results:
        hidden = [torch.tanh(module.W.weight @ h + module.W.bias) for h in sentence[:n]]
        weights = [(module.u.weight[0] @ each).exp() for each in hidden]
        expected = sum(weight * h for weight, h in zip(weights, sentence)) / sum(weights)
        torch.testing.assert_close(vector, expected)
        torch.testing.assert_close(alpha[:n], torch.stack(weights) / sum(weights))
        assert not alpha[n:].any()


def test_stacked_cnn_is_windows_of_words(double):
    """ReLU(W [h₋ ; h ; h₊] + b) for each word and layer, zeros beyond either end."""
    module = StackedCNN(4, 6, num_layers=2)
    inputs, mask = batch()
    words = module(inputs, mask)
    for sentence, result, n in zip(inputs, words, (5, 2, 0)):
        states = list(sentence[:n])
        for layer in module.layers:
            weights, zero = layer.weight.unbind(2), torch.zeros(layer.weight.size(1))
            windows = zip([zero, *states], states, [*states[1:], zero])
            sums = (sum(W @ h for W, h in zip(weights, window)) for window in windows)
            states = [torch.relu(each + layer.bias) for each in sums]
        torch.testing.assert_close(list(result[:n]), states)
        assert not result[n:].any()
    # With PyTorch's default initialization, less than 1 % would be left after ten layers.
    assert 0.3 < StackedCNN(50, 50, num_layers=10)(torch.randn(20, 30, 50)).std() < 3


def test_dropout_drops_in_training_alone():
    encoder = build(Seq2SeqEncoder, {**DROPOUT, "dropout": 0.5})
    inputs, mask = torch.ones(2, 50, 4), torch.ones(2, 50, dtype=torch.bool)
    assert set(encoder(inputs, mask).unique().tolist()) == {0.0, 2.0}
    assert torch.equal(encoder.eval()(inputs, mask), inputs)


@both_roles
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True}])
def test_a_padded_lstm_is_allennlps_lstm(role, options, double):
    (inputs, mask), results = batch(), []
    for name in ("lstm", "padded_lstm"):
        torch.manual_seed(3)
        encoder = build(role, {"type": name, **SIZES, **options})
        result = encoder(inputs, mask)
        (result * torch.arange(result.numel()).view_as(result)).sum().backward()
        results.append([result, *(parameter.grad for parameter in encoder.parameters())])
    torch.testing.assert_close(*results)


@both_roles
@pytest.mark.parametrize(
    "name, kind, options",
    [
        ("coupled_lstm", CoupledLSTM, {"num_layers": 2, "bidirectional": True}),
        ("slstm", SentenceStateLSTM, {"num_steps": 2, "window_size": 2, "num_sentence_nodes": 2}),
        ("slstm", SentenceStateLSTM, {"boundary": True, "transition": MIXED, "layer_norm": True}),
    ],
)
def test_encoders_compute_what_their_modules_compute(role, name, kind, options):
    torch.manual_seed(3)
    module = kind(4, 6, **options)
    torch.manual_seed(3)
    encoder = build(role, {"type": name, **SIZES, **options})
    inputs, mask = batch()
    expected = module(inputs, mask)[role is Seq2VecEncoder]
    assert torch.equal(encoder(inputs, mask)[:2], expected[:2])


@pytest.mark.parametrize(
    "params, message",
    [
        ({"type": "coupled_lstm", **SIZES, "hidden_size": 0}, "coupled_lstm: hidden_size is 0"),
        ({"type": "padded_lstm", **SIZES, "num_layers": 0}, "padded_lstm: num_layers is 0"),
        ({"type": "cas_lstm", **SIZES, "fusion": "mean"}, "cas_lstm: fusion is 'mean', expected a numb"),
        ({"type": "stacked_cnn", **SIZES, "window": 2}, "stacked_cnn: window is 2, expected an odd num"),
        ({"type": "additive_attention", "input_size": True}, "input_size is True, expected an integer"),
        ({"type": "additive_attention", "input_size": 4, "attention_size": False}, "size is False, exp"),
        ({**POOLED, "seq2vec_encoder": OF_FOUR}, "seq_encoder gives 6 .* seq2vec_encoder takes 4"),
        ({**POOLED, "seq2vec_encoder": None}, "compose: seq2vec_encoder is None, expected an encoder"),
        ({**POOLED, "seq2seq_encoder": None, "seq2vec_encoder": "boe"}, "seq2seq_encoder is None, exp"),
        ({"type": "max_pooling", "embedding_dim": 0}, "max_pooling: embedding_dim is 0"),
        ({"type": "pooling", "embedding_dim": 4, "pooling": []}, "pooling is .., expected at le"),
        ({"type": "pooling", "embedding_dim": 4, "pooling": ["min"]}, "is .'min'., expected a l"),
        ({**SLSTM, "pooling": ["max", "max"]}, "slstm: pooling is .'max', 'max'., exp"),
        ({**SLSTM, "transition": "fast"}, r"slstm: transition: .*, did you mean 'fastnlp'\?$"),
        ({**SLSTM, "dropout": None}, "slstm: dropout is None, expected a rate from 0 to 1"),
        ({**DROPOUT, "dropout": 2}, "dropout: dropout is 2, expected a rate"),
        ({**DROPOUT, "input_dim": 0}, "input_dim is 0, expected an integer"),
        ({**DROPOUT, "input_dim": "4"}, "input_dim (is '4', expected an integer|to be a int)"),
    ],
)
def test_configs_out_of_range(params, message):
    role = Seq2SeqEncoder if params["type"] == "dropout" else Seq2VecEncoder
    with pytest.raises((ConfigurationError, TypeError), match=message):
        build(role, params)


class OwnSizes(Seq2VecEncoder):
    def __init__(self, input_dim: int, embedding_dim: int = 16):
        super().__init__()
        self.sizes = (input_dim, embedding_dim)


def test_an_optional_argument_is_no_size():
    """An encoder of another project may call another size so."""
    assert sized(Lazy(OwnSizes, Params({"input_dim": 8})), 8).sizes == (8, 16)
    inner = Lazy(OwnSizes, Params({"input_dim": 8}), constructor_extras={"embedding_dim": 4})
    assert sized(inner, 8).sizes == (8, 16)  # 4 was meant for an enclosing part


def test_what_pooling_gives():
    inputs, mask = batch()
    pooling = build(Seq2VecEncoder, {"type": "pooling", "embedding_dim": 4})
    for sentence, result, n in zip(inputs, pooling(inputs, mask), (5, 2)):
        words = sentence[:n]
        torch.testing.assert_close(result, torch.cat([words.max(0).values, words.mean(0)]))


def test_what_is_pooled_beside_the_sentence_vector():
    torch.manual_seed(1)
    vectors = build(Seq2VecEncoder, {**SLSTM, "pooling": ["mean", "max"]})
    torch.manual_seed(1)
    alone, words = build(Seq2VecEncoder, SLSTM), build(Seq2SeqEncoder, SLSTM)
    words.load_state_dict(alone.state_dict())
    inputs, mask = batch()
    sentence, mean, highest = vectors(inputs, mask).chunk(3, dim=1)
    pooled = build(Seq2VecEncoder, {"type": "pooling", "embedding_dim": 6})(words(inputs, mask), mask)
    torch.testing.assert_close(sentence, alone(inputs, mask))
    torch.testing.assert_close(torch.cat([highest, mean], dim=1), pooled)


@both_roles
def test_dropout_of_inputs_and_outputs(role):
    encoder, (inputs, mask) = build(role, {**SLSTM, "dropout": 0.5}), batch()
    assert (encoder(torch.ones(64, 5, 4)) == 0).float().mean() > 0.4
    # Dropout applies to the inputs as well: outputs that are kept change, too.
    kept = (dropped := encoder(inputs, mask)) != 0
    encoder.eval()
    assert not torch.allclose(dropped[kept], 2 * encoder(inputs, mask)[kept])
    assert torch.equal(encoder(inputs, mask), encoder(inputs, mask))


LSTM_KEYS = ["bidirectional", "num_layers", "bias", "stateful", "recurrent_dropout_probability"]


@both_roles
@pytest.mark.parametrize("keys", [*([key] for key in LSTM_KEYS), LSTM_KEYS])
def test_keys_that_only_an_lstm_has(role, keys):
    names = ", ".join(f'"{key}"' for key in keys)
    end, these = ("", "it") if len(keys) == 1 else ("s", "them")
    advice = f"slstm has no key{end} {names}: an S-LSTM reads both ways, .*; remove {these} and keep hid"
    with pytest.raises(ConfigurationError, match=advice):
        build(role, {**SLSTM, **dict.fromkeys(keys, 1)})
