"""The order in which each direction of a recurrent encoder reads the words of padded sentences."""

import torch
from torch import Tensor


def reading_orders(mask: Tensor, directions: int) -> Tensor:
    """
    Return the position of the word that each direction reads at each step: one direction is forward, two
    are forward and backward. The backward direction starts at the last real word of a sentence; padding
    stays in its place. An order is its own inverse. The mask, (batch_size, seq_len), is padded on the
    right. *Shape:* (directions, batch_size, seq_len)
    """
    forward = torch.arange(mask.size(1), device=mask.device).expand_as(mask)
    backward = torch.where(mask, mask.sum(dim=1, keepdim=True) - 1 - forward, forward)
    return torch.stack([forward, backward][:directions])


def take(states: Tensor, order: Tensor) -> Tensor:
    """Put states into reading order, or back. *Shape:* (directions, batch_size, seq_len, n)"""
    if len(order) == 1:  # forward only: nothing to reorder
        return states
    return states.gather(2, order.unsqueeze(-1).expand(-1, -1, -1, states.size(-1)))
