"""The S-LSTM's Triton kernels, on a GPU if there is one, else in Triton's interpreter."""

import concurrent.futures
import multiprocessing
import types
from unittest import mock

import pytest
import torch

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops import compiled
from slstm_allennlp.ops.slstm import fused_slstm, is_fusible
from slstm_allennlp.ops.slstm.choose_kernels import choose_kernels
from tests.conftest import slow_but
from tests.modules.common import randomized
from tests.ops import slstm_test as on_cpu
from tests.ops.slstm_kernels_test import exact_results, kernel_arguments, results_of

triton = pytest.importorskip("triton", reason="Triton is not installed (requirements-dev.txt has it)")
from slstm_allennlp.ops.slstm.kernels.gpu import triton_kernels as gpu  # noqa: E402

SIZE = 4
LENGTHS = (9, 0, 1, 2)  # nine words are more than one Triton program processes
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def assert_equals_naive(encoder, needed=(True, True), **options):
    """Compare values and gradients of the kernels with those of the naive version."""
    randomized(encoder.to(DEVICE))
    kernels = on_cpu.of(encoder, fused_slstm, kernels=gpu, **options)
    inputs, mask = (tensor.to(DEVICE) for tensor in on_cpu.batch(LENGTHS, padded=10))
    on_cpu.assert_gradients_equal_naive(encoder, [kernels], inputs, mask, needed)


# Every pair of choices, and single ones. The interpreter is slow: `make test` runs only the first.
SETTINGS = [
    *((1, 1, True, "released"), (2, 1, False, "paper"), (1, 0, True, "fastnlp")),
    *((1, 0, True, "paper"), (2, 1, False, "fastnlp"), (1, 0, True, "released")),
    *((1, 1, None, transition) for transition in (on_cpu.TRANSITIONS[3], *on_cpu.MIXED)),
]


@pytest.mark.parametrize("window, nodes, boundary, transition", slow_but(SETTINGS, fast=SETTINGS[:1]))
def test_equals_naive(double, window, nodes, boundary, transition):
    encoder = SentenceStateLSTM(SIZE, SIZE, 2, window, nodes, boundary, transition)
    if not is_fusible(encoder.settings):
        pytest.skip("the kernels are not used for it")
    assert_equals_naive(encoder)


@pytest.mark.slow
@pytest.mark.parametrize("needed", ((True, False), (False, True)), ids=("words", "sentence"))
def test_what_is_not_needed(double, needed):
    options = {"need_words": needed[0], "need_sentence": needed[1], "recompute": True}
    assert_equals_naive(SentenceStateLSTM(SIZE, SIZE, num_steps=2), needed, **options)


def test_small_numbers_keep_their_digits():
    encoder = SentenceStateLSTM(SIZE, SIZE, num_steps=1, transition="released").to(DEVICE)
    inputs, mask = (tensor.to(DEVICE) for tensor in on_cpu.batch((3, 1), padded=3))
    words = []
    for dtype in (torch.float32, torch.float64):
        run = on_cpu.of(encoder.to(dtype), fused_slstm, kernels=gpu)
        words.append(run(1e-4 * inputs.to(dtype), mask)[0].double())
    assert (words[0] - words[1]).norm() <= 1e-5 * words[1].norm()


# The products' precision, and whether the candidate is the input.
LOW = [(torch.bfloat16, False), (torch.float32, True), (torch.float16, False), (torch.float16, True)]


@pytest.mark.parametrize("products, candidate", slow_but(LOW, fast=LOW[:1]))
def test_kernels_in_mixed_precision(products, candidate):
    """States in float32, products in lower precision: the only errors are those of rounding."""
    kernel_args = kernel_arguments((9, 0, 3), 65, 1, True, candidate, products, DEVICE)
    tolerance = max(2e-6, 4 * torch.finfo(products).eps)  # a GPU's exp is less precise
    for result, exact in zip(results_of(gpu, kernel_args), exact_results(kernel_args)):
        if exact is not None:
            torch.testing.assert_close(result, exact, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("low", (torch.bfloat16, torch.float16), ids=str)
def test_autocast(low):
    """Values and gradients are in float32, and close to those without autocast."""
    encoder = randomized(SentenceStateLSTM(16, 16, num_steps=2)).to(DEVICE)
    inputs, mask = (tensor.to(DEVICE) for tensor in on_cpu.batch(LENGTHS, padded=10, size=16))
    given = on_cpu.of(encoder, fused_slstm, kernels=gpu), inputs, mask, list(encoder.parameters())
    exact = on_cpu.with_gradients(*given)
    with torch.autocast(DEVICE, low):
        found = on_cpu.with_gradients(*given)
    assert any(not torch.equal(ours, expected) for ours, expected in zip(found, exact))
    for ours, expected in zip(found, exact):
        assert ours.dtype == torch.float32
        assert on_cpu.relative_error(ours, expected) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("lengths, window, node", [((1, 140), 1, True), ((1, 0, 2) * 50, 2, False)])
def test_more_than_one_block_of_a_program(double, lengths, window, node):
    """Long sentences, and many sentences."""
    kernel_args = kernel_arguments((*lengths, 20), 2, window, node, False, torch.float64, DEVICE)
    for ours, expected in zip(results_of(gpu, kernel_args), exact_results(kernel_args)):
        assert ours is expected is None or torch.allclose(ours, expected, rtol=0, atol=1e-10)


def test_a_kernel_that_is_wrong_is_found(monkeypatch):
    state = torch.get_rng_state()
    with torch.autocast(DEVICE, torch.bfloat16), torch.inference_mode():
        gpu.try_out(DEVICE)
    assert torch.equal(torch.get_rng_state(), state)
    monkeypatch.setattr(gpu, "windows_backward", lambda **_: None)
    with pytest.raises(RuntimeError, match=r"result \d+ of a small batch is .* away from"):
        gpu.try_out(DEVICE)


def test_refuses_what_is_not_contiguous():
    places = {"cu_seqlens": torch.tensor([0, 3], device=DEVICE), "window_size": 1}
    states, result = torch.zeros(4, 3, device=DEVICE).t(), torch.zeros(3, 12, device=DEVICE)
    with pytest.raises(ValueError, match=r"tensors \[1\] of _windows: expected contiguous tensors"):
        gpu.windows(**places, states=states, result=result)


TYPES = {torch.float64: "*fp64", torch.float32: "*fp32", torch.bfloat16: "*bf16", torch.int64: "*i64"}


def compile_kernels(capability, products):
    """Compile each kernel instead of launching it. Return its name, PTX and size of machine code."""
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
    for candidate, node in ((False, True), (True, True), (True, False)):
        results_of(gpu, kernel_arguments((3, 1), 300, 1, node, candidate, products, DEVICE))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("capability, bits", [(80, 16), (90, 16), (90, 32)])
def test_compiles_for_real_gpus(monkeypatch, capability, bits):
    """In a new process, because kernels of the interpreter cannot be compiled."""
    monkeypatch.setenv("TRITON_INTERPRET", "0")  # set, since conftest.py sets it otherwise
    products = torch.bfloat16 if bits == 16 else torch.float32
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        found = pool.submit(compile_kernels, capability, products).result()
    names = {getattr(kernel, "__name__", "") for kernel in vars(gpu).values()}
    kernels = {name for name in names if name.startswith(("_word_", "_node_", "_windows"))}
    assert {kernel for kernel, _, _ in found} == kernels
    for kernel, ptx, size in found:
        assert f".target sm_{capability}" in ptx and size > 0
        if bits == 32:  # loads of 16 bytes
            assert "ld.global.v4.b32" in ptx, kernel


@pytest.mark.parametrize("choice", ("1", "0"))
def test_zero_turns_triton_off(loader, monkeypatch, choice):
    monkeypatch.setenv("SLSTM_ALLENNLP_KERNELS", choice)
    monkeypatch.setattr(gpu, "try_out", lambda device: None)
    inputs = types.SimpleNamespace(device=torch.device("cuda"), dtype=torch.float32, numel=lambda: SIZE)
    found = choose_kernels(inputs, inputs, SentenceStateLSTM(SIZE, SIZE).settings)
    assert found is (None if choice == "0" else gpu)


@pytest.fixture
def loader(monkeypatch):
    """`load_gpu_kernels` with an empty cache before and after."""
    monkeypatch.delenv("SLSTM_ALLENNLP_KERNELS", raising=False)
    compiled.load_gpu_kernels.cache_clear()
    yield compiled.load_gpu_kernels
    compiled.load_gpu_kernels.cache_clear()


@pytest.mark.parametrize("error", (RuntimeError, triton.errors.TritonError))
def test_the_log_says_why_kernels_do_not_run(loader, monkeypatch, caplog, error):
    monkeypatch.setattr(gpu, "try_out", mock.Mock(side_effect=error("no C compiler\nand more")))
    assert loader("slstm", torch.device(DEVICE)) is None
    assert f"GPU kernels of slstm do not run here ({error.__name__}: no C compiler)" in caplog.text


@pytest.mark.skipif(DEVICE == "cpu", reason="there is no GPU here")
def test_module_on_a_gpu(loader):
    """Compare with the CPU at a real size. The module chooses the kernels."""
    assert loader("slstm", torch.device(DEVICE)) is gpu
    encoder = SentenceStateLSTM(300, 300)
    inputs, mask = on_cpu.batch((230, 1, 0, 77), padded=230, size=300)

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
    kernel_args = kernel_arguments((230, 1, 0, 77), 300, 1, True, False, torch.bfloat16, DEVICE)
    first, *others = (results_of(gpu, kernel_args) for _ in range(5))
    for other in others:
        for ours, again in zip(first, other):
            assert ours is again is None or torch.equal(ours, again)
