"""The precision of matrix products."""

from typing import Any, Dict, Optional

import torch


def autocast_dtype(device: torch.device) -> Optional[torch.dtype]:
    """Return the precision that autocast gives to products on the device, or None if it is off."""
    if device.type not in ("cpu", "cuda"):
        return None
    if hasattr(torch, "get_autocast_dtype"):  # from PyTorch 2.4 on
        return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else None
    if device.type == "cuda":
        return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None


def computes_in_bfloat16() -> Optional[bool]:
    """Return whether the processor has instructions for bfloat16; None if PyTorch does not say."""
    found: Dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    known = [found[name] for name in ("avx512_bf16", "amx_bf16") if name in found]
    return any(known) if known else None
