"""What the tests of the recurrent modules share."""

import torch

LENGTHS = (4, 0, 1)


def batch(size=3):
    """Sentences of `LENGTHS` words, with NaN where the padding is, and their mask."""
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    return torch.randn(*mask.shape, size).masked_fill(~mask.unsqueeze(-1), float("nan")), mask


def off_its_start(module):
    """Every parameter drawn anew, those that start at zero, too."""
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    return module
