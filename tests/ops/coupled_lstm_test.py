"""The fast version of Eq. 1, compared with the naive version."""

import pytest
import torch

from slstm_allennlp.ops.coupled_lstm import (
    CoupledLstmWeights,
    hoisted_coupled_lstm,
    initial_weights,
    naive_coupled_lstm,
)

LENGTHS = (5, 1, 3)


def case(directions=2, input_size=3, hidden_size=4):
    """Return inputs (padded with NaN), their mask, and random weights."""
    weights = CoupledLstmWeights(
        *(torch.randn_like(weight) for weight in initial_weights(directions, input_size, hidden_size))
    )
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    inputs = torch.randn(*mask.shape, input_size).masked_fill(~mask.unsqueeze(-1), float("nan"))
    return inputs, mask, weights


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("hidden_size", [1, 4])
def test_agrees_with_the_naive_version(double, directions, hidden_size):
    inputs, mask, weights = case(directions, hidden_size=hidden_size)
    for tensor in (inputs, *weights):
        tensor.requires_grad_()
    fast = hoisted_coupled_lstm(inputs, mask, weights)
    assert not fast[~mask].any()
    naive = [naive_coupled_lstm(inputs[i, :n], weights) for i, n in enumerate(LENGTHS)]
    for states, sentence, n in zip(fast, naive, LENGTHS):
        torch.testing.assert_close(states[:n], sentence, atol=1e-12, rtol=0)
    probe = torch.randn_like(fast)
    gradients = torch.autograd.grad((fast * probe).sum(), [inputs, *weights])
    loss = sum((sentence * probe[i, :n]).sum() for i, (sentence, n) in enumerate(zip(naive, LENGTHS)))
    for ours, oracle in zip(gradients, torch.autograd.grad(loss, [inputs, *weights])):
        torch.testing.assert_close(ours, oracle, atol=1e-11, rtol=0)


def test_one_unit_by_hand(double):
    """The equations with plain numbers: one unit, one word. Directions differ in the initial h."""
    one = torch.ones(2, 4, 1, 1)
    weights = CoupledLstmWeights(
        one, one, torch.zeros(2, 4, 1), torch.tensor([[1.0], [-1.0]]), one[:, 0, 0]
    )
    states = naive_coupled_lstm(torch.tensor([[0.5]]), weights)
    for state, h in zip(states[0], (1.0, -1.0)):
        gate = 1 / (1 + torch.tensor(-(0.5 + h)).exp())  # î, f̂ and o are the same, so i = f = 1/2
        c = 0.5 * 1.0 + 0.5 * torch.tensor(0.5 + h).tanh()
        torch.testing.assert_close(state, gate * c.tanh())
