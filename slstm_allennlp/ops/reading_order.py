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
    return reordered(states.flatten(0, 1), order.flatten(0, 1)).view_as(states)


def reordered(words: Tensor, order: Tensor) -> Tensor:
    """
    Put the words of each sentence into an order, (batch_size, seq_len). Whole rows are taken, in a
    quarter of the time of `gather`. *Shape:* (batch_size, seq_len, n)
    """
    batch_size, length = order.shape
    starts = length * torch.arange(batch_size, device=order.device).unsqueeze(1)
    return words.flatten(0, 1).index_select(0, (order + starts).flatten()).view_as(words)


def last_states(words: Tensor, mask: Tensor, hidden_size: int) -> Tensor:
    """
    Return the last state of each direction: the forward one's at a sentence's last word, the backward
    one's at the first. *Shape:* (batch_size, seq_len, directions * hidden_size) to (batch_size,
    directions * hidden_size)
    """
    last = (mask.sum(dim=1) - 1).clamp(min=0)
    forward = words[torch.arange(words.size(0), device=words.device), last, :hidden_size]
    return torch.cat([forward, words[:, 0, hidden_size:]], dim=-1)
