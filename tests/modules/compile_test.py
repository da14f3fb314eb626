"""torch.compile and torch.export of the modules."""

import pytest
import torch

from slstm_allennlp.modules import (
    AdditiveAttention,
    CellAwareStackedLSTM,
    CoupledLSTM,
    SentenceStateLSTM,
)
from tests.conftest import slow_but

MODULES = {
    **{
        f"slstm, {preset}": lambda preset=preset: SentenceStateLSTM(4, 4, 2, transition=preset)
        for preset in ("paper", "released", "fastnlp", "balanced")
    },
    "slstm, one step": lambda: SentenceStateLSTM(4, 4, 1),
    "slstm, two nodes": lambda: SentenceStateLSTM(4, 6, 2, num_sentence_nodes=2, window_size=2),
    "cas_lstm": lambda: CellAwareStackedLSTM(4, 6, 2, bidirectional=True),
    "coupled_lstm": lambda: CoupledLSTM(4, 6, 2, bidirectional=True),
}


def batch(*lengths):
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return torch.randn(*mask.shape, 4), mask


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
@pytest.mark.parametrize("name", slow_but(MODULES, fast=["slstm, one step"]))
def test_compiled_in_one_graph(double, name):
    module = MODULES[name]()
    inputs, mask = batch(5, 3, 1)
    # aot_eager traces like the default backend, but needs no C++ compiler.
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    results = []
    for function in (module, compiled):
        words, sentence = function(inputs, mask)
        gradients = torch.autograd.grad((words**2).sum() + (sentence**2).sum(), module.parameters())
        results.append((words, sentence, *gradients))
    torch.testing.assert_close(results[1], results[0])
    torch._dynamo.reset()


@pytest.mark.skipif(not hasattr(torch, "export"), reason="this PyTorch has no torch.export")
@pytest.mark.parametrize("name", slow_but(MODULES, fast=["coupled_lstm"]))
def test_exported(double, name):
    module = MODULES[name]().eval()
    sizes = {0: torch.export.Dim("batch_size")}
    other = batch(4, 5, 2, 1)
    if name.startswith("slstm"):  # the others loop over the words
        sizes[1] = torch.export.Dim("seq_len")
        other = batch(7, 2)
    program = torch.export.export(module, batch(5, 3, 1), dynamic_shapes=(sizes, sizes))
    torch.testing.assert_close(program.module()(*other), module(*other))


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
def test_attention_compiled():
    module = AdditiveAttention(4)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    inputs = batch(5, 3)
    torch.testing.assert_close(compiled(*inputs), module(*inputs))
    torch._dynamo.reset()
