import types
from unittest import mock

import pytest
import torch

from slstm_allennlp.ops import products
from slstm_allennlp.ops.compiled import measured_once
from slstm_allennlp.ops.products import packed, product, product_over_rows, rounded, rows_for

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("onednn_is_faster")]

TYPES = (torch.float64, torch.float32, torch.bfloat16)
needs_onednn = pytest.mark.skipif(products._onednn() is None, reason="this PyTorch has no oneDNN's")
SIZES = pytest.mark.parametrize("m, n", ((40, 24), (500, 320)), ids=("small", "large"))


def assert_near(ours, exact, dtype):
    assert ours.dtype == dtype and ours.layout == torch.strided
    assert (ours.double() - exact).norm() <= 8 * torch.finfo(dtype).eps * exact.norm()


@pytest.fixture(params=("with", "without"))
def private_operators(request, monkeypatch):
    """Test with oneDNN's private operators, and without, as on a PyTorch that has none."""
    if request.param == "without":
        monkeypatch.setattr(products, "_onednn", lambda: None)


@pytest.mark.usefixtures("private_operators")
@SIZES
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("rows", (0, 1, 5, 300, 301))
@pytest.mark.parametrize("transposed", (False, True))
def test_product(dtype, rows, transposed, m, n):
    x = torch.randn(rows, n).to(dtype)
    W = (torch.randn(n, m).t() if transposed else torch.randn(m, n)).to(dtype)
    exact = x.double() @ W.double().t()
    for bias in (None, torch.randn(m).to(dtype)):
        exact = exact if bias is None else exact + bias.double()
        assert_near(product(x, W, bias), exact, dtype)
        for expected_rows in (0, 1, 5, 300):  # a hint, which may be wrong
            assert_near(product(x, packed(W, expected_rows), bias), exact, dtype)


@pytest.mark.usefixtures("private_operators")
@SIZES
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("rows", (0, 1, 301))
def test_product_over_rows(dtype, rows, m, n):
    d, x = torch.randn(rows, m).to(dtype), torch.randn(rows, n).to(dtype)
    exact = d.double().t() @ x.double()
    assert_near(product_over_rows(d, x), exact, dtype)
    total = torch.ones(m, n, dtype=torch.promote_types(dtype, torch.float32))
    assert product_over_rows(d, x, total) is total
    assert (total - 1 - exact).norm() <= 8 * torch.finfo(dtype).eps * (1 + exact).norm()


def test_operators_that_are_missing_or_changed(monkeypatch):
    """In a later PyTorch, a private operator may have another name or other arguments."""
    operators = {
        "_linear_pointwise": lambda x, W, bias, how, scalars, algorithm: x @ W.t(),
        "_reorder_linear_weight": lambda W, rows: W,
        "_is_mkldnn_bf16_supported": lambda: True,
    }

    def onednn_with(operators):
        monkeypatch.setattr(torch.ops, "mkldnn", types.SimpleNamespace(**operators))
        return products._onednn.__wrapped__()

    assert onednn_with(operators).has_bfloat16
    for name in operators:
        others = {key: value for key, value in operators.items() if key != name}
        assert onednn_with(others) is None
        assert onednn_with({**others, name: lambda *, other: None}) is None


def test_without_onednn():
    x, W = torch.randn(3, 320), torch.randn(500, 320)
    with torch.backends.mkldnn.flags(enabled=False):
        assert packed(W, 3) is W and rows_for(1001, W, W.dtype) == 1001
        assert_near(product(x, W), x.double() @ W.double().t(), torch.float32)
        assert_near(product_over_rows(x, x), x.double().t() @ x.double(), torch.float32)


def test_few_numbers_of_rows():
    """Row counts are rounded up a little to few different ones, so that few products are compiled."""
    for rows in range(10_000):
        padded = rounded(rows)
        assert rows <= padded <= max(1.035 * rows, rows + 7) and rounded(padded) == padded
    assert len({rounded(rows) for rows in range(100, 1000)}) < 90


@needs_onednn
def test_onednn_is_given_few():
    original, W = products._Onednn.product, torch.randn(500, 320)
    with mock.patch.object(products._Onednn, "product", autospec=True, side_effect=original) as spied:
        for rows in range(257, 301):
            product(torch.randn(rows, 320), W)
            product_over_rows(torch.randn(rows, 500), torch.randn(rows, 320))
    seen = {call.args[1].shape for call in spied.call_args_list}
    assert seen == {(n, 320) for n in range(264, 305, 8)} | {(320, n) for n in range(264, 305, 8)}


@pytest.mark.parametrize("faster", (True, False))
def test_the_faster_library_is_kept(monkeypatch, tmp_path, faster):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    measure = mock.Mock(return_value=faster)
    assert [measured_once("faster", measure) for _ in range(3)] == [faster] * 3
    measure.assert_called_once()
    (file,) = (tmp_path / "slstm_allennlp").iterdir()
    file.write_text("")  # a full disk has truncated it
    assert measured_once("faster", measure) is faster and measure.call_count == 2


@needs_onednn
@pytest.mark.parametrize("ours, faster", [(0.9, True), (0.97, False), (2.0, False)])
def test_onednn_must_be_five_per_cent_faster(monkeypatch, ours, faster):
    times = {"by_onednn": ours, "by_mkl": 1.0}
    monkeypatch.setattr(products, "timeit", lambda function, number: times[function.__name__])
    assert products._measure() is faster


@needs_onednn
def test_both_libraries_are_measured():
    state = torch.get_rng_state()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert products._measure() in (True, False)
    assert torch.equal(torch.get_rng_state(), state)
