"""torch.compile, torch.export and gradient checkpointing of the modules."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from slstm_allennlp.modules import CellAwareStackedLSTM
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
    compiled, results = torch.compile(module, fullgraph=True, backend="aot_eager"), []
    for function in (module, compiled):
        outputs = function(inputs, mask)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        loss = sum((output**2).sum() for output in outputs)
        results.append((*outputs, *torch.autograd.grad(loss, module.parameters())))
    torch.testing.assert_close(*results)
    torch._dynamo.reset()


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this PyTorch has no torch.export")
@pytest.mark.parametrize("name", slow_but(NAMES, fast=["coupled_lstm"]))
def test_exported(double, name):
    module = MODULES[name]().eval()
    sizes, other = {0: torch.export.Dim("batch_size")}, batch(6, (4, 5, 2, 1))
    if name.startswith("slstm"):  # the others loop over the words
        sizes[1], other = torch.export.Dim("seq_len"), batch(6, (7, 2))
    program = torch.export.export(module, batch(6, (5, 3, 1)), dynamic_shapes=(sizes, sizes))
    torch.testing.assert_close(program.module()(*other), module(*other))


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this PyTorch has no such tracers")
@pytest.mark.parametrize("name", NAMES)
def test_recorded_by_make_fx_and_without_values(double, name):
    """Compiled kernels, which these do not see, are not called."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    module, given, other = MODULES[name]().eval(), batch(6, (5, 3, 1)), batch(6, (2, 1, 5))
    with torch.no_grad():
        graph = make_fx(module)(*given)
        torch.testing.assert_close(graph(*other), module(*other))
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            words, sentence = module(*map(mode.from_tensor, given))
    assert (words.shape[:2], sentence.shape[0]) == ((3, 5), 3)


DROPOUT = {"cas_lstm": lambda: CellAwareStackedLSTM(6, 6, 3, bidirectional=True, dropout=0.5)}
CHECKPOINTED = {name: MODULES[f"slstm {name}"] for name in ("paper", "recompute", "two nodes")} | DROPOUT


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("name", CHECKPOINTED)
def test_checkpointed(double, name, use_reentrant):
    """The same results and gradients, also with dropout."""
    module = CHECKPOINTED[name]()
    inputs, mask = batch(6, (5, 3, 1))
    leaves, results = [inputs.requires_grad_(), *module.parameters()], []
    for run in (module, lambda *arguments: checkpoint(module, *arguments, use_reentrant=use_reentrant)):
        torch.manual_seed(1)  # for the dropout
        words, sentence = run(inputs, mask)
        for leaf in leaves:
            leaf.grad = None
        ((words**2).sum() + (sentence**2).sum()).backward()
        results.append([words, sentence, *(leaf.grad for leaf in leaves)])
    torch.testing.assert_close(*results)
