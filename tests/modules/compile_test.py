"""torch.compile and torch.export of the modules."""

import pytest
import torch

from tests.conftest import slow_but
from tests.modules.common import MODULES, batch

NAMES = [
    *(f"slstm {kind}" for kind in ("paper", "released", "fastnlp", "balanced", "one step", "two nodes")),
    *("slstm window", "cas_lstm", "coupled_lstm"),
]


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
@pytest.mark.parametrize("name", slow_but([*NAMES, "additive_attention"], fast=["slstm one step"]))
def test_compiled_in_one_graph(double, name):
    module = MODULES[name]()
    inputs, mask = batch(6, (5, 3, 1))
    # aot_eager traces like the default backend, but needs no C++ compiler.
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    results = []
    for function in (module, compiled):
        outputs = function(inputs, mask)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        loss = sum((output**2).sum() for output in outputs)
        results.append((*outputs, *torch.autograd.grad(loss, module.parameters())))
    torch.testing.assert_close(results[1], results[0])
    torch._dynamo.reset()


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this PyTorch has no torch.export")
@pytest.mark.parametrize("name", slow_but(NAMES, fast=["coupled_lstm"]))
def test_exported(double, name):
    module = MODULES[name]().eval()
    sizes = {0: torch.export.Dim("batch_size")}
    other = batch(6, (4, 5, 2, 1))
    if name.startswith("slstm"):  # the others loop over the words
        sizes[1] = torch.export.Dim("seq_len")
        other = batch(6, (7, 2))
    program = torch.export.export(module, batch(6, (5, 3, 1)), dynamic_shapes=(sizes, sizes))
    torch.testing.assert_close(program.module()(*other), module(*other))
