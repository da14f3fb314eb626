"""
The S-LSTM's Triton kernels, compared with the naive version: on a GPU if there is one, else in Triton's
interpreter. The kernels are also compiled for GPUs that are not present.
"""

import concurrent.futures
import logging
import multiprocessing
import os
import types

import pytest
import torch

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops import compiled
from slstm_allennlp.ops.compiled import load_kernels
from slstm_allennlp.ops.slstm import fused_slstm
from slstm_allennlp.ops.slstm.choose_kernels import choose_kernels
from tests.conftest import slow_but
from tests.ops.slstm_kernel_calls import as_double, kernel_arguments, results_of
from tests.ops.slstm_test import (
    MIXED,
    TRANSITIONS,
    assert_gradients_equal_naive,
    batch,
    name,
    of,
    randomized,
    relative_error,
    with_gradients,
)

triton = pytest.importorskip("triton", reason="Triton is not installed (requirements-dev.txt has it)")
from slstm_allennlp.ops.slstm.kernels.gpu import triton_kernels as gpu  # noqa: E402

COMPILED = load_kernels("slstm")
SIZE = 4
LENGTHS = (9, 0, 1, 2)  # nine words are more than one Triton program processes
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def assert_equals_naive(encoder, needed=(True, True), **options):
    """Compare values and gradients of the kernels with those of the naive version."""
    randomized(encoder.to(DEVICE))
    kernels = of(encoder, fused_slstm, kernels=gpu, **options)
    inputs, mask = (tensor.to(DEVICE) for tensor in batch(LENGTHS, padded=10))
    assert_gradients_equal_naive(encoder, [kernels], inputs, mask, needed)


# Every pair of choices. The interpreter is slow: `make test` runs only one of them.
PAIRS = [
    ("released", 1, 1, True),
    ("paper", 1, 2, False),
    ("fastnlp", 0, 1, True),
    ("paper", 0, 1, True),
    ("fastnlp", 1, 2, False),
    ("released", 0, 1, True),
]


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("transition, nodes, window, boundary", slow_but(PAIRS, fast=PAIRS[:1]))
def test_equals_naive(transition, nodes, window, boundary):
    assert_equals_naive(SentenceStateLSTM(SIZE, SIZE, 2, window, nodes, boundary, transition))


@pytest.mark.slow
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("transition", [TRANSITIONS[3], *MIXED], ids=name)
def test_single_choices_equal_naive(transition):
    assert_equals_naive(SentenceStateLSTM(SIZE, SIZE, num_steps=2, transition=transition))


@pytest.mark.slow
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("needed", ((True, False), (False, True)), ids=("words", "sentence"))
def test_what_is_not_needed(needed):
    options = {"need_words": needed[0], "need_sentence": needed[1], "recompute": True}
    assert_equals_naive(SentenceStateLSTM(SIZE, SIZE, num_steps=2), needed, **options)


MIXED_PRECISION = [
    (torch.bfloat16, True),
    (torch.float32, False),
    (torch.float16, True),
    (torch.float16, False),
]


@pytest.mark.parametrize("products, sigmoid_first", slow_but(MIXED_PRECISION, fast=MIXED_PRECISION[:1]))
def test_kernels_in_mixed_precision(products, sigmoid_first):
    """States in float32, products in lower precision: the only errors are those of rounding."""
    kernel_args = kernel_arguments(
        *((9, 0, 3), 65, 1, True, not sigmoid_first, products, torch.float32, DEVICE)
    )
    ours = results_of(gpu, kernel_args, sigmoid_first, products, torch.float32)
    expected = results_of(COMPILED, as_double(kernel_args), sigmoid_first, torch.float64, torch.float64)
    tolerance = max(2e-6, 4 * torch.finfo(products).eps)  # a GPU's exp is less precise
    for result, exact in zip(ours, expected):
        if exact is not None:
            torch.testing.assert_close(result, exact, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("low", (torch.bfloat16, torch.float16), ids=str)
def test_autocast(low):
    """Values and gradients are in float32, and close to those without autocast."""
    encoder = randomized(SentenceStateLSTM(16, 16, num_steps=2)).to(DEVICE)
    inputs, mask = (tensor.to(DEVICE) for tensor in batch(LENGTHS, padded=10, size=16))

    given = of(encoder, fused_slstm, kernels=gpu), inputs, mask, list(encoder.parameters())
    exact = with_gradients(*given)
    with torch.autocast(DEVICE, low):
        found = with_gradients(*given)
    assert any(not torch.equal(ours, expected) for ours, expected in zip(found, exact))
    for ours, expected in zip(found, exact):
        assert ours.dtype == torch.float32
        assert relative_error(ours, expected) < 0.03


@pytest.mark.slow
@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(
    "lengths, window, node", [((1, 140), 1, True), ((*(1, 0, 2) * 50, 20), 2, False)]
)
def test_more_than_one_block_of_a_program(lengths, window, node):
    """Long sentences, and many sentences."""
    types = torch.float64, torch.float64
    kernel_args = kernel_arguments(lengths, 2, window, node, False, *types, DEVICE)
    found = results_of(gpu, kernel_args, True, *types)
    exact = results_of(COMPILED, as_double(kernel_args), True, *types)
    for ours, expected in zip(found, exact):
        assert ours is expected is None or torch.allclose(ours, expected, rtol=0, atol=1e-10)


def test_a_kernel_that_is_wrong_is_found(monkeypatch):
    gpu.try_out(DEVICE)
    monkeypatch.setattr(gpu, "windows_backward", lambda **_: None)
    with pytest.raises(RuntimeError, match=r"result \d+ of a small batch is .* away from"):
        gpu.try_out(DEVICE)


def test_refuses_what_is_not_contiguous():
    states = torch.zeros(4, 3, device=DEVICE).t()
    with pytest.raises(ValueError, match=r"tensors \[1\] of _windows: expected contiguous tensors"):
        gpu.windows(
            cu_seqlens=torch.tensor([0, 3], device=DEVICE),
            window_size=1,
            states=states,
            result=torch.zeros(3, 12, device=DEVICE),
        )


TYPES = {
    torch.float32: "*fp32",
    torch.bfloat16: "*bf16",
    torch.float16: "*fp16",
    torch.float64: "*fp64",
    torch.int64: "*i64",
}


def compile_kernels(capability, products):
    """
    Compile every kernel instead of launching it. Return (name, PTX, size of the machine code) of each.
    This needs a new process, because kernels of the interpreter cannot be compiled.
    """
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    found = []

    def compile_(kernel, programs, hidden_size, *arguments, columns=None, **constants):
        constants = {**constants, "HIDDEN": hidden_size}
        signature = dict.fromkeys(kernel.arg_names, "constexpr")
        attributes = {}
        for place, (argument, value) in enumerate(zip(kernel.arg_names, arguments)):
            if value is None:
                constants[argument] = None
            elif isinstance(value, int):
                signature[argument] = "i32"
            else:
                signature[argument] = TYPES[value.dtype]
                attributes[(place,)] = [["tt.divisibility", 16]]
        source = ASTSource(kernel, signature, constants, attributes)
        code = triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm
        found.append((kernel.__name__, code["ptx"], len(code["cubin"])))

    gpu._launch = compile_
    states = torch.float64 if products == torch.float64 else torch.float32
    for sigmoid_first, node in ((True, True), (False, True), (False, False)):
        kernel_args = kernel_arguments((3, 1), 300, 1, node, not sigmoid_first, products, states, DEVICE)
        results_of(gpu, kernel_args, sigmoid_first, products, states)
    return found


@pytest.fixture(scope="module")
def compiler():
    """A process that compiles kernels, instead of interpreting them."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("TRITON_INTERPRET", "0")  # set, since conftest.py sets it otherwise
            pool.submit(os.getpid).result()  # the process starts and copies the environment
        yield pool


@pytest.mark.slow
@pytest.mark.parametrize(
    "capability, products", [(80, torch.bfloat16), (90, torch.bfloat16), (90, torch.float32)]
)
def test_compiles_for_real_gpus(compiler, capability, products):
    found = compiler.submit(compile_kernels, capability, products).result()
    functions = {kernel for kernel, _, _ in found}
    assert functions == {
        kernel.__name__
        for kernel in vars(gpu).values()
        if getattr(kernel, "__name__", "").startswith(("_word_", "_node_", "_windows"))
    }
    for kernel, ptx, size in found:
        assert f".target sm_{capability}" in ptx and size > 0
        if products == torch.float32:  # loads of 16 bytes
            assert "ld.global.v4.b32" in ptx, kernel


@pytest.mark.parametrize("choice", ("1", "0", "triton"))
def test_triton_is_off_unless_asked_for(loader, monkeypatch, choice):
    monkeypatch.setenv("SLSTM_ALLENNLP_KERNELS", choice)
    monkeypatch.setattr(gpu, "try_out", lambda device: None)
    inputs = types.SimpleNamespace(device=torch.device("cuda"), dtype=torch.float32, numel=lambda: SIZE)
    found = choose_kernels(inputs, torch.float32, SentenceStateLSTM(SIZE, SIZE).settings)
    assert found is (gpu if choice == "triton" else None)


@pytest.fixture
def loader(monkeypatch):
    """`load_gpu_kernels` with Triton chosen, with an empty cache before and after."""
    monkeypatch.setenv("SLSTM_ALLENNLP_KERNELS", "triton")
    compiled.load_gpu_kernels.cache_clear()
    yield compiled.load_gpu_kernels
    compiled.load_gpu_kernels.cache_clear()


@pytest.mark.parametrize("error", (RuntimeError, triton.errors.TritonError))
def test_the_log_says_why_kernels_do_not_run(loader, monkeypatch, caplog, error):
    def fail(device):
        raise error("no C compiler\nand more")

    monkeypatch.setattr(gpu, "try_out", fail)
    with caplog.at_level(logging.WARNING):
        assert loader("slstm", torch.device(DEVICE)) is None
    assert f"GPU kernels of slstm do not run here ({error.__name__}: no C compiler)" in caplog.text


@pytest.mark.skipif(DEVICE == "cpu", reason="there is no GPU here")
def test_module_on_a_gpu(loader):
    """Compare with the CPU at a real size. The module chooses the kernels."""
    assert loader("slstm", torch.device(DEVICE)) is gpu
    encoder = SentenceStateLSTM(300, 300)
    inputs, mask = batch((230, 1, 0, 77), padded=230, size=300)

    def results(device):
        words, sentence = encoder.to(device)(inputs.to(device), mask.to(device))
        encoder.zero_grad(set_to_none=True)
        ((words**2).sum() + (sentence**2).sum()).backward()
        return [words, sentence, *(parameter.grad for parameter in encoder.parameters())]

    # Copies, because gradients move with their weights.
    expected = [result.detach().clone() for result in results("cpu")]
    for ours, exact in zip(results(DEVICE), expected):
        assert (ours.cpu() - exact).norm() < 1e-4 * exact.norm()


@pytest.mark.skipif(DEVICE == "cpu", reason="there is no GPU here")
def test_results_are_deterministic():
    kernel_args = kernel_arguments(
        (230, 1, 0, 77), 300, 1, True, False, torch.bfloat16, torch.float32, DEVICE
    )
    first, *others = (
        results_of(gpu, kernel_args, True, torch.bfloat16, torch.float32) for _ in range(5)
    )
    for other in others:
        for ours, again in zip(first, other):
            assert ours is again is None or torch.equal(ours, again)
