import pytest
import torch

from slstm_allennlp.modules import CoupledLSTM
from slstm_allennlp.ops.coupled_lstm import naive_coupled_lstm
from tests.modules.common import LENGTHS, batch, randomized


@pytest.mark.parametrize("num_layers", [1, 3])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("boundary", [False, True])
def test_agrees_with_the_equations(double, num_layers, bidirectional, boundary):
    module = randomized(CoupledLSTM(3, 2, num_layers, bidirectional, boundary))
    inputs, mask = batch()
    words, sentences = module(inputs, mask)
    assert not words[~mask].any()
    for i, n in enumerate(LENGTHS):
        states = inputs[i, :n]
        if boundary:
            start, end = module.boundary_inputs.split(1)
            states = torch.cat([start, states, end])
        if len(states) == 0:
            continue
        for layer in module.layers:
            states = naive_coupled_lstm(states, layer.weights)
        sentence = torch.cat([states[-1, :2], states[0, 2:]])  # →h of the last word, ←h of the first
        real = states[1:-1] if boundary else states
        torch.testing.assert_close(words[i, :n], real, atol=1e-12, rtol=0)
        torch.testing.assert_close(sentences[i], sentence, atol=1e-12, rtol=0)


def test_every_parameter_learns():
    module = randomized(CoupledLSTM(3, 2, 2, bidirectional=True, boundary=True))
    words, sentences = module(*batch())
    (words.sum() + sentences.sum()).backward()
    assert all(p.grad.isfinite().all() and p.grad.any() for p in module.parameters())


@pytest.mark.parametrize("d, h, layers", [(5, 7, 1), (5, 7, 3)])
def test_number_of_parameters(d, h, layers):
    """Eq. 1 in two directions: 4 (d h + h² + h) each, the initial h and c, and ⟨s⟩ and ⟨/s⟩."""
    module = CoupledLSTM(d, h, layers, bidirectional=True)
    expected = 2 * d
    for size in [d, *[2 * h] * (layers - 1)]:
        expected += 2 * (4 * (size * h + h * h + h) + 2 * h)
    assert sum(p.numel() for p in module.parameters()) == expected


def test_what_it_starts_from():
    """Weights are from U(-1/√h, 1/√h), as in torch.nn.LSTM, and initial states are zero."""
    module = CoupledLSTM(50, 100, 2, bidirectional=True)
    for layer in module.layers:
        assert not layer.initial_h.any() and not layer.initial_c.any()
        for weight in (layer.W, layer.U, layer.b):
            assert weight.abs().max() <= 0.1 and abs(weight.std() - 0.1 / 3**0.5) < 0.005
    assert 0.05 < module.boundary_inputs.std() < 0.15
