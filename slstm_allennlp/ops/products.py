"""The matrix products of the hand-written passes, by the faster of the libraries that PyTorch has."""

from typing import Optional

import torch
from torch import Tensor

# oneDNN's product of single precision on a CPU, which `torch.mm` gives to MKL. It was a tenth to a third
# faster on an AMD processor (benchmarks/README.md); PyTorch 1 does not have it.
_ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None)


def product(x: Tensor, W: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """
    x Wᵀ + b, as `torch.nn.functional.linear` has it, without a gradient.

    # Parameters

    x : `Tensor`
        *Shape:* (rows, n)
    W : `Tensor`
        In any layout. *Shape:* (m, n)
    bias : `Tensor`, optional (default = `None`)
        *Shape:* (m,)

    # Returns

    `Tensor`
        *Shape:* (rows, m)
    """
    single = x.dtype == W.dtype == torch.float32 and x.device.type == "cpu"
    nothing = x.numel() == 0 or W.numel() == 0  # which oneDNN does not take
    if _ONEDNN is None or not single or nothing or not torch.backends.mkldnn.enabled:
        return torch.nn.functional.linear(x, W, bias)
    return _ONEDNN(x, W, bias, "none", [], "")
