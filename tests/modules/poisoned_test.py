"""
NaN or infinity in one sentence of a batch does not change the outputs and gradients of the others by a
single bit, for every encoder, kernel and precision.
"""

import contextlib
import functools

import pytest
import torch

from slstm_allennlp.encoders import MaxPoolingEncoder
from tests.conftest import slow_but
from tests.modules.common import MODULES

LENGTHS = (5, 3, 4, 0)
POISONED = 1

ALL = {**MODULES, "max_pooling": lambda: MaxPoolingEncoder(6)}
PRECISIONS = {"float32": torch.float32, "float64": torch.float64, "autocast": torch.float32}


def results(module, inputs, mask, autocast):
    """Return the outputs of all sentences, and the gradients of the inputs."""
    inputs = inputs.clone().requires_grad_()
    context = torch.autocast("cpu", torch.bfloat16) if autocast else contextlib.nullcontext()
    torch.manual_seed(1)  # for random initial states
    with context:
        outputs = module(inputs, mask)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    # The loss is a sum over sentences, so a sentence's gradient does not depend on the others.
    sum(output.double().pow(2).sum() for output in outputs).backward()
    return [*outputs, inputs.grad]


@pytest.fixture
def without_compiled_kernels(monkeypatch):
    for module in ("ops.slstm.choose_kernels", "modules.cell_aware_stacked_lstm"):
        monkeypatch.setattr(f"slstm_allennlp.{module}.load_kernels", lambda name: None)


def assert_alone(name, poison, where, precision):
    """Compare the results with and without the poison: no other sentence's may differ in any bit."""
    dtype, autocast = PRECISIONS[precision], precision == "autocast"
    module = ALL[name]().to(dtype)
    mask = torch.arange(5) < torch.tensor(LENGTHS).unsqueeze(1)
    inputs = torch.randn(4, 5, 6, dtype=dtype).masked_fill(~mask.unsqueeze(-1), 0)
    poisoned = inputs.clone()
    poisoned[POISONED, {"first": 0, "last": 2, "padding": 4}[where], 2] = poison
    pairs = [*zip(*(results(module, given, mask, autocast) for given in (inputs, poisoned)))]
    rows = range(len(LENGTHS))
    different = {row for row in rows for one, other in pairs if not torch.equal(one[row], other[row])}
    # Padding is not seen, and -∞ does not change a maximum.
    is_seen = where != "padding" and not (name == "max_pooling" and poison < 0)
    assert different == ({POISONED} if is_seen else set())


@functools.cache
def pytorch_spreads_nan():
    """
    Return whether PyTorch's own products in bfloat16 spread NaN. With AMX, oneDNN 3.12 reads beyond a
    row whose length is not a multiple of 32, and multiplies the numbers of the next row by zero.
    """
    x = torch.zeros(22, 42, dtype=torch.bfloat16)
    x[11] = float("nan")
    return bool(torch.nn.functional.linear(x, x[:12].nan_to_num()).isnan().any(1).sum() > 1)


@pytest.mark.parametrize("where", ("first", "last", "padding"))
@pytest.mark.parametrize("poison", (float("nan"), float("inf"), -float("inf")))
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ALL)
def test_a_poisoned_sentence_is_alone(name, precision, poison, where):
    if precision == "autocast" and where != "padding" and pytorch_spreads_nan():
        pytest.skip("PyTorch's own products in bfloat16 spread what is not finite on this processor")
    assert_alone(name, poison, where, precision)


@pytest.mark.parametrize("poison", (float("nan"), float("inf")))
@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(("slstm", "cas_lstm"))])
def test_on_pytorchs_own_operations(without_compiled_kernels, name, poison):
    assert_alone(name, poison, "first", "float32")


@pytest.fixture
def gpu_kernels(monkeypatch):
    """Replace the CPU kernels by the GPU kernels, in Triton's interpreter."""
    pytest.importorskip("triton", reason="Triton is not installed (requirements-dev.txt has it)")
    from slstm_allennlp.ops.slstm.kernels.gpu import triton_kernels

    monkeypatch.setattr(
        "slstm_allennlp.ops.slstm.choose_kernels.load_kernels", lambda name: triton_kernels
    )


ON_GPU = [
    ("slstm one step", "float32", "first", float("nan")),
    ("slstm paper", "float32", "first", float("nan")),
    ("slstm recompute", "autocast", "last", -float("inf")),
    ("slstm fastnlp", "float64", "padding", float("nan")),
    ("slstm released", "float32", "last", float("inf")),
    ("slstm balanced", "autocast", "last", float("nan")),
    ("slstm no node", "float32", "first", -float("inf")),
    ("slstm window", "autocast", "padding", float("inf")),
]


# The interpreter is slow: `make test` runs only one of these.
@pytest.mark.parametrize("name, precision, where, poison", slow_but(ON_GPU, fast=ON_GPU[:1]))
def test_on_the_kernels_for_gpus(gpu_kernels, name, precision, where, poison):
    if torch.cuda.is_available():
        pytest.skip("Triton's interpreter is for machines without a GPU")
    assert_alone(name, poison, where, precision)
