"""Forward-mode derivatives and `torch.func`: the hand-written backward passes are no part of them."""

import pytest
import torch

from tests.modules.common import MODULES, batch

pytest.importorskip("torch.func")  # PyTorch 2
NAMES = [name for name in MODULES if name != "padded_lstm"]  # PyTorch's own LSTM has no such derivative


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_forward_and_of_functions(double, name):
    module, direction = MODULES[name](), torch.randn(3, 5, 6)
    inputs, mask = batch(6, (5, 3, 1))
    inputs = inputs.nan_to_num()

    def loss(given):
        outputs = module(given, mask)
        return sum((each**2).sum() for each in (outputs if isinstance(outputs, tuple) else (outputs,)))

    (gradient,) = torch.autograd.grad(loss(inputs.requires_grad_()), inputs)
    inputs = inputs.detach()
    torch.testing.assert_close(torch.func.grad(loss)(inputs), gradient)
    for derivative in (by_dual_numbers, lambda *given: torch.func.jvp(*given)[1]):
        for gradients in (torch.enable_grad, torch.no_grad):
            with gradients():
                found = derivative(loss, (inputs,), (direction,))
            torch.testing.assert_close(found, (gradient * direction).sum())


def by_dual_numbers(function, inputs, directions):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(*inputs, *directions)
        return torch.autograd.forward_ad.unpack_dual(function(dual)).tangent
