from typing import Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad


def add_boundary(x: Tensor, mask: Tensor, boundary: Tensor) -> Tuple[Tensor, Tensor]:
    """
    Insert ⟨s⟩ before the first word and ⟨/s⟩ directly after the last real word of each sentence: from x,
    (B, L, d), the mask, (B, L), and ⟨s⟩ and ⟨/s⟩, (2, d), to x and mask with a length of L + 2.
    """
    last = mask.sum(1, keepdim=True) + 1  # (B, 1)
    positions = torch.arange(mask.size(1) + 2, device=mask.device)
    boundary = boundary.to(x.dtype)
    x = pad(x, (0, 0, 1, 1))
    x = torch.where((positions == 0).view(1, -1, 1), boundary[0], x)
    x = torch.where((positions == last).unsqueeze(-1), boundary[1], x)
    return x, positions <= last
