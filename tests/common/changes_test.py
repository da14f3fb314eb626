"""The list of changes to AllenNLP is complete, and the fixes also apply without configs, from Python."""

import inspect
import re

import pytest
import torch
from allennlp.common.file_utils import TensorCache
from allennlp.data.data_loaders import MultiProcessDataLoader, MultiTaskDataLoader, SimpleDataLoader
from allennlp.data.dataset_readers import SequenceTaggingDatasetReader
from allennlp.training import Checkpointer, GradientDescentTrainer, Trainer
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.learning_rate_schedulers.pytorch_lr_schedulers import (
    ReduceOnPlateauLearningRateScheduler,
)
from allennlp.training.trainer import TrainerCheckpoint

from slstm_allennlp import compatibility
from slstm_allennlp.common.changes import CHANGES
from tests.conftest import ROOT


def test_the_document_lists_every_change():
    text = (ROOT / "docs" / "allennlp_changes.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`((?:allennlp|torch|transformers|cached_path)\.[\w.]+)`", text))
    assert listed == {change.full_name for change in CHANGES}


def test_replaced_is_replaced():
    for change in CHANGES:
        assert inspect.getattr_static(change.owner, change.name) is not change.original, change.full_name


def test_reduce_on_plateau_by_hand():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    plateau = ReduceOnPlateauLearningRateScheduler(optimizer, patience=0, factor=0.5)
    for metric in (1.0, 1.0):
        plateau.step(metric)
    assert optimizer.param_groups[0]["lr"] == 0.5
    with pytest.raises(Exception, match="requires a validation metric"):  # AllenNLP's own
        plateau.step(None)


@pytest.mark.parametrize("start_method", ("fork", "spawn"))
def test_workers_by_hand(tmp_path, start_method):
    path = tmp_path / "sentences.txt"
    path.write_text("the###D dog###N\na###D cat###N\n")
    loader = MultiProcessDataLoader(
        SequenceTaggingDatasetReader(), str(path), batch_size=1, num_workers=1, start_method=start_method
    )
    assert len(list(loader.iter_instances())) == 2


def test_sparse_clipping_by_hand():
    model = torch.nn.Embedding(5, 3, sparse=True)
    trainer = GradientDescentTrainer(
        model,
        torch.optim.SGD(model.parameters(), lr=0.1),
        SimpleDataLoader([], batch_size=1),
        cuda_device=-1,
        grad_norm=0.5,
        grad_clipping=0.1,
    )
    model(torch.tensor([1, 1, 2])).pow(2).sum().backward()
    trainer.rescale_gradients()
    assert model.weight.grad.coalesce().values().norm().item() == pytest.approx(0.5)
    trainer.clip_gradient()
    assert model.weight.grad.coalesce().values().abs().max().item() == pytest.approx(0.1)


class FakeTrainer(Trainer):
    """Like the one in AllenNLP's own tests of the checkpointer."""

    def __init__(self):
        self.states = {"epochs_completed": 1, "batches_in_epoch_completed": 0}

    def get_checkpoint_state(self):
        return TrainerCheckpoint({"weight": torch.ones(2)}, dict(self.states))


def test_a_checkpointer_by_hand(tmp_path):
    trainer, checkpointer = FakeTrainer(), Checkpointer(str(tmp_path), keep_most_recent_by_count=2)
    for epoch in (1, 2, 3):
        trainer.states["epochs_completed"] = epoch
        checkpointer.save_checkpoint(trainer)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{part}_state_e{epoch}_b0.th" for part in ("model", "training") for epoch in (2, 3)
    )
    found = checkpointer.load_checkpoint()
    assert found.trainer_state == trainer.states
    assert torch.equal(found.model_state["weight"], torch.ones(2))
    assert Checkpointer(str(tmp_path / "none")).load_checkpoint() is None


def test_a_tensor_cache_by_hand(tmp_path):
    cache = TensorCache(tmp_path / "cache")
    cache["key"] = torch.arange(3)
    assert torch.equal(TensorCache(tmp_path / "cache")["key"], torch.arange(3))
    with pytest.raises(KeyError):
        cache["other"]


def test_configs_get_the_same_classes():
    assert LearningRateScheduler.by_name("reduce_on_plateau") is ReduceOnPlateauLearningRateScheduler
    assert compatibility.MendedTrainer is GradientDescentTrainer
    assert compatibility.SpawnSafeDataLoader is MultiProcessDataLoader
    assert compatibility.SpawnSafeMultiTaskDataLoader is MultiTaskDataLoader
