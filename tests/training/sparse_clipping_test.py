"""Clipping has the same effect on sparse gradients as on dense ones."""

import pytest
import torch
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.nn.parallel import DdpWrappedModel

from slstm_allennlp.training import ReliableTrainer


class Embedding(torch.nn.Module):
    def __init__(self, sparse):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = torch.nn.Embedding(5, 3, sparse=sparse)
        self.linear = torch.nn.Linear(3, 2)


def clipped(sparse, **options):
    """Return what `rescale_gradients` returned, and the gradients after clipping."""
    model = Embedding(sparse)
    trainer = ReliableTrainer(
        model=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=SimpleDataLoader([], batch_size=1),
        cuda_device=-1,
        **options,
    )
    # Row 2 occurs three times: its stored gradients must be summed before clipping.
    model.linear(model.embedding(torch.tensor([2, 2, 4, 2]))).pow(3).sum().backward()
    norm = trainer.rescale_gradients()
    trainer.clip_gradient()
    gradients = [parameter.grad for parameter in model.parameters()]
    assert gradients[0].is_sparse is sparse
    return norm, [gradient.to_dense() if gradient.is_sparse else gradient for gradient in gradients]


@pytest.mark.parametrize(
    "options",
    (
        {"grad_norm": 0.05},
        {"grad_norm": 1e6},
        {"grad_clipping": 0.01},
        {"grad_norm": 0.5, "grad_clipping": 0.01},
    ),
    ids=str,
)
def test_sparse_is_clipped_as_dense(options):
    (sparse_norm, sparse), (dense_norm, dense) = clipped(True, **options), clipped(False, **options)
    assert sparse_norm == pytest.approx(dense_norm) if "grad_norm" in options else sparse_norm is None
    for ours, expected in zip(sparse, dense):
        torch.testing.assert_close(ours, expected)


def test_with_several_processes(monkeypatch):
    """AllenNLP's wrapper for them clips the gradients itself, and fails on sparse ones."""
    expected = clipped(True, grad_norm=0.05)
    wrapper = DdpWrappedModel(Embedding(True), local_rank=0, world_size=2)
    init = ReliableTrainer.__init__

    def init_and_wrap(self, **options):
        init(self, **options)
        wrapper.model = self.model
        self._ddp_wrapped_model = wrapper

    monkeypatch.setattr(ReliableTrainer, "__init__", init_and_wrap)
    norm, gradients = clipped(True, grad_norm=0.05)
    assert norm == expected[0]
    for ours, alone in zip(gradients, expected[1]):
        torch.testing.assert_close(ours, alone, rtol=0, atol=0)
