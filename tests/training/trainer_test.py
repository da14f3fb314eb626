"""The best epoch, and clipping: it has the same effect on sparse gradients as on dense ones."""

import math
from unittest import mock

import pytest
import torch
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.nn.parallel import DdpWrappedModel
from allennlp.training import GradientDescentTrainer
from torch.cuda.amp.grad_scaler import OptState

from slstm_allennlp.training.trainer import LowerLossFirst, ReliableTrainer


@pytest.mark.parametrize(
    "epochs, best, first",
    [
        ([(0.8, 0.9), (0.9, 0.92), (0.9, 0.5), (0.9, 0.01), (0.9, 0.3), (0.8, 0.001)], 3, 1),
        ([(0.9, 0.5), (0.9, 0.5)], 0, 0),
        ([(0.9, None), (0.9, None)], 0, 0),  # a model that gives no loss in validation
        ([(math.nan, math.nan), (0.1, 2), (math.nan, 0.1)], 1, 1),
    ],
)
@pytest.mark.parametrize("recovered_after", (None, 1, 2))
def test_the_lowest_loss_among_the_best(epochs, best, first, recovered_after):
    """The patience counts the epochs since the first of them, as in AllenNLP."""
    tracker = LowerLossFirst("+accuracy", patience=9)
    for number, (accuracy, loss) in enumerate(epochs):
        if number == recovered_after:
            state = tracker.state_dict()
            tracker = LowerLossFirst("+accuracy", patience=9)
            tracker.load_state_dict(state)
        metrics = {"accuracy": accuracy} if loss is None else {"accuracy": accuracy, "loss": loss}
        tracker.add_metrics(metrics)
        if tracker.is_best_so_far():  # as the trainer does
            tracker.best_epoch_metrics = metrics
    assert tracker.best_epoch == best
    assert tracker._epochs_with_no_improvement == len(epochs) - first - 1


class Embedding(torch.nn.Module):
    def __init__(self, sparse):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = torch.nn.Embedding(5, 3, sparse=sparse)
        self.linear = torch.nn.Linear(3, 2)


def clipped(sparse, **options):
    """Return what `rescale_gradients` returned, and the gradients after clipping."""
    model = Embedding(sparse)
    optimizer, loader = torch.optim.SGD(model.parameters(), lr=0.1), SimpleDataLoader([], batch_size=1)
    parts = {"model": model, "optimizer": optimizer, "data_loader": loader, "cuda_device": -1}
    trainer = ReliableTrainer(**parts, **options)
    # Row 2 occurs three times: its stored gradients must be summed before clipping.
    model.linear(model.embedding(torch.tensor([2, 2, 4, 2]))).pow(3).sum().backward()
    norm = trainer.rescale_gradients()
    trainer.clip_gradient()
    gradients = [parameter.grad for parameter in model.parameters()]
    assert gradients[0].is_sparse is sparse
    return norm, [gradient.to_dense() if gradient.is_sparse else gradient for gradient in gradients]


@pytest.mark.parametrize("norm, clip", [(0.05, None), (1e6, None), (None, 0.01), (0.5, 0.01)])
def test_sparse_is_clipped_as_dense(norm, clip):
    (sparse_norm, sparse), (dense_norm, dense) = (
        clipped(is_sparse, grad_norm=norm or False, grad_clipping=clip) for is_sparse in (True, False)
    )
    assert sparse_norm == pytest.approx(dense_norm) if norm else sparse_norm is None
    torch.testing.assert_close(sparse, dense)


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
    torch.testing.assert_close(clipped(True, grad_norm=0.05), expected, rtol=0, atol=0)


@pytest.mark.parametrize("stage", OptState)
def test_gradients_are_unscaled_once(stage):
    trainer = object.__new__(ReliableTrainer)
    trainer.optimizer = mock.sentinel.optimizer
    trainer._scaler = mock.Mock(_per_optimizer_states={id(trainer.optimizer): {"stage": stage}})
    trainer._unscale()
    assert trainer._scaler.unscale_.called is (stage is not OptState.UNSCALED)


def test_the_scaler_skips_an_infinite_loss(monkeypatch):
    outputs = {"loss": torch.tensor(math.inf)}
    monkeypatch.setattr(GradientDescentTrainer, "batch_outputs", lambda *_: outputs)
    trainer = object.__new__(ReliableTrainer)
    trainer._run, trainer._scaler = mock.Mock(starts=[{}]), mock.Mock()
    assert trainer.batch_outputs({}, True) is outputs
