"""The S-LSTM's fast versions, compared with the naive one, which implementations_test.py tests."""

import weakref

import pytest
import torch
from allpairspy import AllPairs

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops import products
from slstm_allennlp.ops.compiled import load_gpu_kernels, load_kernels
from slstm_allennlp.ops.precision import computes_in_bfloat16
from slstm_allennlp.ops.slstm import (
    Transition,
    batched_slstm,
    fused,
    fused_slstm,
    is_fusible,
    naive_slstm,
)
from tests.conftest import autocast
from tests.modules.common import CHOICES, randomized

SIZE = 4
LENGTHS = (6, 0, 1, 3)
TRANSITIONS = ("paper", "released", "fastnlp", {"preset": "released", "initial_state": "uniform"})
# Single choices, in combination with the paper's other choices.
PAPER = vars(Transition())
MIXED = (
    *({key: value} for key, values in CHOICES.items() for value in values if value != PAPER[key]),
    "balanced",
)
# Transition, window, number of nodes, and layer normalization.
SETTINGS = (
    *(("paper", 1, 1, False), ("paper", 2, 0, False), ("paper", 2, 2, True)),
    *(("released", 1, 1, False), ("released", 2, 1, False), (TRANSITIONS[-1], 1, 1, False)),
    *(("fastnlp", 2, 1, False), ("fastnlp", 1, 2, True)),
    ({"gate_normalization": "softmax"}, 1, 1, False),
)


def batch(lengths=LENGTHS, padded=7, size=SIZE):
    inputs = torch.randn(len(lengths), padded, size)
    return inputs, torch.arange(padded) < torch.tensor(lengths).unsqueeze(1)


def of(encoder, function, **options):
    """Return the function of inputs and mask that computes the encoder by one of the versions."""
    what = encoder.weights, encoder.settings
    return lambda x, mask: function(x, mask, *what, encoder._initial_state(x), **options)


def versions(encoder, **options):
    recompute = {key: value for key, value in options.items() if key == "recompute"}
    result = {"batched": of(encoder, batched_slstm, **recompute)}
    device = encoder.word_W.device
    kernels = COMPILED if device.type == "cpu" else load_gpu_kernels("slstm", device)
    if is_fusible(encoder.settings) and kernels is not None:
        result["fused"] = of(encoder, fused_slstm, kernels=kernels, **options)
    return result


def seeded(function, *arguments):
    """Call a function with a fixed seed, for random initial states."""
    torch.manual_seed(1)
    return function(*arguments)


def with_gradients(function, inputs, mask, variables, needed=(True, True)):
    """Return what is needed, and the gradients of a loss in which every number has its own weight."""
    results = [out for out, need in zip(seeded(function, inputs, mask), needed) if need]
    torch.manual_seed(2)
    loss = 0.0
    for out in results:  # the incoming gradients are in another order of memory
        turned = out.permute(*reversed(range(out.dim())))
        loss += (turned * torch.randn(turned.shape, dtype=torch.float32, device=out.device)).sum()
    gradients = torch.autograd.grad(loss, variables, allow_unused=True)
    return [*results, *(torch.zeros_like(v) if d is None else d for d, v in zip(gradients, variables))]


def assert_gradients_equal_naive(encoder, functions, inputs, mask, needed=(True, True)):
    """Compare values and gradients, with NaN at padding."""
    inputs.masked_fill_(~mask.unsqueeze(-1), float("nan")).requires_grad_()
    given = inputs, mask, [inputs, *encoder.parameters()], needed
    expected = with_gradients(of(encoder, naive_slstm), *given)
    for function in functions:
        found = with_gradients(function, *given)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)
        assert not found[sum(needed)][~mask].any()  # the gradient of the inputs


def relative_error(ours, exact):
    """Return the error as a share. It is some hundredths in bfloat16, which has eight bits."""
    return ((ours.to(exact.dtype) - exact).norm() / exact.norm().clamp(min=1e-12)).item()


COMPILED = load_kernels("slstm")
needs_kernels = pytest.mark.skipif(COMPILED is None, reason="there are no compiled kernels here")


@pytest.mark.parametrize(
    "window, nodes, boundary, transition, layer_norm",
    AllPairs([(1, 2, 3), (0, 1, 2, 3), (False, True), (*TRANSITIONS, *MIXED), (False, True)]),
)
def test_equals_naive(double, window, nodes, boundary, transition, layer_norm):
    settings = (window, nodes, boundary, transition, layer_norm)
    encoder = randomized(SentenceStateLSTM(SIZE, SIZE, 3, *settings))
    inputs, mask = batch()
    inputs.masked_fill_(~mask.unsqueeze(-1), float("nan"))
    expected = seeded(of(encoder, naive_slstm), inputs, mask)
    for version in (encoder, *versions(encoder).values()):
        found = seeded(version, inputs, mask)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)
        assert not found[0][~mask].any()


NEEDED = ((True, True), (True, False), (False, True))


@pytest.mark.parametrize("settings, needed, recompute", AllPairs([SETTINGS, NEEDED, (False, True)]))
def test_gradients_equal_naive(double, settings, needed, recompute):
    transition, window, nodes, layer_norm = settings
    encoder = randomized(SentenceStateLSTM(SIZE, SIZE, 4, window, nodes, None, transition, layer_norm))
    fused = {"need_words": needed[0], "need_sentence": needed[1], "recompute": recompute}
    assert_gradients_equal_naive(encoder, versions(encoder, **fused).values(), *batch(), needed)


# With the largest relative error of a value or a gradient. By "oneDNN": as for large weights.
PRECISIONS = {"float64": 1e-11, "float32": 1e-4, "float32 by oneDNN": 1e-4, "bfloat16": 0.04}
FUSIBLE = (
    *(("paper", 1, 1), ("paper", 2, 0), ("released", 1, 1), ("released", 1, 0)),
    *(("fastnlp", 2, 1), ("fastnlp", 1, 0), ({"candidate": "input"}, 2, 1)),
)


@pytest.mark.parametrize(
    "precision, settings, size, recompute, many_rows",
    # Sizes below, at and above the kernels' block of dimensions. In bfloat16, a weight's gradient is
    # added up at each step, at every third of them (60 or 68 words) and at the end.
    AllPairs([PRECISIONS, FUSIBLE, (1, 16, 65, 330), (False, True), (1, 150, 1024)]),
)
def test_every_precision_and_size(monkeypatch, precision, settings, size, recompute, many_rows):
    """Values and gradients, compared with those of the batched version in double precision."""
    monkeypatch.setattr(fused, "_MANY_ROWS", many_rows)
    if precision == "bfloat16":
        size = max(size, 16)  # the errors of one unit have no others to average out with
        if not computes_in_bfloat16():
            # Takes a minute. PyTorch 1 adds up products in bfloat16 then.
            size = min(size, 65)
    if precision == "float32 by oneDNN":
        monkeypatch.setattr(products, "LARGE", 1)
        monkeypatch.setattr(products, "_is_onednn_faster", lambda: products._onednn() is not None)
    transition, window, nodes = settings
    encoder = SentenceStateLSTM(size, size, 5, window, nodes, transition=transition)
    inputs, mask = batch((30, 7, 0, 23), padded=30, size=size)

    def results(dtype, version):
        x = inputs.to(dtype, copy=True).requires_grad_()
        function = versions(encoder.to(dtype), recompute=recompute)[version]
        return with_gradients(function, x, mask, [x, *encoder.parameters()])

    exact = results(torch.float64, "batched")
    dtype = torch.float64 if precision == "float64" else torch.float32
    for version in versions(encoder):
        with autocast(torch.bfloat16, precision == "bfloat16"):
            found = results(dtype, version)
        for ours, expected in zip(found, exact):
            assert ours.dtype == dtype
            assert relative_error(ours, expected) < PRECISIONS[precision]


@pytest.mark.skipif(not hasattr(torch.Tensor, "untyped_storage"), reason="PyTorch 1 has no such sizes")
def test_recompute_keeps_less(double):
    """Count the floats that autograd saves in addition to the weights, per word and unit."""

    def saved_floats(**options):
        encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=9, boundary=False, **options)
        inputs, mask = batch((50,) * 8, padded=50)
        weights, saved = {parameter.data_ptr() for parameter in encoder.parameters()}, {}

        def pack(tensor):
            if tensor.is_floating_point() and tensor.data_ptr() not in weights:
                saved[tensor.data_ptr()] = tensor.untyped_storage().nbytes() / tensor.element_size()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            encoder(inputs.requires_grad_(), mask)
        return sum(saved.values()) / (8 * 50 * SIZE)

    if COMPILED is not None:
        assert saved_floats() < 9 * 10  # a step's pre-activations, states and cells; U x; the inputs
        assert saved_floats(recompute=True) < 9 * 2 + 7 + 6
    several = saved_floats(num_sentence_nodes=2, recompute=True)
    assert several < saved_floats(num_sentence_nodes=2) / 3


class CountingKernels:
    """The compiled kernels. Counts the h, c and W ξ in memory after each step."""

    def __init__(self):
        self.tensors, self.alive = ([], [], []), []

    def __getattr__(self, name):
        return getattr(COMPILED, name)

    def word_forward(self, **arguments):
        states = COMPILED.word_forward(**arguments)
        for tensors, tensor in zip(self.tensors, (*states, arguments["pre"])):
            tensors.append(weakref.ref(tensor))
        self.alive.append(tuple(sum(one() is not None for one in each) for each in self.tensors))
        return states


@needs_kernels
@pytest.mark.cpu
@pytest.mark.parametrize("needs_gradients", (True, False))
@pytest.mark.parametrize("recompute", (False, True))
def test_without_gradients_no_step_is_kept(needs_gradients, recompute):
    encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=6).requires_grad_(needs_gradients)
    kernels = CountingKernels()
    fused_slstm(*batch(), encoder.weights, encoder.settings, kernels=kernels, recompute=recompute)
    h, c, pre = map(list, zip(*kernels.alive))
    assert h == c == ([1, 2, 3, 4, 5, 6] if needs_gradients else [1, 2, 2, 2, 2, 2])
    assert (max(pre) <= 2) == (not needs_gradients or recompute)


@needs_kernels
@pytest.mark.cpu
def test_a_second_derivative_is_refused(double):
    """It is refused for every variable, because the part of the steps would be missing."""
    encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=2)
    inputs, mask = batch()
    words, _ = of(encoder, fused_slstm, kernels=COMPILED, recompute=True)(inputs.requires_grad_(), mask)
    scale = torch.ones((), requires_grad=True)  # as of a layer behind the encoder
    (expected,) = torch.autograd.grad(words.sum(), inputs, retain_graph=True)
    (gradient,) = torch.autograd.grad((scale * words).sum(), inputs, create_graph=True)
    assert torch.equal(gradient, expected)
    for variable in (inputs, encoder.word_U, encoder.word_W, encoder.initial_h, scale):
        with pytest.raises(RuntimeError, match="differentiated once, expected no second derivative"):
            torch.autograd.grad(gradient.pow(2).sum(), variable, retain_graph=True)
    if not hasattr(torch._C, "_functorch"):  # PyTorch 1
        return
    with pytest.raises(RuntimeError, match="take one gradient at a time, expected no batched ones"):
        torch.autograd.grad(words, inputs, torch.ones(2, *words.shape), is_grads_batched=True)


@pytest.mark.parametrize("dtype", (torch.bfloat16, torch.float16))
@pytest.mark.parametrize("transition", TRANSITIONS[:3])
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
        assert relative_error(ours, exact) < 0.03
    sum(ours.float().sum() for ours in results).backward()
    assert all(parameter.grad.isfinite().all() for parameter in encoder.parameters())


def test_bfloat16_is_autocast():
    torch.manual_seed(0)
    encoder = SentenceStateLSTM(16, 16)
    torch.manual_seed(0)
    low = SentenceStateLSTM(16, 16, bfloat16=True)
    inputs, mask = batch(size=16)
    with autocast(torch.bfloat16):
        expected = encoder(inputs, mask)
    for ours, theirs, exact in zip(low(inputs, mask), expected, encoder(inputs, mask)):
        assert ours.dtype == torch.float32
        assert torch.equal(ours, theirs) and not torch.equal(ours, exact)
    trace = low.trace(inputs, mask)
    for traced, ours, exact in zip(trace[-2:], low(inputs, mask), encoder(inputs, mask)):
        assert relative_error(traced, ours) < 0.01 and not torch.equal(traced, exact)


@pytest.mark.parametrize("bfloat16", (False, True))
def test_random_initial_states_are_in_single_precision(bfloat16):
    """Like all states, also under autocast with inputs in low precision."""
    encoder = SentenceStateLSTM(16, 16, transition=TRANSITIONS[-1], bfloat16=bfloat16)
    inputs, mask = batch(size=16)
    expected = seeded(encoder, inputs, mask)
    with autocast(torch.bfloat16):
        results = seeded(encoder, inputs.bfloat16(), mask)
    for ours, exact in zip(results, expected):
        assert ours.dtype == torch.float32 and relative_error(ours, exact) < 0.03


@pytest.mark.parametrize("window", (30, 31))
def test_the_widest_windows(window):
    """The largest window of the kernels, and one more."""
    encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=2, window_size=window)
    inputs, mask = batch()
    torch.testing.assert_close(encoder(inputs, mask), versions(encoder)["batched"](inputs, mask))
