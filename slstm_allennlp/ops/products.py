"""
The matrix products of the hand-written passes, by the faster of the libraries that PyTorch has: on a
CPU MKL or oneDNN, of which `torch.mm` gives single precision to the first and bfloat16 to the second.

oneDNN compiles a product for every number of rows that it meets, and keeps it. With sentences of any
length that is a millisecond or two in every batch, and much memory: so it is given round numbers.
"""

from functools import cache
from typing import Any, Callable, NamedTuple, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad

# oneDNN's product with a weight of so many numbers is a tenth to a half faster than MKL's on an AMD
# processor (benchmarks/README.md); smaller ones take it too long to start. PyTorch 1 does not have it.
LARGE = 90_000
_FEW = 64  # rows in bfloat16 for which laying W out anew takes longer than it saves
_FEW_TO_KEEP = 16  # rows in single precision for which oneDNN's own order gains nothing
_ALIGNED = 8  # rows of a GPU's products: of any even number of numbers, 16 bytes in half precision


class _Onednn(NamedTuple):
    """PyTorch's private operators for oneDNN."""

    linear: Callable[..., Tensor]
    pack: Callable[[Tensor, int], Tensor]
    has_bfloat16: bool


@cache
def _onednn() -> Optional[_Onednn]:
    """Those of this PyTorch, or None where it lacks or has changed one: `linear` is the fallback."""
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
    onednn = _onednn()
    if onednn and (W.is_mkldnn or _is_for_onednn(W, W.numel())):
        result = _onednn_product(onednn, x, W, bias)
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
    onednn = _onednn()
    if not onednn or not _is_for_onednn(d, d.size(1) * x.size(1)) or len(d) == 0:
        return torch.mm(d.t(), x)
    d, x = (_with_rows(part, rounded(len(part))) for part in (d, x))
    # It lays out its first factor anew, of which this has fewer columns.
    return _onednn_product(onednn, x.t(), d.t(), None).t()


def linear(x: Tensor, W: Tensor, bias: Optional[Tensor]) -> Tensor:
    """`product` with gradients, and in autocast's precision where there is one."""
    if not torch.is_autocast_cpu_enabled() and _is_for_onednn(W, W.numel()):
        return _Linear.apply(x, W, bias)
    return torch.nn.functional.linear(x, W, bias)


def packed(W: Tensor, rows: int, keep: bool = False) -> Tensor:
    """
    W for several products with about so many rows each: for oneDNN in the order in which it is read,
    which saves every product from making it so; elsewhere, and for a few rows of bfloat16 if it is
    not to `keep` for many batches, as it is.
    """
    onednn = _onednn()
    if onednn is None or rows == 0:
        return W
    if _is_low(W):
        pays = (keep or rows >= _FEW) and W.numel() >= LARGE and onednn.has_bfloat16
    else:
        pays = _is_for_onednn(W, W.numel())
    return onednn.pack(W.contiguous(), rounded(rows)) if pays else W


class Multiplication(NamedTuple):
    """x ↦ x Wᵀ without a gradient."""

    laid_out: Tensor
    is_turned: bool  # into Wᵀ; else W, in any layout

    @classmethod
    def with_weight(cls, W: Tensor, rows: int, keep: bool = False) -> "Multiplication":
        """
        For several products with about so many rows each.

        # Parameters

        W : `Tensor`
            *Shape:* (m, n)
        rows : `int`
        keep : `bool`, optional (default = `False`)
            Whether for so many products that any order in memory pays.
        """
        if keep and (rows < _FEW_TO_KEEP or W.numel() <= LARGE) and W.dtype == torch.float32:
            # MKL reads W as fast as memory gives it, if what it adds up stands side by side.
            return cls(W.t().contiguous(), True)
        return cls(packed(W, rows, keep), False)

    def __call__(self, x: Tensor) -> Tensor:
        return torch.mm(x, self.laid_out) if self.is_turned else product(x, self.laid_out)


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
    has = torch.backends.mkldnn.enabled and _onednn() is not None
    return single and size >= LARGE and bool(has)


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
