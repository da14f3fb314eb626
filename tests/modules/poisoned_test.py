"""NaN or infinity in one sentence of a batch changes no bit of the others, for every encoder."""

import functools
from math import inf, nan

import pytest
import torch

from slstm_allennlp.encoders import MaxPoolingEncoder
from tests import conftest
from tests.conftest import slow_but
from tests.modules.common import MODULES

LENGTHS = (5, 3, 4, 0)
POISONED = 1

ALL = {**MODULES, "max_pooling": lambda: MaxPoolingEncoder(6)}
PRECISIONS = {"float32": torch.float32, "float64": torch.float64, "autocast": torch.float32}


def results(module, inputs, mask, autocast):
    """Return the outputs of all sentences, and the gradients of the inputs."""
    inputs = inputs.clone().requires_grad_()
    torch.manual_seed(1)  # for random initial states
    with conftest.autocast(torch.bfloat16, autocast):
        outputs = module(inputs, mask)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    # The loss is a sum over sentences, so a sentence's gradient does not depend on the others.
    sum(output.double().pow(2).sum() for output in outputs).backward()
    return [*outputs, inputs.grad]


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
    """With AMX, oneDNN 3.12 reads beyond a row, and multiplies the numbers of the next by zero."""
    x = torch.zeros(22, 42, dtype=torch.bfloat16)
    x[11] = nan
    return bool(torch.nn.functional.linear(x, x[:12].nan_to_num()).isnan().any(1).sum() > 1)


@pytest.mark.parametrize("where", ("first", "last", "padding"))
@pytest.mark.parametrize("poison", (nan, inf, -inf))
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ALL)
def test_a_poisoned_sentence_is_alone(name, precision, poison, where):
    if precision == "autocast" and where != "padding" and pytorch_spreads_nan():
        pytest.skip("PyTorch's own products in bfloat16 spread what is not finite on this processor")
    assert_alone(name, poison, where, precision)


@pytest.mark.parametrize("poison", (nan, inf))
@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(("slstm", "cas_lstm"))])
def test_on_pytorchs_own_operations(monkeypatch, name, poison):
    for module in ("ops.slstm.choose_kernels", "modules.cell_aware_stacked_lstm"):
        monkeypatch.setattr(f"slstm_allennlp.{module}.load_kernels", lambda name: None)
    assert_alone(name, poison, "first", "float32")


ON_GPU = [
    *(("slstm one step", "float32", "first", nan), ("slstm paper", "float32", "first", nan)),
    *(("slstm recompute", "autocast", "last", -inf), ("slstm fastnlp", "float64", "padding", nan)),
    *(("slstm released", "float32", "last", inf), ("slstm balanced", "autocast", "last", nan)),
    *(("slstm no node", "float32", "first", -inf), ("slstm window", "autocast", "padding", inf)),
]


# The interpreter is slow: `make test` runs only one of these.
@pytest.mark.parametrize("name, precision, where, poison", slow_but(ON_GPU, fast=ON_GPU[:1]))
@pytest.mark.skipif(torch.cuda.is_available(), reason="Triton's interpreter is for other machines")
def test_on_the_kernels_for_gpus(monkeypatch, name, precision, where, poison):
    """Replace the CPU kernels by the GPU kernels, in Triton's interpreter."""
    pytest.importorskip("triton", reason="Triton is not installed (requirements-dev.txt has it)")
    from slstm_allennlp.ops.slstm import choose_kernels
    from slstm_allennlp.ops.slstm.kernels.gpu import triton_kernels

    monkeypatch.setattr(choose_kernels, "load_kernels", lambda name: triton_kernels)
    assert_alone(name, poison, where, precision)
