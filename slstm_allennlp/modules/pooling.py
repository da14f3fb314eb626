from typing import Callable, Dict, List, Optional, Sequence

import torch
from torch import Tensor


def max_over_words(states: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """
    The maximum of each feature over a sentence's real words: from (batch_size, seq_len, size) to
    (batch_size, size), zero for sentences without real words. The mask, (batch_size, seq_len), is True
    at real tokens; None if there is no padding.
    """
    if states.size(1) == 0:
        return states.sum(dim=1)
    if mask is None:
        return states.amax(dim=1)
    lowest = torch.finfo(states.dtype).min
    highest = states.masked_fill(~mask.unsqueeze(-1), lowest).amax(dim=1)
    return highest.masked_fill(~mask.any(dim=1, keepdim=True), 0)


def mean_over_words(states: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """The mean of each feature over a sentence's real words; shapes as in `max_over_words`."""
    if mask is None:
        mask = states.new_ones(states.shape[:2], dtype=torch.bool)
    total = states.masked_fill(~mask.unsqueeze(-1), 0).sum(dim=1)
    return total / mask.sum(dim=1, keepdim=True).clamp(min=1)


Pooling = Callable[[Tensor, Optional[Tensor]], Tensor]

_POOLINGS: Dict[str, Pooling] = {"max": max_over_words, "mean": mean_over_words}


def check_poolings(names: Sequence[str]) -> List[Pooling]:
    """Return the functions named `"max"` or `"mean"`; `ValueError` for other names and duplicates."""
    is_list = isinstance(names, (list, tuple))
    if not is_list or len(set(names)) < len(names) or not set(names) <= set(_POOLINGS):
        known = " and ".join(f'"{name}"' for name in _POOLINGS)
        raise ValueError(f"pooling is {names!r}, expected a list with none, one or both of {known}")
    return [_POOLINGS[name] for name in names]
