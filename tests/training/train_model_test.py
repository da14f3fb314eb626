"""What is scored, and what is refused. tests/distributed_test.py tests what several processes learn."""

import copy

import pytest
from allennlp.commands.train import train_model as train_as_allennlp
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.training import train_model
from slstm_allennlp.training.all_data import on_all_data
from tests.conftest import SMALL, train
from tests.training.conftest import built, tagger_config

READER = {"type": "tagged_text", "format": "columns"}
FIRST_TEN = ".txt: at most the first 10 are scored (max_instances)"
PARTS = ("dev", "test")


@pytest.fixture
def config(tmp_path):
    for name in ("train", "dev", "test"):
        (tmp_path / f"{name}.txt").write_text("a\tD\ndog\tN\n\n" * 15)
    return tagger_config(
        tmp_path / "train.txt",
        dataset_reader=READER,
        validation_data_path=str(tmp_path / "dev.txt"),
        test_data_path=str(tmp_path / "test.txt"),
        evaluate_on_test=True,
    )


def scored(config, folder):
    training = built(config, folder)
    of_training = (training.trainer.data_loader, training.trainer._validation_data_loader)
    loaders = (*of_training, training.evaluation_data_loader)
    return [sum(len(batch["tokens"]["tokens"]["tokens"]) for batch in loader) for loader in loaders]


BUCKET = {"batch_sampler": {"type": "bucket", "batch_size": 4, "drop_last": True}}
LOADER = {"batch_size": 4}
TWO_BATCHES = {**LOADER, "batches_per_epoch": 2}
FIRST_TWO = ".txt: only 2 batches are scored (batches_per_epoch)"
LIMITED = {**READER, "max_instances": 10}


@pytest.mark.parametrize(
    "settings, train, others, warning",
    [
        ({}, 15, 15, None),
        ({"data_loader": {**LOADER, "drop_last": True}}, 12, 15, None),
        ({"data_loader": TWO_BATCHES}, 8, 15, None),
        ({"data_loader": BUCKET}, 12, 15, None),
        ({"data_loader": BUCKET, "validation_data_loader": BUCKET}, 12, 15, None),
        ({"validation_data_loader": {**LOADER, "drop_last": True}}, 15, 15, None),
        ({"validation_data_loader": TWO_BATCHES}, 15, 8, FIRST_TWO),
        ({"dataset_reader": LIMITED}, 10, 10, FIRST_TEN),
        ({"validation_dataset_reader": LIMITED}, 15, 10, FIRST_TEN),
        ({"dataset_reader": LIMITED, "validation_dataset_reader": READER}, 10, 15, None),
    ],
    ids=str,
)
def test_every_sentence_is_scored(config, tmp_path, caplog, settings, train, others, warning):
    assert scored({**config, **settings}, tmp_path / "run") == [train, others, others]
    said = [message for message in caplog.messages if " scored " in message]
    assert said == ([] if warning is None else [f"{tmp_path}/{part}{warning}" for part in PARTS])


def test_a_label_that_only_test_has(config, tmp_path, caplog):
    (tmp_path / "test.txt").write_text("a\tX\ndog\tN\n\n" * 15)
    built(config, tmp_path).run()
    assert "no example for training has the label 'X'" in caplog.text


def test_recovery_with_another_token_for_unknown_words(config, tmp_path):
    config["vocabulary"] = {"oov_token": "[UNK]"}
    for recover in (False, True):
        train_as_allennlp(Params(copy.deepcopy(config)), str(tmp_path / "run"), recover=recover)
    assert "[UNK]" in (tmp_path / "run/vocabulary/tokens.txt").read_text()


def test_a_training_without_a_batch(config, tmp_path):
    loader = {"batch_size": 100, "drop_last": True}
    training = built({**config, "data_loader": loader}, tmp_path / "run")
    with pytest.raises(
        ConfigurationError, match=r"^the data loader has no batch for training, expected"
    ):
        training.run()


def test_a_loader_by_its_name_and_an_unchanged_config():
    limits = {"batches_per_epoch": 2, "instances_per_epoch": 8}
    config = {"batch_size": 4, "batch_sampler": "bucket", "drop_last": True, **limits}
    assert on_all_data(config) == {"batch_size": 4, "batch_sampler": "bucket"}
    assert config["drop_last"] is True


def test_evaluate_on_test_is_refused_when_distributed(tmp_path, monkeypatch):
    monkeypatch.setattr(train_model, "is_distributed", lambda: True)
    with pytest.raises(ConfigurationError, match="evaluate_on_test is true, expected false with dist"):
        train(tmp_path / "run", "pos_slstm", {**SMALL, "evaluate_on_test": True})
