"""Helpers for the tests of the recurrent modules."""

import torch

LENGTHS = (4, 0, 1)


def batch(size=3):
    """Return sentences of `LENGTHS` words, padded with NaN, and their mask."""
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    return torch.randn(*mask.shape, size).masked_fill(~mask.unsqueeze(-1), float("nan")), mask


def randomized(module):
    """Draw every parameter from a normal distribution, also those that are initially zero."""
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    return module
