"""A recovered run has bit-identical weights and metrics to an uninterrupted run."""

import itertools
import json
import random

import numpy
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.training import Checkpointer, TrainerCallback
from allennlp.training.metrics import CategoricalAccuracy, FBetaMeasure, SpanBasedF1Measure

from slstm_allennlp.training.run_state import (
    metric_states,
    random_states,
    set_metric_states,
    set_random_states,
)
from tests.conftest import slow_but
from tests.training.trainer_options_test import LOADERS, OTHERS, SCHEDULERS

WORDS = "the a dog cat it they barks sleeps runs".split()
EPOCHS = 3
OPTIONS = {
    "plain": {},
    "moving_average": OTHERS["moving_average"],
    "momentum": OTHERS["momentum_scheduler"],
    "accumulation": {"num_gradient_accumulation_steps": 2},
    "grad_norm": {"grad_norm": 0.1},
    "patience": {"patience": 1, "validation_metric": "+loss"},
    "sgd": {"optimizer": {"type": "sgd", "lr": 0.1, "momentum": 0.9}},
    **{name: {"learning_rate_scheduler": {"type": name, **SCHEDULERS[name]}} for name in SCHEDULERS},
}
SAMPLERS = {
    "shuffled": {"batch_size": 2, "shuffle": True},
    "bucket": LOADERS["bucket"],
    "max_tokens_sampler": LOADERS["max_tokens_sampler"],
    "lazy": {"batch_size": 2, "shuffle": True, "max_instances_in_memory": 4},
    "batches_per_epoch": {"batch_size": 2, "shuffle": True, "batches_per_epoch": 5},
}
# The number of batches before the kill, and the number of batches between checkpoints.
MOMENTS = {
    "in the first epoch": (2, 1),
    "between checkpoints": (7, 2),
    "after an epoch's last batch": (8, 1),
    "in the last epoch": (11, 1),
    "without checkpoints in an epoch": (10, None),
}


class Killed(BaseException):
    pass


@TrainerCallback.register("kill_after")
class KillAfter(TrainerCallback):
    """Kill the run after `remaining` training batches, after the last one's checkpoint."""

    remaining = None

    def on_epoch(self, trainer, *args, **kwargs):
        random.random()  # the random numbers of callbacks belong to the run, too
        numpy.random.rand()

    def on_batch(self, trainer, *args, is_training=True, **kwargs):
        cls = type(self)
        if is_training and cls.remaining is not None:
            cls.remaining -= 1
            if cls.remaining < 0:
                raise Killed


@pytest.fixture
def run(tmp_path):
    """Train a small tagger with dropout in the named folder. Return its weights and metrics."""
    source = random.Random(1)
    path = tmp_path / "sentences.txt"
    lines = [
        " ".join(f"{word}###{word[0].upper()}" for word in source.choices(WORDS, k=source.randint(1, 6)))
        for _ in range(8)
    ]
    path.write_text("\n".join(lines) + "\n")

    def train(name, loader=None, recover=False, **trainer):
        config = {
            "dataset_reader": {"type": "sequence_tagging"},
            "train_data_path": str(path),
            "validation_data_path": str(path),
            "evaluate_on_test": False,
            "model": {
                "type": "simple_tagger",
                "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 4}}},
                "encoder": {"type": "slstm", "input_size": 4, "hidden_size": 4, "dropout": 0.5},
                "calculate_span_f1": False,
            },
            "data_loader": loader or SAMPLERS["shuffled"],
            # Without batches_per_epoch, with which each epoch begins where the last one ended.
            "validation_data_loader": {"batch_size": 2, "shuffle": True},
            "trainer": {
                "optimizer": "adam",
                "num_epochs": EPOCHS,
                "cuda_device": -1,
                "callbacks": ["kill_after"],
                **trainer,
            },
        }
        model = train_model(
            Params(json.loads(json.dumps(config))), str(tmp_path / name), recover=recover
        )
        return results(tmp_path / name, model)

    return train


def results(folder, model):
    files = sorted([*folder.glob("metrics*.json"), *folder.glob("vocabulary/*.txt")])
    metrics = {}
    for file in files:
        text = file.read_text()
        if file.suffix == ".json":
            values = json.loads(text)
            text = {key: values[key] for key in values if "duration" not in key and "memory" not in key}
        metrics[file.name] = text
    return {"model": model.state_dict(), "best": torch.load(folder / "best.th")}, metrics


def assert_recovers(run, tmp_path, moment="between checkpoints", loader=None, **trainer):
    batches, every = MOMENTS[moment]
    trainer["checkpointer"] = {"save_every_num_batches": every}
    KillAfter.remaining = None
    weights, metrics = run("whole", loader, **trainer)
    KillAfter.remaining = batches
    try:
        run("killed", loader, **trainer)
    except Killed:
        assert not (tmp_path / "killed" / "model.tar.gz").exists()
    else:
        assert trainer.get("patience")  # early stopping came before the kill
    KillAfter.remaining = None
    random.seed(99), numpy.random.seed(99), torch.manual_seed(99)  # as in another process
    found_weights, found_metrics = run("killed", loader, recover=True, **trainer)
    assert found_metrics == metrics
    for kind, expected in weights.items():
        for name, tensor in expected.items():
            assert torch.equal(found_weights[kind][name], tensor), (kind, name)


@pytest.mark.parametrize(
    "sampler, moment",
    slow_but(
        [*itertools.product(SAMPLERS, MOMENTS)],
        fast=[*zip(SAMPLERS, MOMENTS)],  # each sampler and each moment once
    ),
)
def test_every_sampler(run, tmp_path, sampler, moment):
    assert_recovers(run, tmp_path, moment, SAMPLERS[sampler])


# One scheduler by steps, one by epochs, one by a metric; trainer_options_test.py recovers with each.
FAST = {*OPTIONS} - {*SCHEDULERS} | {"slanted_triangular", "multi_step", "reduce_on_plateau"}


@pytest.mark.parametrize("name", slow_but(OPTIONS, fast=FAST))
def test_every_option(run, tmp_path, name):
    moment = "in the first epoch" if name == "accumulation" else "between checkpoints"
    assert_recovers(run, tmp_path, moment, **OPTIONS[name])


def test_what_cannot_be_the_same_is_said(run, tmp_path):
    for workers in (0, 1):
        loader = {**SAMPLERS["shuffled"], "num_workers": workers}
        KillAfter.remaining = 6
        with pytest.raises(Killed):
            run(f"killed-{workers}", loader)
        KillAfter.remaining = None
        run(f"killed-{workers}", loader, recover=True)
        log = (tmp_path / f"killed-{workers}" / "out.log").read_text()
        assert ("with num_workers 1, random states are not restored completely" in log) is (workers == 1)


@pytest.mark.parametrize("patience", ({}, {"patience": 1, "validation_metric": "+loss"}), ids=str)
def test_behind_the_last_epoch(run, tmp_path, monkeypatch, patience):
    """The run is killed after the last epoch's checkpoint, before any other file of its end."""
    weights, metrics = run("whole", **patience)
    epochs = max(int(name[14:-5]) for name in metrics if name.startswith("metrics_epoch_")) + 1
    with monkeypatch.context() as patch, pytest.raises(Killed):
        save = Checkpointer.save_checkpoint

        def save_and_kill(self, trainer):
            save(self, trainer)
            if trainer._epochs_completed == epochs:
                raise Killed

        patch.setattr(Checkpointer, "save_checkpoint", save_and_kill)
        run("killed", **patience)
    found_weights, found_metrics = run("killed", recover=True, **patience)
    assert found_metrics == metrics
    for kind in weights:
        for name, tensor in weights[kind].items():
            assert torch.equal(found_weights[kind][name], tensor), (kind, name)


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
    wrong = right.roll(1, dims=-1)

    def count(model, predictions):
        metrics = (model.accuracy, model.metrics["f"], model.spans)
        for metric in metrics:
            metric(predictions, labels, torch.ones(2, 3, dtype=torch.bool))
        return [metric.get_metric(reset=False) for metric in metrics]

    model, other = Model(), Model()
    count(model, right)
    torch.save(metric_states(model), tmp_path / "metrics.th")
    set_metric_states(other, torch.load(tmp_path / "metrics.th"))
    found, expected, fresh = (count(each, wrong) for each in (other, model, Model()))
    assert found == expected
    assert all(ours != theirs for ours, theirs in zip(found, fresh))
