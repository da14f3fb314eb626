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


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_each_sentence(double, name):
    module = MODULES[name]()
    inputs, mask = batch(6, (5, 3, 1))
    inputs = inputs.nan_to_num()

    def loss(given, real):
        outputs = module(given[None], real[None])
        return sum((each**2).sum() for each in (outputs if isinstance(outputs, tuple) else (outputs,)))

    found = torch.func.vmap(torch.func.grad(loss))(inputs, mask)
    one_by_one = [torch.func.grad(loss)(*pair) for pair in zip(inputs, mask)]
    torch.testing.assert_close(found, torch.stack(one_by_one))


def by_dual_numbers(function, inputs, directions):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(*inputs, *directions)
        return torch.autograd.forward_ad.unpack_dual(function(dual)).tangent
