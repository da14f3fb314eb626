"""Common behaviour of the modules that loop over the words."""

import functools

import pytest
import torch

from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM, PaddedLSTM
from tests.modules.common import batch

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
