from typing import Optional

import torch
from torch import Tensor


def max_over_words(states: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """
    The maximum of each feature over a sentence's real words.

    # Parameters

    states : `Tensor`
        *Shape:* (batch_size, seq_len, size)
    mask : `Tensor`, optional (default = `None`)
        Boolean, True at real tokens; None where there is no padding. *Shape:* (batch_size, seq_len)

    # Returns

    `Tensor`
        Zero for sentences that are all padding. *Shape:* (batch_size, size)
    """
    if states.size(1) == 0:
        return states.new_zeros(states.size(0), states.size(2))
    if mask is None:
        return states.amax(dim=1)
    lowest = torch.finfo(states.dtype).min
    highest = states.masked_fill(~mask.unsqueeze(-1), lowest).amax(dim=1)
    return highest.masked_fill(~mask.any(dim=1, keepdim=True), 0)
