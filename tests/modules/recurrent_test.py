"""Common behaviour of the modules that loop over the words."""

import functools

import pytest
import torch

from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM
from tests.modules.common import batch

each_module = pytest.mark.parametrize(
    "module_class",
    [
        CoupledLSTM,
        CellAwareStackedLSTM,
        functools.partial(CellAwareStackedLSTM, fusion="peephole"),
    ],
    ids=["coupled_lstm", "cas_lstm", "cas_lstm, peephole"],
)


@each_module
def test_dropout_is_between_layers_and_in_training_alone(module_class):
    inputs, mask = batch()
    module = module_class(3, 2, 2, dropout=0.5)
    assert not torch.equal(module(inputs, mask)[1], module(inputs, mask)[1])
    module.eval()
    assert torch.equal(module(inputs, mask)[1], module(inputs, mask)[1])
    one_layer = module_class(3, 2, 1, dropout=0.5)
    assert torch.equal(one_layer(inputs, mask)[1], one_layer(inputs, mask)[1])


@each_module
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(dtype, module_class):
    module = module_class(8, 8, 2, bidirectional=True)
    inputs, mask = torch.randn(2, 5, 8), torch.ones(2, 5, dtype=torch.bool)
    exact, _ = module(inputs, mask)
    try:
        with torch.autocast("cpu", dtype=dtype):
            words, _ = module(inputs, mask)
    except RuntimeError as error:
        if torch.__version__ >= "2":
            raise
        pytest.skip(f"this PyTorch has no {dtype} on the CPU: {error}")
    torch.testing.assert_close(words.float(), exact, atol=0.03, rtol=0)


@each_module
def test_inputs_and_masks_that_do_not_fit(module_class):
    module = module_class(3, 2)
    with pytest.raises(ValueError, match=r"inputs have shape \(2, 4, 5\), expected .* of 3"):
        module(torch.randn(2, 4, 5))
    with pytest.raises(ValueError, match=r"mask\[0\] is False at 0 and True at 1"):
        module(torch.randn(1, 2, 3), torch.tensor([[False, True]]))
