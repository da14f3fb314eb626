"""A small tagger, whose training goes wrong at a chosen moment: 3 epochs of 4 batches."""

import json
import random

import numpy
import pytest
import torch
from allennlp.commands.train import TrainModel, train_model
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


def kill(trainer):
    raise Killed


@pytest.fixture
def run(tmp_path):
    """Train the tagger, with dropout, in the named folder. Return its weights and metrics."""
    source = random.Random(1)
    path = tmp_path / "sentences.txt"
    lines = [source.choices(WORDS, k=source.randint(1, 6)) for _ in range(8)]
    tagged = (" ".join(f"{word}###{word[0].upper()}" for word in line) for line in lines)
    path.write_text("\n".join(tagged) + "\n")

    def train(name, loader=None, recover=False, embedding=None, model=None, **trainer):
        words = {"embedding_dim": 4, **(embedding or {})}
        # Validation has no batches_per_epoch, with which each epoch begins where the last one ended.
        loaders = {"data_loader": loader or SHUFFLED, "validation_data_loader": SHUFFLED}
        config = tagger_config(path, validation_data_path=str(path), **loaders)
        config["model"].update(
            text_field_embedder={"token_embedders": {"tokens": words}},
            encoder={"type": "slstm", "input_size": 4, "hidden_size": 4, "dropout": 0.5},
            calculate_span_f1=False,
            **(model or {}),
        )
        callbacks = [*trainer.pop("callbacks", []), "fault"]
        config["trainer"].update({"num_epochs": EPOCHS, **trainer, "callbacks": callbacks})
        (tmp_path / "config.json").write_text(json.dumps(config))
        params = Params.from_file(tmp_path / "config.json")
        return results(tmp_path / name, train_model(params, str(tmp_path / name), recover=recover))

    return train


@pytest.fixture
def killed(run, tmp_path, fault):
    """Kill a run after some batches and their checkpoint, and return its folder."""

    def kill_after(batches, **options):
        fault(batches + 1, kill)
        with pytest.raises(Killed):
            run("killed", **options)
        return tmp_path / "killed"

    return kill_after


def built(config, folder):
    """Return AllenNLP's training of a config, which has not begun."""
    params = Params(json.loads(json.dumps(config)))
    return TrainModel.from_params(params, serialization_dir=str(folder), local_rank=0)


def results(folder, model):
    files = {file.name: file.read_text() for file in folder.glob("vocabulary/*.txt")}
    # AllenNLP writes a set: its order depends on the process's hash seed and on the order of insertion.
    files["non_padded_namespaces.txt"] = set(files["non_padded_namespaces.txt"].splitlines())
    for file in folder.glob("metrics*.json"):
        values = json.loads(file.read_text()).items()
        files[file.name] = {k: v for k, v in values if "duration" not in k and "memory" not in k}
    return {"model": model.state_dict(), "best": torch.load(folder / "best.th")}, files


def assert_same(found, expected):
    assert found[1] == expected[1]
    torch.testing.assert_close(found[0], expected[0], rtol=0, atol=0)


@pytest.fixture
def assert_recovers(run, tmp_path, fault):
    """Kill a run after some batches, recover it, and compare it with an uninterrupted run."""

    def check(batches=7, every=2, is_exact=True, **options):
        options = {"checkpointer": {"save_every_num_batches": every}, **options}
        whole = run("whole", **options)
        fault(batches + 1, kill)
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
