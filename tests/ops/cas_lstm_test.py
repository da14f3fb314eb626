"""The fast versions of the CAS-LSTM, compared with the naive version: values and gradients."""

import math

import pytest
import torch

from slstm_allennlp.modules import CellAwareStackedLSTM
from slstm_allennlp.ops.cas_lstm import CasLstmWeights, naive_cas_lstm
from slstm_allennlp.ops.compiled import load_kernels
from tests.modules.common import LENGTHS, batch, randomized

needs_kernels = pytest.mark.skipif(load_kernels("cas_lstm") is None, reason="no compiled kernels here")


@pytest.mark.parametrize("num_layers", [1, 3])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("fusion", (0, 0.25, 0.5, 1.0, "trainable", "sum", "peephole"))
def test_equals_naive(double, fusion, bidirectional, num_layers):
    """The compiled kernels, and the version that returns the states of every layer."""
    module = randomized(CellAwareStackedLSTM(3, 2, num_layers, bidirectional, fusion))
    inputs, mask = batch()
    inputs.requires_grad_()
    words, sentences = module(inputs, mask)
    states = module.states(inputs, mask)
    weights = [layer.weights for layer in module.layers]
    naive = {i: naive_cas_lstm(inputs[i, :n], weights) for i, n in enumerate(LENGTHS) if n}
    assert not words[~mask].any() and not sentences[1].any()
    for i, layers in naive.items():
        n, last = LENGTHS[i], layers[-1].h.flatten(1)
        assert_close(words[i, :n], last)
        assert_close(sentences[i], last.amax(dim=0))
        for ours, exact in zip(states, layers):
            for mine, its in zip(ours, exact):
                assert (mine is None) == (its is None)
                if mine is not None:
                    assert_close(mine[i, :n], its)

    probe, leaves = torch.randn_like(words), [inputs, *module.parameters()]
    exact = torch.cat([layers[-1].h.flatten(1) for layers in naive.values()])
    oracle = torch.autograd.grad((exact * probe[mask]).sum(), leaves)
    for ours in (words, states[-1].h.flatten(2)):
        loss = (ours * probe)[mask].sum()
        # A backward pass with `retain_graph` must not change what the next one needs.
        for keep_graph in (True, True, False):
            found = torch.autograd.grad(loss, leaves, retain_graph=keep_graph)
            torch.testing.assert_close(found, oracle, atol=1e-10, rtol=0)


def assert_close(ours, exact):
    torch.testing.assert_close(ours, exact, atol=1e-12, rtol=0)


@needs_kernels
@pytest.mark.cpu
@pytest.mark.parametrize("size", [1, 7, 16, 33, 300])
@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-11), (torch.float32, 1e-5)], ids=str)
@pytest.mark.parametrize("lengths", [(1,), (1, 1, 1), (5, 1)], ids=str)
def test_compiled_kernels_at_every_size(lengths, dtype, tolerance, size):
    """Small products use other libraries. Compare values and gradients with PyTorch's operations."""
    module = CellAwareStackedLSTM(3, size, 3, True, "trainable")
    (inputs, mask), results = batch(3, lengths), []
    for kind in (torch.float64, dtype):
        module.to(kind)
        x = inputs.to(kind)
        words = module.states(x, mask)[-1].h.flatten(2) if not results else module(x, mask)[0]
        loss = words[mask].pow(2).sum() / size
        results.append([words[mask], *torch.autograd.grad(loss, list(module.parameters()))])
    for exact, ours in zip(*results):
        assert ours.dtype == dtype
        torch.testing.assert_close(ours.double(), exact, atol=tolerance, rtol=0)


def test_one_unit_by_hand(double):
    """Eqs. 1-13 with plain numbers: two layers of one unit, two words, λ = 0.25."""

    def sigmoid(x):
        return 1 / (1 + math.exp(-x))

    words = (0.5, -1.0)
    w1 = {"i": (0.1, 0.2, 0.3), "f": (-0.4, 0.5, 0.6), "u": (0.7, -0.8, 0.9), "o": (1.0, 1.1, -1.2)}
    w2 = {**dict.fromkeys("ifu", (0.3, -0.7, 0.2)), "o": (0.5, 0.4, 0.1), "g": (-0.6, 0.9, 0.8)}
    h1 = c1 = h2 = c2 = 0.0
    expected = []
    for x in words:
        i, f, u, o = (w1[gate][0] * x + w1[gate][1] * h1 + w1[gate][2] for gate in "ifuo")
        c1 = sigmoid(i) * math.tanh(u) + sigmoid(f) * c1
        h1 = sigmoid(o) * math.tanh(c1)
        i, f, u, o, g = (w2[gate][0] * h1 + w2[gate][1] * h2 + w2[gate][2] for gate in "ifuog")
        c2 = sigmoid(i) * math.tanh(u) + 0.75 * sigmoid(f + 1) * c2 + 0.25 * sigmoid(g + 1) * c1
        h2 = sigmoid(o) * math.tanh(c2)
        expected.append(h2)

    def weights(numbers, fusion):
        W, U, b = (torch.tensor(list(column)) for column in zip(*numbers.values()))
        return CasLstmWeights(W.view(1, -1, 1, 1), U.view(1, -1, 1, 1), b.view(1, -1, 1), fusion, None)

    both = [weights(w1, None), weights(w2, torch.tensor([[0.25]]))]
    states = naive_cas_lstm(torch.tensor(words).unsqueeze(1), both)
    torch.testing.assert_close(states[1].h.flatten(), torch.tensor(expected))


@needs_kernels
@pytest.mark.cpu
def test_a_second_derivative_is_refused():
    """It is refused for every variable, because the part of the steps would be missing."""
    module, inputs = CellAwareStackedLSTM(3, 5, 1), torch.randn(3, 4, 3, requires_grad=True)
    words, _ = module(inputs)
    scale = torch.ones((), requires_grad=True)  # as of a layer behind the module
    (gradient,) = torch.autograd.grad((scale * words).sum(), inputs, create_graph=True)
    for variable in (inputs, module.layers[0].W, module.layers[0].U, scale):
        with pytest.raises(RuntimeError, match="differentiated once, expected no second derivative"):
            torch.autograd.grad(gradient.pow(2).sum(), variable, retain_graph=True)


@needs_kernels
@pytest.mark.cpu
def test_a_region_of_full_precision_within_autocast():
    module, inputs = CellAwareStackedLSTM(3, 5, 1), torch.randn(3, 4, 3)
    gradients = []
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            with torch.autocast("cpu", enabled=False):
                words, _ = module(inputs)
            gradients.append(torch.autograd.grad((words**2).sum(), [*module.parameters()]))
    torch.testing.assert_close(*gradients, rtol=0, atol=0)


def test_cells_are_in_the_precision_of_the_weights_within_autocast():
    """A projection in front of the module gives it inputs in bfloat16; cells add up over all words."""
    module = randomized(CellAwareStackedLSTM(3, 5, 2, fusion="sum"))
    inputs = torch.randn(2, 30, 3).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        low, exact = (module.states(given) for given in (inputs, inputs.float()))
    for state in ("h", "c"):
        found = getattr(low[1], state)
        assert found.dtype == torch.float32 and torch.equal(found, getattr(exact[1], state))
