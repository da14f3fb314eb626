"""The order in which the directions of a recurrent encoder read the words of padded sentences."""

import torch
from torch import Tensor


def reading_orders(mask: Tensor, directions: int) -> Tensor:
    """
    Which word each direction reads when: the backward one starts from each sentence's last word, with
    the padding left where it is. It is its own inverse.

    # Parameters

    mask : `Tensor`
        Boolean, padded on the right. *Shape:* (batch_size, seq_len)
    directions : `int`
        One for forward alone, two for forward and backward.

    # Returns

    `Tensor`
        *Shape:* (directions, batch_size, seq_len)
    """
    forward = torch.arange(mask.size(1), device=mask.device).expand_as(mask)
    backward = torch.where(mask, mask.sum(dim=1, keepdim=True) - 1 - forward, forward)
    return torch.stack([forward, backward][:directions])


def take(states: Tensor, order: Tensor) -> Tensor:
    """(directions, batch_size, seq_len, n) in an order of reading, or back from it."""
    if len(order) == 1:  # forward alone, which is as they stand
        return states
    return states.gather(2, order.unsqueeze(-1).expand(-1, -1, -1, states.size(-1)))
