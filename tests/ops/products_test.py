import pytest
import torch

from slstm_allennlp.ops.products import linear, packed, product, product_over_rows


def has_half_products():
    try:
        torch.mm(torch.ones(1, 1).bfloat16(), torch.ones(1, 1).bfloat16())
    except RuntimeError:  # PyTorch 1.12 has none on a CPU
        return False
    return True


TYPES = (torch.float64, torch.float32, *((torch.bfloat16,) if has_half_products() else ()))


def check(ours, exact, dtype):
    assert ours.dtype == dtype and ours.layout == torch.strided
    torch.testing.assert_close(ours.double(), exact, rtol=1e-5, atol=16 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("rows", (0, 1, 5, 300))
@pytest.mark.parametrize("turned", (False, True))
def test_product(dtype, rows, turned):
    x = torch.randn(rows, 24).to(dtype) / 5
    W = (torch.randn(24, 40).t() if turned else torch.randn(40, 24)).to(dtype)
    exact = x.double() @ W.double().t()
    check(product(x, W), exact, dtype)
    for expected_rows in (0, 1, 5, 300):  # a guess, and it may be wrong
        check(product(x, packed(W, expected_rows)), exact, dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("rows", (0, 1, 300))
def test_product_over_rows(dtype, rows):
    d, x = torch.randn(rows, 40).to(dtype) / 5, torch.randn(rows, 24).to(dtype) / 5
    check(product_over_rows(d, x), d.double().t() @ x.double(), dtype)


def test_a_bias():
    x, W, bias = torch.randn(3, 24), torch.randn(40, 24), torch.randn(40)
    exact = x.double() @ W.double().t() + bias
    check(product(x, W, bias), exact, torch.float32)
    check(product(x, packed(W, 3), bias), exact, torch.float32)


@pytest.mark.parametrize("dtype", (torch.float64, torch.float32), ids=str)
@pytest.mark.parametrize("learns_x", (True, False))
def test_linear(dtype, learns_x):
    """Values and gradients as PyTorch's."""
    x = torch.randn(30, 24, dtype=dtype, requires_grad=learns_x)
    W, bias = torch.randn(40, 24, dtype=dtype), torch.randn(40, dtype=dtype)
    variables = [W.requires_grad_(), bias.requires_grad_(), *([x] if learns_x else [])]
    results = []
    for function in (linear, torch.nn.functional.linear):
        out = function(x, W, bias)
        results.append([out, *torch.autograd.grad((out**2).sum(), variables)])
    for ours, expected in zip(*results):
        torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-4)


def test_without_onednn():
    x, W = torch.randn(3, 24), torch.randn(40, 24)
    with torch.backends.mkldnn.flags(enabled=False):
        assert packed(W, 3) is W
        check(product(x, W), x.double() @ W.double().t(), torch.float32)
