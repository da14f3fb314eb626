"""The fast version of Eq. 1, compared with the naive version: values and gradients."""

import pytest
import torch

from slstm_allennlp.modules import CoupledLSTM
from slstm_allennlp.ops.coupled_lstm import CoupledLstmWeights, naive_coupled_lstm
from tests.modules.common import LENGTHS, batch, randomized


@pytest.mark.parametrize("size, num_layers", [(1, 1), (2, 3)])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("boundary", [False, True])
def test_equals_naive(double, size, num_layers, bidirectional, boundary):
    module = randomized(CoupledLSTM(3, size, num_layers, bidirectional, boundary))
    inputs, mask = batch()
    inputs.requires_grad_()
    words, sentences = module(inputs, mask)
    assert not words[~mask].any()
    pairs = []
    for i, n in enumerate(LENGTHS):
        states = inputs[i, :n]
        if boundary:
            start, end = module.boundary_inputs.split(1)
            states = torch.cat([start, states, end])
        if len(states) == 0:
            continue
        for layer in module.layers:
            states = naive_coupled_lstm(states, layer.weights)
        # →h of the last word, ←h of the first
        pairs.append((sentences[i], torch.cat([states[-1, :size], states[0, size:]])))
        pairs.append((words[i, :n], states[1:-1] if boundary else states))
    found, oracle = (torch.cat([one.flatten() for one in each]) for each in zip(*pairs))
    torch.testing.assert_close(found, oracle, atol=1e-12, rtol=0)
    probe, leaves = torch.randn_like(oracle), [inputs, *module.parameters()]
    gradients, exact = (torch.autograd.grad((one * probe).sum(), leaves) for one in (found, oracle))
    torch.testing.assert_close(gradients, exact, atol=1e-11, rtol=0)


def test_one_unit_by_hand(double):
    """The equations with plain numbers: one unit, one word. Directions differ in the initial h."""
    one, initial_h = torch.ones(2, 4, 1, 1), torch.tensor([[1.0], [-1.0]])
    weights = CoupledLstmWeights(one, one, torch.zeros(2, 4, 1), initial_h, one[:, 0, 0])
    states = naive_coupled_lstm(torch.tensor([[0.5]]), weights)
    for state, h in zip(states[0], (1.0, -1.0)):
        gate = 1 / (1 + torch.tensor(-(0.5 + h)).exp())  # î, f̂ and o are the same, so i = f = 1/2
        c = 0.5 * 1.0 + 0.5 * torch.tensor(0.5 + h).tanh()
        torch.testing.assert_close(state, gate * c.tanh())
