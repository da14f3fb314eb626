"""
The matrix products of the hand-written passes, by the faster of PyTorch's two CPU libraries. `torch.mm`
uses MKL in single precision and oneDNN in bfloat16; this module also uses oneDNN for large products in
single precision.

oneDNN compiles and caches a product for every number of rows. With sentences of any length this takes
one or two milliseconds in every batch, and much memory. So the number of rows is rounded up.
"""

from functools import cache
from typing import Any, Callable, NamedTuple, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad

# With a weight of at least this many elements, oneDNN's product is 10 to 50 per cent faster than MKL's
# on an AMD processor (benchmarks/README.md); with smaller ones, its overhead is too large. PyTorch 1
# does not have these operators.
LARGE = 90_000
_MIN_ROWS_BFLOAT16 = 64  # with fewer rows in bfloat16, packing W takes longer than it saves
_GPU_ROWS = 8  # on a GPU, rows are a multiple of this: 16 bytes in half precision, whatever the width


class _Onednn(NamedTuple):
    """PyTorch's private operators for oneDNN."""

    linear: Callable[..., Tensor]
    pack: Callable[[Tensor, int], Tensor]
    has_bfloat16: bool


@cache
def _onednn() -> Optional[_Onednn]:
    """
    Return the oneDNN operators of this PyTorch. Return None if one is missing or has changed: the
    fallback is `torch.nn.functional.linear`.
    """
    try:
        operators = torch.ops.mkldnn
        found = _Onednn(
            operators._linear_pointwise,
            operators._reorder_linear_weight,
            operators._is_mkldnn_bf16_supported(),
        )
        one = torch.ones(1, 1, dtype=torch.float32)
        _onednn_product(found, one, found.pack(one, 1), None)
    except (AttributeError, RuntimeError, TypeError):
        return None
    return found


def _onednn_product(onednn: _Onednn, x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    return onednn.linear(x, W, bias, "none", [], "")


def product(x: Tensor, W: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """
    Compute x Wᵀ + b like `torch.nn.functional.linear`, without a gradient: (rows, n), (m, n) and (m,) to
    (rows, m). W is in any memory layout, or the result of `packed`.
    """
    rows = len(x)
    if rows == 0:
        return x.new_zeros(0, len(W))
    if not W.is_cuda:  # on a GPU, padding costs more than it saves
        x = _with_rows(x, rows_for(rows, W))
    onednn = _onednn()
    if onednn and (W.is_mkldnn or _is_for_onednn(W, W.numel())):
        result = _onednn_product(onednn, x, W, bias)
    else:
        result = torch.nn.functional.linear(x, W, bias)
    return result[:rows]


def product_over_rows(d: Tensor, x: Tensor) -> Tensor:
    """Compute a weight's gradient dᵀ x, (m, n), from that of x Wᵀ, (rows, m), and x, (rows, n)."""
    onednn = _onednn()
    if not onednn or not _is_for_onednn(d, d.size(1) * x.size(1)) or len(d) == 0:
        return torch.mm(d.t(), x)
    d, x = (_with_rows(part, rounded(len(part))) for part in (d, x))
    # oneDNN repacks its first factor, so take xᵀ d: x has fewer columns.
    return _onednn_product(onednn, x.t(), d.t(), None).t()


def linear(x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    """Compute x Wᵀ + b with gradients, under autocast in its precision."""
    if not torch.is_autocast_cpu_enabled() and _is_for_onednn(W, W.numel()):
        return _Linear.apply(x, W, bias)
    return torch.nn.functional.linear(x, W, bias)


def packed(W: Tensor, rows: int, keep: bool = False) -> Tensor:
    """
    Return W for several products with about `rows` rows each. For oneDNN, W is packed into oneDNN's own
    memory layout, so that the products do not repack it. Otherwise W is returned unchanged, also for few
    rows in bfloat16, unless W is to `keep` for many batches.
    """
    onednn = _onednn()
    if onednn is None or rows == 0:
        return W
    if _is_cpu_bfloat16(W):
        pays = (keep or rows >= _MIN_ROWS_BFLOAT16) and W.numel() >= LARGE and onednn.has_bfloat16
    else:
        pays = _is_for_onednn(W, W.numel())
    return onednn.pack(W.contiguous(), rounded(rows)) if pays else W


def rows_for(rows: int, W: Tensor) -> int:
    """Return how many rows to allocate for x, zeros included, so that `product` with W is fast."""
    if W.is_cuda:  # keeps the rows that come next in memory aligned
        return -(-rows // _GPU_ROWS) * _GPU_ROWS
    is_onednn = _is_cpu_bfloat16(W) or W.is_mkldnn or _is_for_onednn(W, W.numel())
    return rounded(rows) if is_onednn else rows


def rounded(rows: int) -> int:
    """Round up by at most 3 per cent (by at most 7 if there are few rows)."""
    step = max(8, 2 ** (rows.bit_length() - 6)) if rows > 32 else 1
    return -(-rows // step) * step


def _with_rows(x: Tensor, rows: int) -> Tensor:
    return x if len(x) == rows else pad(x, (0, 0, 0, rows - len(x)))


def _is_cpu_bfloat16(tensor: Tensor) -> bool:
    """Whether PyTorch itself computes the tensor's products with oneDNN."""
    return tensor.dtype == torch.bfloat16 and tensor.device.type == "cpu"


def _is_for_onednn(tensor: Tensor, size: int) -> bool:
    """Whether to use oneDNN for a product with this tensor, if the weight has `size` elements."""
    single = tensor.dtype == torch.float32 and tensor.device.type == "cpu"
    is_enabled = bool(torch.backends.mkldnn.enabled)
    return single and size >= LARGE and is_enabled and _onednn() is not None


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, x: Tensor, W: Tensor, bias: Optional[Tensor]
    ) -> Tensor:
        ctx.save_for_backward(x, W)
        return product(x, W, bias)

    @staticmethod
    def backward(ctx: Any, d: Tensor) -> Tuple[Optional[Tensor], ...]:  # type: ignore[override]
        x, W = ctx.saved_tensors
        d_bias = d.sum(0) if ctx.needs_input_grad[2] else None
        if torch.is_grad_enabled():  # for a second derivative
            return d @ W, d.t() @ x, d_bias
        d_x = product(d, W.t()) if ctx.needs_input_grad[0] else None
        return d_x, product_over_rows(d, x), d_bias
