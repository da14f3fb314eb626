"""Common behaviour of the modules: small numbers, weights in any memory order, replicas, dropout."""

import functools

import pytest
import torch

from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM, PaddedLSTM
from tests.modules.common import MODULES, RECURRENT, batch

PEEPHOLE = functools.partial(CellAwareStackedLSTM, fusion="peephole")


@pytest.mark.parametrize("module_class", [CoupledLSTM, PaddedLSTM, CellAwareStackedLSTM, PEEPHOLE])
def test_dropout_is_between_layers_and_in_training_alone(module_class):
    inputs, mask = batch()
    module = module_class(3, 2, 2, dropout=0.5)
    assert not torch.equal(module(inputs, mask)[1], module(inputs, mask)[1])
    module.eval()
    assert torch.equal(module(inputs, mask)[1], module(inputs, mask)[1])
    one_layer = module_class(3, 2, 1, dropout=0.5)
    assert torch.equal(one_layer(inputs, mask)[1], one_layer(inputs, mask)[1])


# In `paper` and `balanced`, the states start from a learned h⁰, which is not small.
@pytest.mark.parametrize("name", ["slstm released", "cas_lstm", "coupled_lstm", "padded_lstm"])
@pytest.mark.parametrize("scale", [1e-2, 1e-4, 1e-6])
def test_small_numbers_keep_their_digits(name, scale):
    """In single precision, values and gradients have the relative error of numbers near one."""
    module, (inputs, mask), results = MODULES[name](), batch(6, (5, 3, 1)), []
    for parameter_name, parameter in module.named_parameters():
        # A layer's b or bias, its learned inputs and its initial state would make the states large.
        if parameter_name.rpartition(".")[2].startswith(("b", "initial")):
            torch.nn.init.zeros_(parameter)
    for dtype in (torch.float32, torch.float64):
        given = scale * inputs.nan_to_num().to(dtype)
        words, _ = module.to(dtype)(given.requires_grad_(), mask)
        results.append((words, *torch.autograd.grad(words.sum(), given)))
    assert results[1][0].norm() < 10 * scale
    for found, exact in zip(*results):
        assert exact.norm() > 0
        assert (found - exact).norm() <= 1e-5 * exact.norm()


@pytest.mark.parametrize("name", MODULES)
def test_weights_in_another_memory_order(double, name):
    module, given = MODULES[name](), batch(6)
    expected = module(*given)
    for parameter in module.parameters():
        if parameter.dim() > 1:
            parameter.data = parameter.data.transpose(0, 1).contiguous().transpose(0, 1)
    torch.testing.assert_close(module(*given), expected)


@pytest.mark.parametrize("name", MODULES)
def test_replicas_have_weights_but_no_parameters(double, name):
    """`torch.nn.DataParallel` makes such replicas."""
    module, given = MODULES[name](), batch(6)
    torch.testing.assert_close(replica_of(module)(*given), module(*given))


def replica_of(module):
    """Return what `torch.nn.parallel.replicate` makes of a module on each GPU."""
    replica = module._replicate_for_data_parallel()
    for name, child in module.named_children():
        replica._modules[name] = replica_of(child)
    for name, parameter in module._parameters.items():
        setattr(replica, name, None if parameter is None else parameter.view_as(parameter))
    return replica


class _NoGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, states):
        return states.clone()

    @staticmethod
    def backward(ctx, gradient):
        return None


@pytest.mark.parametrize("name", RECURRENT)
def test_a_backward_pass_without_a_gradient(name):
    """As `torch.autograd.gradcheck` has it, which takes the results one by one."""
    module, inputs = MODULES[name]().double(), torch.randn(1, 2, 6).double().requires_grad_()
    words, sentence = module(inputs)
    (_NoGradient.apply(words).sum() + _NoGradient.apply(sentence).sum() + inputs.sum()).backward()
    assert (inputs.grad == 1).all()
