"""A small tagger, whose training goes wrong at a chosen moment: 3 epochs of 4 batches."""

import json
import random

import numpy
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.training import TrainerCallback

WORDS = "the a dog cat it they barks sleeps runs".split()
EPOCHS = 3
SHUFFLED = {"batch_size": 2, "shuffle": True}
EVERY_BATCH = {"checkpointer": {"save_every_num_batches": 1}}


def tagger_config(path, **changes):
    """Return the config of a tagger that trains in a moment, on a file for `sequence_tagging`."""
    return {
        "dataset_reader": {"type": "sequence_tagging"},
        "train_data_path": str(path),
        "model": {
            "type": "simple_tagger",
            "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 2}}},
            "encoder": {"type": "pass_through", "input_dim": 2},
        },
        "data_loader": {"batch_size": 4},
        "trainer": {"optimizer": "adam", "num_epochs": 1, "cuda_device": -1},
        **changes,
    }


class Killed(BaseException):
    pass


@TrainerCallback.register("fault")
class Fault(TrainerCallback):
    """Call `happen(trainer)` after `after` training batches, before the checkpoint of the last one."""

    after, happen = None, None

    def on_epoch(self, trainer, *args, **kwargs):
        random.random()  # the random numbers of callbacks belong to the run, too
        numpy.random.rand()

    def on_batch(self, trainer, *args, is_training=True, **kwargs):
        if is_training and Fault.after is not None:
            Fault.after -= 1
            if Fault.after == 0:
                Fault.after = None
                Fault.happen(trainer)


@pytest.fixture
def fault():
    def arm(after, happen):
        Fault.after, Fault.happen = after, staticmethod(happen)

    yield arm
    Fault.after = None


@pytest.fixture
def kill_after(fault):
    """Return a function that has the next run killed after some batches and their checkpoint."""

    def kill(trainer):
        raise Killed

    return lambda batches: fault(batches + 1, kill)


@pytest.fixture
def run(tmp_path):
    """Train the tagger, with dropout, in the named folder. Return its weights and metrics."""
    source = random.Random(1)
    path = tmp_path / "sentences.txt"
    lines = [
        " ".join(f"{word}###{word[0].upper()}" for word in source.choices(WORDS, k=source.randint(1, 6)))
        for _ in range(8)
    ]
    path.write_text("\n".join(lines) + "\n")

    def train(name, loader=None, recover=False, embedding=None, model=None, **trainer):
        words = {"embedding_dim": 4, **(embedding or {})}
        config = tagger_config(
            path,
            validation_data_path=str(path),
            data_loader=loader or SHUFFLED,
            # Without batches_per_epoch, with which each epoch begins where the last one ended.
            validation_data_loader=SHUFFLED,
        )
        config["model"].update(
            text_field_embedder={"token_embedders": {"tokens": words}},
            encoder={"type": "slstm", "input_size": 4, "hidden_size": 4, "dropout": 0.5},
            calculate_span_f1=False,
            **(model or {}),
        )
        callbacks = [*trainer.pop("callbacks", []), "fault"]
        config["trainer"].update({"num_epochs": EPOCHS, **trainer, "callbacks": callbacks})
        text = json.dumps(config)
        (tmp_path / "config.json").write_text(text)
        trained = train_model(Params(json.loads(text)), str(tmp_path / name), recover=recover)
        return results(tmp_path / name, trained)

    return train


def results(folder, model):
    metrics = {}
    for file in sorted([*folder.glob("metrics*.json"), *folder.glob("vocabulary/*.txt")]):
        text = file.read_text()
        if file.suffix == ".json":
            values = json.loads(text)
            text = {key: values[key] for key in values if "duration" not in key and "memory" not in key}
        metrics[file.name] = text
    return {"model": model.state_dict(), "best": torch.load(folder / "best.th")}, metrics


def assert_same(found, expected):
    assert found[1] == expected[1]
    for kind, weights in expected[0].items():
        assert found[0][kind].keys() == weights.keys()
        for name, tensor in weights.items():
            assert torch.equal(found[0][kind][name], tensor), (kind, name)


@pytest.fixture
def assert_recovers(run, tmp_path, kill_after):
    """Kill a run after some batches, recover it, and compare it with an uninterrupted run."""

    def check(batches=7, every=2, is_exact=True, **options):
        options = {"checkpointer": {"save_every_num_batches": every}, **options}
        whole = run("whole", **options)
        kill_after(batches)
        try:
            run("killed", **options)
        except Killed:
            assert not (tmp_path / "killed" / "model.tar.gz").exists()
        else:
            assert options.get("patience")  # early stopping came before the kill
        Fault.after = None
        random.seed(99), numpy.random.seed(99), torch.manual_seed(99)  # as in another process
        first = tmp_path / "killed" / "metrics_epoch_0.json"
        written = first.stat().st_mtime_ns if first.exists() else None
        found = run("killed", recover=True, **options)
        assert written in (None, first.stat().st_mtime_ns)  # it did not start again
        if is_exact:
            assert_same(found, whole)

    return check
