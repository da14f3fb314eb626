"""
The matrix products of the hand-written passes, by the faster of PyTorch's two CPU libraries. `torch.mm`
uses MKL in single precision and oneDNN in bfloat16. In single precision, oneDNN takes half of MKL's time
on some processors, and more than it on others. So both are measured, once on each machine.

oneDNN compiles and caches a product for every number of rows. With sentences of any length this takes
one or two milliseconds in every batch, and much memory. So the number of rows is rounded up.
"""

import logging
from functools import cache
from timeit import timeit
from typing import Any, Callable, NamedTuple, Optional

import torch
from torch import Tensor
from torch.nn.functional import pad

from slstm_allennlp.ops.compiled import measured_once

logger = logging.getLogger(__name__)

# With a weight of fewer elements, oneDNN's overhead is too large.
LARGE = 90_000


class _Onednn(NamedTuple):
    """PyTorch's private operators for oneDNN."""

    linear: Callable[..., Tensor]
    pack: Callable[[Tensor, int], Tensor]
    has_bfloat16: bool

    def product(self, x: Tensor, W: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        return self.linear(x, W, bias, "none", [], "")


@cache
def _onednn() -> Optional[_Onednn]:
    """Return the operators of this PyTorch; None if one is missing (as in PyTorch 1) or has changed."""
    try:
        operators: Any = torch.ops.mkldnn
        found = _Onednn(
            operators._linear_pointwise,
            operators._reorder_linear_weight,
            operators._is_mkldnn_bf16_supported(),
        )
        one = torch.ones(1, 1, dtype=torch.float32, device="cpu")
        found.product(one, found.pack(one, 1))
    except (AttributeError, RuntimeError, TypeError):
        return None
    return found


@cache
def _is_onednn_faster() -> bool:
    """Whether oneDNN is 5 % faster here in single precision. It is measured once on a machine."""
    return _onednn() is not None and measured_once("onednn_is_faster", _measure)


def _measure() -> bool:
    """Compute the products of a training step by both libraries, in turns. Compare the best times."""
    x, d, W = (
        torch.ones(shape, dtype=torch.float32, device="cpu")
        for shape in ((256, 900), (256, 2100), (2100, 900))
    )
    onednn = _onednn()
    assert onednn is not None

    def by_onednn() -> None:
        onednn.product(x, W)
        onednn.product(d, W.t())
        onednn.product(x.t(), d.t())

    def by_mkl() -> None:
        x @ W.t()
        d @ W
        d.t() @ x

    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        times = [[timeit(products, number=1) for products in (by_onednn, by_mkl)] for _ in range(16)]
    ours, theirs = map(min, zip(*times))
    logger.info(
        "products take %.1f ms in oneDNN, %.1f ms in MKL, measured once", 1e3 * ours, 1e3 * theirs
    )
    # A tie is MKL's, whose calls cost less: with both alike (Zen 3), a step takes 5 to 12 % less time.
    # On Zen 4, oneDNN takes 0.82 to 0.96 of MKL's time, and a step 0.83 to 0.88.
    return ours < 0.95 * theirs


def uses_onednn(tensor: Tensor, size: int, dtype: Optional[torch.dtype] = None) -> bool:
    """
    Whether oneDNN computes a product with this tensor, if the weight has `size` elements. `dtype` is the
    precision of the product, by default that of the tensor.
    """
    dtype = dtype or tensor.dtype
    if tensor.device.type != "cpu" or not torch.backends.mkldnn.enabled:
        return False
    if dtype == torch.bfloat16:  # as in `torch.mm`
        return True
    return dtype == torch.float32 and size >= LARGE and _is_onednn_faster()


def packed(W: Tensor, rows: int) -> Tensor:
    """
    Return W for several products with about `rows` rows each. For oneDNN, a large W is packed into its
    own memory layout, so that the products do not repack it. Otherwise W is returned unchanged.
    """
    onednn = _onednn()
    if onednn is None or rows == 0 or W.numel() < LARGE or not uses_onednn(W, W.numel()):
        return W
    if W.dtype == torch.bfloat16 and not onednn.has_bfloat16:
        return W
    return onednn.pack(W.contiguous(), rounded(rows))


def product(x: Tensor, W: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """
    Compute x Wᵀ + b like `torch.nn.functional.linear`, without a gradient: (rows, n), (m, n) and (m,) to
    (rows, m). W is in any memory layout, or the result of `packed`.
    """
    rows, onednn = len(x), _onednn()
    if onednn is None or not (W.is_mkldnn or uses_onednn(W, W.numel())) or rows == 0:
        return torch.nn.functional.linear(x, W, bias) if rows else x.new_zeros(0, len(W))
    x = _with_rounded_rows(x)
    if W.is_mkldnn or W.dtype == torch.float32:
        return onednn.product(x, W, bias)[:rows]
    return torch.nn.functional.linear(x, W, bias)[:rows]


def product_over_rows(d: Tensor, x: Tensor, total: Optional[Tensor] = None) -> Tensor:
    """
    Compute a weight's gradient dᵀ x, (m, n), from that of x Wᵀ, (rows, m), and x, (rows, n). If `total`
    is given, add it to that in place, and return it.
    """
    onednn = _onednn()
    if onednn is None or len(d) == 0 or not uses_onednn(d, d.size(1) * x.size(1)):
        if total is not None and total.dtype == d.dtype:
            return total.addmm_(d.t(), x)  # one launch on a GPU
        result = torch.mm(d.t(), x)
    else:
        d, x = _with_rounded_rows(d), _with_rounded_rows(x)
        # oneDNN repacks its first factor, so take xᵀ d: x has fewer columns.
        is_low = d.dtype == torch.bfloat16
        result = torch.mm(d.t(), x) if is_low else onednn.product(x.t(), d.t()).t()
    return result if total is None else total.add_(result)


def rows_for(rows: int, W: Tensor, dtype: torch.dtype) -> int:
    """Return to how many rows to pad x with zeros for products with W in this precision."""
    return rounded(rows) if uses_onednn(W, W.numel(), dtype) else rows


def rounded(rows: int) -> int:
    """Round up by at most 1/32 (by at most 7 if there are few rows)."""
    step = max(8, 2 ** (rows.bit_length() - 6)) if rows > 32 else 1
    return -(-rows // step) * step


def _with_rounded_rows(x: Tensor) -> Tensor:
    rows = rounded(len(x))
    return x if len(x) == rows else pad(x, (0, 0, 0, rows - len(x)))
