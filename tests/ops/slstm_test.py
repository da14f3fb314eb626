"""Every fast version of the S-LSTM against the naive one, which is the paper's equations."""

import itertools

import pytest
import torch

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import batched_slstm, naive_slstm

SIZE = 4
LENGTHS = (6, 0, 1, 3)
TRANSITIONS = ("paper", "released", "fastnlp", {"preset": "released", "initial_state": "uniform"})
# Single choices taken out of their presets, so that each is also met with the others' company.
MIXED = (
    {"gate_normalization": "softmax"},
    {"sentence_forget": "shared"},
    {"candidate": "input"},
    {"project_input": True},
    {"window": "summed"},
    {"sentence_vector": "mean"},
    {"preset": "fastnlp", "initial_state": "learned"},
)


def name(transition):
    return transition if isinstance(transition, str) else "-".join(map(str, transition.values()))


def batch(lengths=LENGTHS, padded=6, size=SIZE):
    inputs = torch.randn(len(lengths), padded, size)
    return inputs, torch.arange(padded) < torch.tensor(lengths).unsqueeze(1)


def naive(encoder, inputs, mask):
    """The naive version with the encoder's weights and, where its start is drawn, the same draws."""
    return naive_slstm(inputs, mask, encoder.weights, encoder.settings, encoder._start(inputs))


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("layer_norm", (False, True), ids=("plain", "layer_norm"))
@pytest.mark.parametrize("boundary", (False, True), ids=("bare", "boundary"))
@pytest.mark.parametrize("nodes", (0, 1, 2, 3))
@pytest.mark.parametrize("window", (1, 2, 3))
@pytest.mark.parametrize("transition", TRANSITIONS, ids=name)
def test_batched_equals_naive(transition, window, nodes, boundary, layer_norm):
    encoder = SentenceStateLSTM(
        SIZE,
        SIZE,
        num_steps=3,
        window_size=window,
        num_sentence_nodes=nodes,
        boundary=boundary,
        transition=transition,
        layer_norm=layer_norm,
    )
    inputs, mask = batch()
    torch.manual_seed(1)
    expected_words, expected_sentence = naive(encoder, inputs, mask)
    torch.manual_seed(1)
    words, sentence = encoder(inputs, mask)
    torch.testing.assert_close(words, expected_words, rtol=0, atol=1e-10)
    torch.testing.assert_close(sentence, expected_sentence, rtol=0, atol=1e-10)
    assert not words[~mask].any()


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("transition", MIXED, ids=name)
def test_single_choices_equal_naive(transition):
    encoder = SentenceStateLSTM(
        SIZE, SIZE, num_steps=3, window_size=2, num_sentence_nodes=2, transition=transition
    )
    inputs, mask = batch()
    for ours, expected in zip(encoder(inputs, mask), naive(encoder, inputs, mask)):
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-10)


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    "transition, window, nodes, layer_norm",
    [("paper", 1, 1, False), ("paper", 2, 2, True), ("released", 2, 1, False), ("fastnlp", 1, 2, True)],
)
def test_gradients_equal_naive(transition, window, nodes, layer_norm):
    encoder = SentenceStateLSTM(
        SIZE,
        SIZE,
        num_steps=3,
        window_size=window,
        num_sentence_nodes=nodes,
        transition=transition,
        layer_norm=layer_norm,
    )
    inputs, mask = batch()
    inputs.requires_grad_()
    variables = [inputs, *encoder.parameters()]
    gradients = []
    for function in (encoder, lambda *arguments: naive(encoder, *arguments)):
        words, sentence = function(inputs, mask)
        # Different weights for every number, so that no two errors cancel.
        torch.manual_seed(2)
        loss = (words * torch.randn_like(words)).sum() + (sentence * torch.randn_like(sentence)).sum()
        gradients.append(torch.autograd.grad(loss, variables))
    for ours, expected in zip(*gradients):
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-10)
    assert not gradients[0][0][~mask].any()


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("transition", ("paper", "released", "fastnlp"))
@pytest.mark.parametrize("layer_norm", (False, True), ids=("plain", "layer_norm"))
def test_gradcheck(transition, layer_norm):
    encoder = SentenceStateLSTM(2, 2, num_steps=2, transition=transition, layer_norm=layer_norm)
    inputs, mask = batch(lengths=(3, 1), padded=3, size=2)
    names, parameters = zip(*encoder.named_parameters())

    def function(inputs, *values):
        # The output as a function of the weights, too.
        weights = encoder.weights._replace(**dict(zip(names, values)))
        return batched_slstm(inputs, mask, weights, encoder.settings)

    assert torch.autograd.gradcheck(function, (inputs.requires_grad_(), *parameters))


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    "transition, nodes", itertools.product(("paper", "released", "fastnlp"), (0, 1, 2))
)
def test_a_sentence_has_the_same_result_in_any_company(transition, nodes):
    encoder = SentenceStateLSTM(
        SIZE, SIZE, num_steps=3, window_size=2, num_sentence_nodes=nodes, transition=transition
    )
    inputs, mask = batch()
    words, sentence = encoder(inputs, mask)
    for i, length in enumerate(LENGTHS):
        alone_words, alone_sentence = encoder(inputs[i : i + 1, :length])
        torch.testing.assert_close(alone_words[0], words[i, :length], rtol=0, atol=1e-10)
        torch.testing.assert_close(alone_sentence[0], sentence[i], rtol=0, atol=1e-10)
    # More padding, with anything in it.
    padded = torch.full((len(LENGTHS), 11, SIZE), float("nan"))
    padded[:, :6] = torch.where(mask.unsqueeze(-1), inputs, torch.tensor(float("nan")))
    more_words, more_sentence = encoder(padded, torch.nn.functional.pad(mask, (0, 5)))
    torch.testing.assert_close(more_words[:, :6], words, rtol=0, atol=1e-10)
    torch.testing.assert_close(more_sentence, sentence, rtol=0, atol=1e-10)
    assert not more_words[:, 6:].any()


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("steps, window", itertools.product((1, 2, 3), (1, 2)))
def test_without_node_a_word_reaches_one_window_further_a_step(steps, window):
    """The input is read at every step, a neighbour's state from the second step on."""
    encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=steps, window_size=window, num_sentence_nodes=0)
    reach = (steps - 1) * window
    distances = distances_that_matter(encoder, length=12, word=5)
    assert max(distances) == reach
    assert distances == set(range(reach + 1))


@pytest.mark.usefixtures("double")
def test_words_read_the_sentence_state_of_the_step_before():
    """With T = 2 a word reads g⁰ and g¹, which have read no input of their own step; with T = 3, g²."""
    for steps, expected in ((2, {0, 1}), (3, set(range(7)))):
        encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=steps)
        assert distances_that_matter(encoder, length=12, word=5) == expected


def distances_that_matter(encoder, length, word):
    """At which distances |i - word| the input i changes the output of `word`."""
    inputs = torch.randn(1, length, SIZE, requires_grad=True)
    words, _ = encoder(inputs)
    (gradient,) = torch.autograd.grad(words[0, word].sum(), inputs)
    return {abs(i - word) for i in range(length) if gradient[0, i].abs().max() > 0}


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16))
@pytest.mark.parametrize("transition", ("paper", "released", "fastnlp"))
@pytest.mark.parametrize("layer_norm", (False, True), ids=("plain", "layer_norm"))
def test_low_precision_is_finite_and_near(dtype, transition, layer_norm):
    encoder = SentenceStateLSTM(16, 16, transition=transition, layer_norm=layer_norm)
    inputs, mask = batch(size=16)
    expected = encoder(inputs, mask)
    try:
        results = encoder.to(dtype)(inputs.to(dtype), mask)
    except RuntimeError as error:
        if "not implemented for 'Half'" not in str(error):
            raise
        pytest.skip(f"PyTorch {torch.__version__} has no half-precision products on the CPU")
    for ours, exact in zip(results, expected):
        assert ours.dtype == dtype
        torch.testing.assert_close(ours.float(), exact, rtol=0.1, atol=0.1)
    sum(ours.float().sum() for ours in results).backward()
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())


@pytest.mark.parametrize("transition", ("paper", "released", "fastnlp"))
def test_autocast(transition):
    encoder = SentenceStateLSTM(16, 16, transition=transition)
    inputs, mask = batch(size=16)
    expected = encoder(inputs, mask)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        results = encoder(inputs, mask)
    for ours, exact in zip(results, expected):
        torch.testing.assert_close(ours.float(), exact, rtol=0.1, atol=0.1)
    sum(ours.float().sum() for ours in results).backward()
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())
