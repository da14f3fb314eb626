"""Gradient checkpointing of the modules: the same results and gradients, also with dropout."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from slstm_allennlp.modules import CellAwareStackedLSTM
from tests.modules.common import MODULES, batch

DROPOUT = {"cas_lstm": lambda: CellAwareStackedLSTM(6, 6, 3, bidirectional=True, dropout=0.5)}
CHECKPOINTED = {name: MODULES[f"slstm {name}"] for name in ("paper", "recompute", "two nodes")} | DROPOUT


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("name", CHECKPOINTED)
def test_checkpointed(double, name, use_reentrant):
    module = CHECKPOINTED[name]()
    inputs, mask = batch(6, (5, 3, 1))
    inputs.requires_grad_()
    leaves = [inputs, *module.parameters()]
    results = []
    for run in (module, lambda *arguments: checkpoint(module, *arguments, use_reentrant=use_reentrant)):
        torch.manual_seed(1)  # for the dropout
        words, sentence = run(inputs, mask)
        for leaf in leaves:
            leaf.grad = None
        ((words**2).sum() + (sentence**2).sum()).backward()
        results.append([words, sentence, *(leaf.grad for leaf in leaves)])
    torch.testing.assert_close(results[1], results[0])
