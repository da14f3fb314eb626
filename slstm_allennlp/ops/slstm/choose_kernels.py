"""Which kernels compute an S-LSTM."""

from types import ModuleType
from typing import Optional

import torch
from torch import Tensor

from slstm_allennlp.ops.compiled import is_traced, is_transformed, load_gpu_kernels, load_kernels
from slstm_allennlp.ops.precision import autocast_dtype
from slstm_allennlp.ops.slstm.fused import is_fusible
from slstm_allennlp.ops.slstm.settings import SlstmSettings

# The largest `window_size` of the kernels. Triton unrolls the loop over the window, so a large one takes
# minutes to compile.
_LARGEST_WINDOW = {"cpu": 30, "cuda": 8}


def choose_kernels(inputs: Tensor, weight: Tensor, settings: SlstmSettings) -> Optional[ModuleType]:
    """
    Return the kernels for `fused_slstm`, or None if `batched_slstm` must be used: under a tracer or a
    transform, for settings and precisions without kernels, for no words, and where there are no kernels.
    `weight` is one of the weights. If it is on another device, PyTorch's operations say so.
    """
    device, dtype = inputs.device, weight.dtype
    if is_traced() or is_transformed() or not is_fusible(settings):
        return None
    if inputs.numel() == 0 or weight.device != device:
        return None
    if settings.window_size > _LARGEST_WINDOW.get(device.type, 0):
        return None
    low = autocast_dtype(device)
    if low is None:
        fits = dtype in (torch.float32, torch.float64) and inputs.dtype == dtype
    else:
        has_low = low == torch.bfloat16 or (low == torch.float16 and device.type == "cuda")
        fits = dtype == torch.float32 and has_low and inputs.dtype in (low, dtype)
    if not fits:
        return None
    return load_kernels("slstm") if device.type == "cpu" else load_gpu_kernels("slstm", device)
