"""The fast versions of the CAS-LSTM, compared with the naive version: values and gradients."""

import pytest
import torch

from slstm_allennlp.ops.cas_lstm import (
    CasLstmStates,
    CasLstmWeights,
    fused_cas_lstm_layer,
    hoisted_cas_lstm_layer,
    initial_weights,
    naive_cas_lstm,
)
from slstm_allennlp.ops.compiled import load_kernels

COMPILED = load_kernels("cas_lstm")
FUSIONS = (0.0, 0.25, 0.5, 1.0, "vector", "sum", "peephole")
LENGTH, BATCH, SIZE = 4, 3, 5


def versions(fusion):
    result = {"hoisted": hoisted_cas_lstm_layer}
    if fusion != "peephole" and COMPILED is not None:
        result["fused"] = lambda *layer: fused_cas_lstm_layer(*layer, COMPILED)
    return result


def layers(fusion, directions, depth=3, hidden_size=SIZE):
    """Return random weights of `depth` layers, for inputs of size 3."""
    result = []
    for number in range(depth):
        size = hidden_size if number else 3
        initial = initial_weights(
            directions, size, hidden_size, number == 0, number > 0 and fusion == "peephole"
        )
        weights = CasLstmWeights._make(None if w is None else torch.randn_like(w) for w in initial)
        if number and fusion == "vector":
            weights = weights._replace(fusion=torch.rand(directions, hidden_size))
        elif number and not isinstance(fusion, str):
            weights = weights._replace(fusion=torch.full((directions, hidden_size), fusion))
        result.append(weights)
    return result


def run(version, inputs, all_layers):
    """Run all layers of a fast version on (D, L, B, d). Return the states of each layer."""
    states, result = CasLstmStates(inputs, None, None, None), []
    for weights in all_layers:
        states = version(states.h, states.c, weights)
        result.append(states)
    return result


def run_naive(inputs, all_layers):
    """Run the naive version on each sentence. Return states in the order of each direction."""
    sentences = [naive_cas_lstm(inputs[0, :, b], all_layers) for b in range(inputs.size(2))]

    def joined(of_sentences):
        if of_sentences[0] is None:
            return None
        directions = [[s[:, 0], s[:, -1].flip(0)][: len(inputs)] for s in of_sentences]
        return torch.stack([torch.stack(each) for each in directions], dim=2)  # (D, L, B, h)

    return [CasLstmStates._make(map(joined, zip(*layer))) for layer in zip(*sentences)]


def case(fusion, directions, **sizes):
    words = torch.randn(LENGTH, BATCH, 3, requires_grad=True)
    # The second direction reads the words in reverse order.
    inputs = torch.stack([words, words.flip(0)][:directions])
    all_layers = layers(fusion, directions, **sizes)
    parameters = [w.requires_grad_() for weights in all_layers for w in weights if w is not None]
    return inputs, all_layers, [words, *parameters]


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("fusion", FUSIONS)
def test_equals_naive(double, fusion, directions):
    inputs, all_layers, leaves = case(fusion, directions)
    naive = run_naive(inputs, all_layers)
    probes = [(torch.randn_like(states.h), torch.randn_like(states.c)) for states in naive]

    def gradients(result, keep_graph):
        loss = sum((s.h * p).sum() + (s.c * q).sum() for s, (p, q) in zip(result, probes))
        return torch.autograd.grad(loss, leaves, retain_graph=keep_graph)

    oracle = gradients(naive, keep_graph=False)
    for name, version in versions(fusion).items():
        inputs = torch.stack([leaves[0], leaves[0].flip(0)][:directions])
        fast = run(version, inputs, all_layers)
        for layer in zip(fast, naive):
            for ours, exact in zip(*layer):
                if ours is not None:
                    torch.testing.assert_close(ours, exact, atol=1e-12, rtol=0, msg=name)
        # A backward pass with `retain_graph` must not change what the next one needs.
        for keep_graph in (True, True, False):
            for ours, exact in zip(gradients(fast, keep_graph), oracle):
                torch.testing.assert_close(ours, exact, atol=1e-10, rtol=0, msg=name)


@pytest.mark.skipif(COMPILED is None, reason="there are no compiled kernels here")
@pytest.mark.parametrize("size", [1, 7, 16, 33, 300])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_compiled_kernels_at_every_size(dtype, size):
    inputs, all_layers, _ = case("vector", 2, hidden_size=size)
    scale = size**-0.5  # so that the gates do not saturate
    all_layers = [w._replace(W=w.W * scale, U=w.U * scale) for w in all_layers]
    exact = [CasLstmWeights._make(None if x is None else x.double() for x in w) for w in all_layers]
    in_dtype = [CasLstmWeights._make(None if x is None else x.to(dtype) for x in w) for w in exact]
    fast = run(versions("vector")["fused"], inputs.to(dtype), in_dtype)[-1]
    oracle = run(hoisted_cas_lstm_layer, inputs.double(), exact)[-1]
    tolerance = 1e-12 if dtype == torch.float64 else 1e-5
    torch.testing.assert_close(fast.h.double(), oracle.h, atol=tolerance, rtol=0)
    torch.testing.assert_close(fast.c.double(), oracle.c, atol=tolerance, rtol=0)


def test_one_unit_by_hand(double):
    """Eqs. 1-13 with plain numbers: two layers of one unit, two words, λ = 0.25."""

    def sigmoid(x):
        return 1 / (1 + torch.tensor(-x).exp().item())

    def tanh(x):
        return torch.tensor(x).tanh().item()

    words = (0.5, -1.0)
    w1 = {"i": (0.1, 0.2, 0.3), "f": (-0.4, 0.5, 0.6), "u": (0.7, -0.8, 0.9), "o": (1.0, 1.1, -1.2)}
    w2 = {**dict.fromkeys("ifu", (0.3, -0.7, 0.2)), "o": (0.5, 0.4, 0.1), "g": (-0.6, 0.9, 0.8)}
    h1 = c1 = h2 = c2 = 0.0
    expected = []
    for x in words:
        i, f, u, o = (w1[gate][0] * x + w1[gate][1] * h1 + w1[gate][2] for gate in "ifuo")
        c1 = sigmoid(i) * tanh(u) + sigmoid(f) * c1
        h1 = sigmoid(o) * tanh(c1)
        i, f, u, o, g = (w2[gate][0] * h1 + w2[gate][1] * h2 + w2[gate][2] for gate in "ifuog")
        c2 = sigmoid(i) * tanh(u) + 0.75 * sigmoid(f + 1) * c2 + 0.25 * sigmoid(g + 1) * c1
        h2 = sigmoid(o) * tanh(c2)
        expected.append(h2)

    def weights(numbers, fusion):
        W, U, b = (torch.tensor(list(column)) for column in zip(*numbers.values()))
        return CasLstmWeights(W.view(1, -1, 1, 1), U.view(1, -1, 1, 1), b.view(1, -1, 1), fusion, None)

    both = [weights(w1, None), weights(w2, torch.tensor([[0.25]]))]
    states = naive_cas_lstm(torch.tensor(words).unsqueeze(1), both)
    torch.testing.assert_close(states[1].h.flatten(), torch.tensor(expected))


@pytest.mark.skipif(COMPILED is None, reason="there are no compiled kernels here")
def test_a_second_derivative_is_refused():
    """It is refused for every variable, because the part of the steps would be missing."""
    (weights,) = layers(0.5, 1, depth=1)
    weights = weights._replace(W=weights.W.requires_grad_(), U=weights.U.requires_grad_())
    inputs = torch.randn(1, LENGTH, BATCH, 3, requires_grad=True)
    h = fused_cas_lstm_layer(inputs, None, weights, COMPILED).h
    (gradient,) = torch.autograd.grad(h.sum(), inputs, create_graph=True)
    for variable in (inputs, weights.W, weights.U):
        with pytest.raises(RuntimeError, match="differentiated once, expected no second derivative"):
            torch.autograd.grad(gradient.pow(2).sum(), variable, retain_graph=True)
