"""A recovered run has bit-identical weights and metrics to an uninterrupted run."""

import itertools
import random
from unittest import mock

import numpy
import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.training.metrics import CategoricalAccuracy, FBetaMeasure, SpanBasedF1Measure

from slstm_allennlp.training import ReliableCheckpointer
from slstm_allennlp.training.metric_state import metric_states, set_metric_states
from slstm_allennlp.training.run_state import RunState, random_states, set_random_states
from tests.conftest import slow_but
from tests.training.conftest import SHUFFLED, Killed, assert_same

SAMPLERS = {
    "shuffled": SHUFFLED,
    "bucket": {"batch_sampler": {"type": "bucket", "batch_size": 2}},
    "max_tokens_sampler": {"batch_sampler": {"type": "max_tokens_sampler", "max_tokens": 8}},
    "lazy": {**SHUFFLED, "max_instances_in_memory": 4},
    "batches_per_epoch": {**SHUFFLED, "batches_per_epoch": 5},
}
# The number of batches before the kill, and the number of batches between checkpoints.
MOMENTS = {
    "in the first epoch": (2, 1),
    "between checkpoints": (7, 2),
    "after an epoch's last batch": (8, 1),
    "in the last epoch": (11, 1),
    "without checkpoints in an epoch": (10, None),
}


# Each sampler and each moment once, the other combinations as slow tests.
@pytest.mark.parametrize(
    "sampler, moment", slow_but([*itertools.product(SAMPLERS, MOMENTS)], fast=[*zip(SAMPLERS, MOMENTS)])
)
def test_every_sampler(assert_recovers, sampler, moment):
    assert_recovers(*MOMENTS[moment], loader=SAMPLERS[sampler])


@pytest.mark.parametrize("instances", slow_but((None, 2), fast=(None,)))
def test_loader_workers(assert_recovers, instances):
    loader = {"batch_size": 2, "num_workers": 2, "max_instances_in_memory": instances}
    assert_recovers(loader=loader, is_exact=False)


# A last group of one batch, and a checkpoint after the first group of an epoch of three batches.
REGULARIZED = {"model": {"regularizer": {"regexes": [[".*", {"type": "l2", "alpha": 0.1}]]}}}
ACCUMULATED = {"num_gradient_accumulation_steps": 2, "loader": {**SHUFFLED, "batch_size": 3}}


@pytest.mark.parametrize("options", (REGULARIZED, {**REGULARIZED, **ACCUMULATED}), ids=str)
@pytest.mark.parametrize("batches", (1, 3))
def test_losses_with_a_penalty(assert_recovers, run, tmp_path, options, batches):
    """The losses are AllenNLP's, also where they are sums over groups of batches."""
    assert_recovers(batches, 1, **options)
    with_ours = run("ours", **options)[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("slstm_allennlp.training.run_state.RunState.on_batch", lambda *_, **__: None)
        assert run("stock", **options)[1] == with_ours
    assert with_ours["metrics_epoch_0.json"]["training_reg_loss"] > 0


@pytest.mark.parametrize("workers", (0, 1))
def test_what_cannot_be_the_same_is_said(assert_recovers, tmp_path, workers):
    assert_recovers(loader={**SHUFFLED, "num_workers": workers}, is_exact=not workers)
    log = (tmp_path / "killed" / "out.log").read_text()
    assert ("with num_workers 1, random states are not restored completely" in log) is (workers == 1)


@pytest.mark.parametrize("patience", ({}, {"patience": 1, "validation_metric": "+loss"}), ids=str)
def test_behind_the_last_epoch(run, monkeypatch, patience):
    """The run is killed after the last epoch's checkpoint, before any other file of its end."""
    whole = run("whole", **patience)
    epochs = max(int(name[14:-5]) for name in whole[1] if name.startswith("metrics_epoch_")) + 1
    with monkeypatch.context() as patch, pytest.raises(Killed):
        save = ReliableCheckpointer.save_checkpoint

        def save_and_kill(self, trainer):
            save(self, trainer)
            if trainer._epochs_completed == epochs:
                raise Killed

        patch.setattr(ReliableCheckpointer, "save_checkpoint", save_and_kill)
        run("killed", **patience)
    assert_same(run("killed", recover=True, **patience), whole)


def test_random_states(tmp_path):
    random.gauss(0, 1), numpy.random.randn()  # both keep a second number for the next call
    torch.save(random_states(), tmp_path / "states.th")

    def draw():
        return (random.random(), random.gauss(0, 1), *numpy.random.randn(3), *torch.rand(3).tolist())

    expected = draw()
    draw()
    set_random_states(torch.load(tmp_path / "states.th"))
    assert draw() == expected


def test_metric_states(tmp_path):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.accuracy = CategoricalAccuracy()
            self.metrics = {"f": FBetaMeasure(), "accuracy": self.accuracy}
            self.spans = SpanBasedF1Measure(vocabulary, tag_namespace="labels")

    vocabulary = Vocabulary({"labels": {"B-X": 1, "I-X": 1, "O": 1}}, non_padded_namespaces=["labels"])
    labels = torch.tensor([[0, 1, 2], [1, 1, 0]])
    right = torch.nn.functional.one_hot(labels, 3).float()

    def count(model, predictions):
        for metric in (metrics := (model.accuracy, model.metrics["f"], model.spans)):
            metric(predictions, labels, torch.ones(2, 3, dtype=torch.bool))
        return [metric.get_metric(reset=False) for metric in metrics]

    model, other = Model(), Model()
    count(model, right)
    torch.save(metric_states(model), tmp_path / "metrics.th")
    set_metric_states(other, torch.load(tmp_path / "metrics.th"))
    found, expected, fresh = (count(each, right.roll(1, dims=-1)) for each in (other, model, Model()))
    assert found == expected
    assert all(ours != theirs for ours, theirs in zip(found, fresh))
    # On the device of the model, as on a GPU
    other.weight = torch.nn.Parameter(torch.empty(1, device="meta"))
    set_metric_states(other, torch.load(tmp_path / "metrics.th"))
    assert other.metrics["f"]._true_positive_sum.is_meta


def test_the_scaler_of_mixed_precision(tmp_path):
    trainer = mock.Mock(_serialization_dir=str(tmp_path), _batches_in_epoch_completed=0)
    trainer._scaler.state_dict.return_value = {"scale": 2.0}
    RunState(trainer).load_state_dict(RunState(trainer).state_dict())
    trainer._scaler.load_state_dict.assert_called_once_with({"scale": 2.0})
