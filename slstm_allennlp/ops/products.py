"""
The matrix products of the hand-written passes, by the faster of the libraries that PyTorch has: on a
CPU MKL or oneDNN, of which `torch.mm` gives single precision to the first and bfloat16 to the second.

oneDNN compiles a product for every number of rows that it meets, and keeps it. With sentences of any
length that is a millisecond or two in every batch, and much memory: so it is given round numbers.
"""

from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad

# oneDNN's product with a weight of so many numbers is a tenth to a half faster than MKL's on an AMD
# processor (benchmarks/README.md); smaller ones take it too long to start. PyTorch 1 does not have it.
_LARGE = 90_000
_FEW = 64  # rows in bfloat16 for which laying W out anew takes longer than it saves
_ALIGNED = 8  # rows of a GPU's products: of any even number of numbers, 16 bytes in half precision
_ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
_PACK = getattr(torch.ops.mkldnn, "_reorder_linear_weight", None)


def product(x: Tensor, W: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """
    x Wᵀ + b, as `torch.nn.functional.linear` has it, without a gradient.

    # Parameters

    x : `Tensor`
        *Shape:* (rows, n)
    W : `Tensor`
        In any layout, or `packed`. *Shape:* (m, n)
    bias : `Tensor`, optional (default = `None`)
        *Shape:* (m,)

    # Returns

    `Tensor`
        *Shape:* (rows, m)
    """
    rows = len(x)
    if rows == 0:
        return x.new_zeros(0, len(W))
    if not W.is_cuda:  # there zeros would cost more than they save
        x = _with_rows(x, rows_for(rows, W))
    if W.is_mkldnn or _is_for_onednn(W, W.numel()):
        result = _onednn(x, W, bias)
    else:
        result = torch.nn.functional.linear(x, W, bias)
    return result[:rows]


def product_over_rows(d: Tensor, x: Tensor) -> Tensor:
    """
    dᵀ x, the gradient of a weight W from that of x Wᵀ.

    # Parameters

    d : `Tensor`
        *Shape:* (rows, m)
    x : `Tensor`
        *Shape:* (rows, n)

    # Returns

    `Tensor`
        *Shape:* (m, n)
    """
    if not _is_for_onednn(d, d.size(1) * x.size(1)) or len(d) == 0:
        return torch.mm(d.t(), x)
    d, x = (_with_rows(part, rounded(len(part))) for part in (d, x))
    # It lays out its first factor anew, of which this has fewer columns.
    return _onednn(x.t(), d.t(), None).t()


def linear(x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    """`product` with gradients, and in autocast's precision where there is one."""
    if not torch.is_autocast_cpu_enabled() and _is_for_onednn(W, W.numel()):
        return _Linear.apply(x, W, bias)
    return torch.nn.functional.linear(x, W, bias)


def packed(W: Tensor, rows: int) -> Tensor:
    """
    W for several products with about so many rows each: for oneDNN in the order in which it is read,
    which saves every product from making it so; elsewhere, and for a few rows of bfloat16, as it is.
    """
    if _PACK is None or rows == 0:
        return W
    if _is_low(W):
        pays = rows >= _FEW and W.numel() >= _LARGE and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    else:
        pays = _is_for_onednn(W, W.numel())
    if not pays:
        return W
    return _PACK(W.contiguous(), rounded(rows))


def rows_for(rows: int, W: Tensor) -> int:
    """How many rows x best has in its place in memory, zeros behind its own, for `product` with W."""
    if W.is_cuda:  # what is read from the next place on stays aligned
        return -(-rows // _ALIGNED) * _ALIGNED
    return rounded(rows) if _is_low(W) or W.is_mkldnn or _is_for_onednn(W, W.numel()) else rows


def rounded(rows: int) -> int:
    """So many or up to 3 per cent more (up to 7, where they are few)."""
    step = max(8, 2 ** (rows.bit_length() - 6)) if rows > 32 else 1
    return -(-rows // step) * step


def _with_rows(x: Tensor, rows: int) -> Tensor:
    return x if len(x) == rows else pad(x, (0, 0, 0, rows - len(x)))


def _is_low(tensor: Tensor) -> bool:
    """Whether PyTorch itself gives its products to oneDNN."""
    return tensor.dtype == torch.bfloat16 and tensor.device.type == "cpu"


def _is_for_onednn(tensor: Tensor, size: int) -> bool:
    """Whether single precision's products with a weight of this size, and this type and device, are."""
    single = tensor.dtype == torch.float32 and tensor.device.type == "cpu"
    return _ONEDNN is not None and single and size >= _LARGE and bool(torch.backends.mkldnn.enabled)


def _onednn(x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    assert _ONEDNN is not None
    return _ONEDNN(x, W, bias, "none", [], "")


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
        if torch.is_grad_enabled():  # for a second derivative
            return d @ W, d.t() @ x, d.sum(0) if ctx.needs_input_grad[2] else None
        d_x = product(d, W.t()) if ctx.needs_input_grad[0] else None
        return d_x, product_over_rows(d, x), d.sum(0) if ctx.needs_input_grad[2] else None
