"""The matrix products of the hand-written passes, by the faster of the libraries that PyTorch has."""

from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# oneDNN's product of single precision on a CPU, which `torch.mm` gives to MKL. It was a tenth to a half
# faster on an AMD processor (benchmarks/README.md); PyTorch 1 does not have it.
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
    if _ONEDNN is not None and (W.is_mkldnn or (_is_single(x, W) and _has_onednn(x, W))):
        return _ONEDNN(x, W, bias, "none", [], "")
    return torch.nn.functional.linear(x, W, bias)


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
    if _is_single(x, d) and _has_onednn(x, d):
        # It lays out its first factor anew, of which this has fewer columns.
        return product(x.t(), d.t()).t()
    return torch.mm(d.t(), x)


def packed(W: Tensor, rows: int) -> Tensor:
    """
    W for several products with about so many rows each: on a CPU in the order in which oneDNN reads it,
    which saves every product from making it so; elsewhere as it is.
    """
    if _PACK is None or rows == 0 or W.device.type != "cpu" or not _has_onednn(W, W):
        return W
    low = W.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return _PACK(W.contiguous(), rows) if low or W.dtype == torch.float32 else W


def linear(x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    """`product` with gradients, and in autocast's precision where there is one."""
    autocast = torch.is_autocast_cpu_enabled()
    if not autocast and _is_single(x, W) and _has_onednn(x, W):
        return _Linear.apply(x, W, bias)
    return torch.nn.functional.linear(x, W, bias)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, x: Tensor, W: Tensor, bias: Optional[Tensor]
    ) -> Tensor:
        ctx.save_for_backward(x, W)
        return product(x, W, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d: Tensor) -> Tuple[Optional[Tensor], ...]:  # type: ignore[override]
        x, W = ctx.saved_tensors
        d_x = product(d, W.t()) if ctx.needs_input_grad[0] else None
        return d_x, product_over_rows(d, x), d.sum(0) if ctx.needs_input_grad[2] else None


def _is_single(x: Tensor, W: Tensor) -> bool:
    return x.dtype == W.dtype == torch.float32 and x.device.type == "cpu"


def _has_onednn(x: Tensor, W: Tensor) -> bool:
    nothing = x.numel() == 0 or W.numel() == 0  # which it does not take
    return _ONEDNN is not None and not nothing and bool(torch.backends.mkldnn.enabled)
