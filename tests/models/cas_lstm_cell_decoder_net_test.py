"""The decoder "cas_lstm_cell": compared with the equations, and in AllenNLP's beam search."""

import json

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp_models.generation.modules.decoder_nets import DecoderNet
from allennlp_models.generation.modules.seq_decoders import SeqDecoder

from slstm_allennlp.ops.cas_lstm import naive_cas_lstm
from slstm_allennlp.ops.cas_lstm.naive import _step as naive_step
from tests.modules.common import randomized

SIZE, WORD, LAYERS, BATCH, STEPS = 4, 3, 3, 2, 5
FUSIONS = [0.5, 0.0, 1, "trainable", "sum", "peephole", None]
BILINEAR = {"type": "bilinear", "vector_dim": SIZE, "matrix_dim": SIZE}
LUONG = {"attention": BILINEAR}
STOCK = {"attention": BILINEAR, "input_feeding": False}
KINDS = pytest.mark.parametrize("kind", [{}, LUONG, STOCK], ids=["none", "luong", "stock"])


def build(**settings):
    params = {"type": "cas_lstm_cell", "decoding_dim": SIZE, "target_embedding_dim": WORD}
    params = {**params, "num_layers": LAYERS, **settings}
    return randomized(DecoderNet.from_params(Params(json.loads(json.dumps(params)))))


def weights_of(net):
    return [layer.weights for layer in net._layers]


def encoded(final=1.0):
    """Return encoder outputs for sentences of 4 and 2 words. `final` scales the last states."""
    mask = torch.arange(4) < torch.tensor([4, 2]).unsqueeze(1)
    outputs = torch.randn(BATCH, 4, SIZE) * mask.unsqueeze(-1)
    outputs[[0, 1], [3, 1]] *= final
    return {"encoder_outputs": outputs, "source_mask": mask}


def decode(net, source, words, state=None):
    state = net.init_decoder_state(source) if state is None else state
    return net(previous_state=state, previous_steps_predictions=words, **source)


def decoded(**settings):
    """Return a decoder, encoder outputs, words, and the decoder's state and outputs."""
    net, source, words = build(**settings), encoded(), torch.randn(BATCH, STEPS, WORD)
    return net, source, words, *decode(net, source, words)


def assert_same(net, *results):
    """Compare the results, and their gradients."""
    torch.testing.assert_close(*results)
    weights, losses = list(net.parameters()), (each.square().sum() for each in results)
    torch.testing.assert_close(*(torch.autograd.grad(loss, weights) for loss in losses))


@pytest.mark.parametrize("fusion", FUSIONS[:-1])
def test_without_attention_it_is_a_cas_lstm(double, fusion):
    net, words = build(fusion=fusion), torch.randn(BATCH, STEPS, WORD)
    _, outputs = decode(net, encoded(final=0), words)
    expected = torch.stack([naive_cas_lstm(w, weights_of(net))[-1].h[:, 0] for w in words])
    assert_same(net, outputs, expected)


def test_without_fusion_it_is_a_stack_of_lstms(double):
    net, source, words = build(fusion=None), encoded(), torch.randn(BATCH, STEPS, WORD)
    lstm = torch.nn.LSTM(WORD, SIZE, LAYERS, batch_first=True)
    for number, layer in enumerate(net._layers):
        getattr(lstm, f"weight_ih_l{number}").data = layer.weights.W.data.flatten(0, 2)
        getattr(lstm, f"weight_hh_l{number}").data = layer.weights.U.data.flatten(0, 2)
        getattr(lstm, f"bias_ih_l{number}").data = layer.b.data.flatten()
        getattr(lstm, f"bias_hh_l{number}").data.zero_()
    state, outputs = decode(net, source, words)
    h = source["encoder_outputs"][[0, 1], [3, 1]].expand(LAYERS, -1, -1).contiguous()
    expected, (h, c) = lstm(words, (h, torch.zeros_like(h)))
    torch.testing.assert_close(outputs, expected)
    torch.testing.assert_close(state["decoder_states"], h.transpose(0, 1))
    torch.testing.assert_close(state["decoder_cells"], c.transpose(0, 1))
    biases = LAYERS * 4 * SIZE  # PyTorch has two
    assert sum(p.numel() for p in net.parameters()) == sum(p.numel() for p in lstm.parameters()) - biases


def naive_decoder(net, memory, words, input_feeding):
    """Decode one sentence word by word: from (source_len, h) and (num_steps, d) to (num_steps, h)."""
    layers = [type(w)(*(None if one is None else one[0] for one in w)) for w in weights_of(net)]
    bilinear = net._attention
    h, c = [memory[-1]] * LAYERS, [torch.zeros(SIZE)] * LAYERS
    feed, outputs = torch.zeros(SIZE), []

    def context(query):
        scores = [query @ bilinear._weight_matrix @ m + bilinear._bias[0] for m in memory]
        return sum(a * m for a, m in zip(torch.stack(scores).softmax(0), memory))

    for word in words:
        x = torch.cat([feed if input_feeding else context(h[-1]), word])
        for number, weights in enumerate(layers):
            c_below = None if weights_of(net)[number].is_first else c[number - 1]
            h[number], c[number], _, _ = naive_step(weights, x, c_below, h[number], c[number])
            x = h[number]
        feed = h[-1]
        if input_feeding:
            feed = torch.tanh(net._combine.weight @ torch.cat([context(h[-1]), h[-1]]))
        outputs.append(feed)
    return torch.stack(outputs)


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("input_feeding", [True, False])
def test_attention_is_the_equations(double, input_feeding, fusion):
    options = {"attention": BILINEAR, "input_feeding": input_feeding, "fusion": fusion}
    net, source, words, _, outputs = decoded(**options)
    memories = [source["encoder_outputs"][i, :n] for i, n in enumerate([4, 2])]
    expected = [naive_decoder(net, m, w, input_feeding) for m, w in zip(memories, words)]
    assert_same(net, outputs, torch.stack(expected))


@KINDS
def test_step_by_step_is_all_at_once(double, kind):
    net, source, words, final, outputs = decoded(**kind)
    state = None
    for step in range(STEPS):
        state, output = decode(net, source, words[:, : step + 1], state)
        torch.testing.assert_close(output, outputs[:, step : step + 1])
    torch.testing.assert_close(state, final)
    assert all(len(value) == BATCH for value in final.values())


def test_an_encoder_of_two_directions_ends_at_both_ends():
    net, source = build(bidirectional_input=True), encoded()
    state = net.init_decoder_state(source)["decoder_states"]
    outputs = source["encoder_outputs"]
    assert torch.equal(state[1, 0], torch.cat([outputs[1, 1, :2], outputs[1, 0, 2:]]))
    assert torch.equal(state[:, 0], state[:, LAYERS - 1])


def test_dropout_in_training_alone():
    net, source, words, _, outputs = decoded(dropout=0.5, **LUONG)
    assert 0 < (outputs == 0).sum() < outputs.numel()
    net.eval()
    assert torch.equal(decode(net, source, words)[1], decode(net, source, words)[1])


def seq_decoder(net):
    """Build AllenNLP's decoder with random weights and a small vocabulary."""
    tokens = {"tokens": {"@start@": 9, "@end@": 9, **dict.fromkeys("abcdef", 1)}}
    words, beam = {"embedding_dim": WORD, "num_embeddings": 10}, {"beam_size": 4, "max_steps": 7}
    params = {"type": "auto_regressive_seq_decoder", "target_embedder": words, "beam_search": beam}
    decoder = SeqDecoder.from_params(Params(params), vocab=Vocabulary(tokens), decoder_net=net)
    randomized(decoder)
    decoder._output_projection_layer.bias.data[decoder._end_index] -= 1  # translations are not empty
    return decoder.eval().to(torch.get_default_dtype())


def sequence_score(decoder, source, sequence):
    """Compute the log-probability of a translation up to its end, with teacher forcing."""
    words = decoder.target_embedder(torch.tensor([[decoder._start_index, *sequence[:-1]]]))
    logits = decoder._output_projection_layer(decode(decoder._decoder_net, source, words)[1])
    scores = logits.log_softmax(-1)[0, range(len(sequence)), sequence]
    ends = [i for i, word in enumerate(sequence) if word == decoder._end_index]
    return scores[: ends[0] + 1 if ends else None].sum()


@KINDS
def test_beam_search_carries_each_state_along_with_its_words(double, kind):
    decoder, source = seq_decoder(build(**kind)), encoded()
    with torch.no_grad():
        found = decoder(dict(source))
        assert found["predictions"].shape[:2] == (BATCH, 4)
        for i, n in enumerate([4, 2]):
            sentence = {name: value[i : i + 1, :n] for name, value in source.items()}
            for sequence, score in zip(found["predictions"][i], found["class_log_probabilities"][i]):
                expected = sequence_score(decoder, sentence, sequence.tolist())
                torch.testing.assert_close(score, expected)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"decoding_dim": 0}, "decoding_dim is 0, expected an integer of at least 1"),
        ({"target_embedding_dim": 0}, "target_embedding_dim is 0, expected"),
        ({"num_layers": 0}, "num_layers is 0, expected"),
        ({"fusion": 1.5}, "fusion is 1.5, expected a number from 0 to 1 or one of"),
        ({"dropout": 2}, "dropout is 2, expected a rate"),
    ],
)
def test_configs_out_of_range(settings, message):
    with pytest.raises(ConfigurationError, match=f"cas_lstm_cell: {message}"):
        build(**settings)
