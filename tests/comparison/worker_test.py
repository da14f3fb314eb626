"""A worker after an earlier one was killed. tests/comparison/command_test.py tests the rest."""

import argparse
from unittest.mock import Mock, patch

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison import worker
from slstm_allennlp.comparison.folders import RunFolder, read_json, write_json


def arguments(folder, run, time_over_length=False):
    given = {"config": folder / "config.json", "run": run, "packages": [], "runs_at_a_time": 1}
    return argparse.Namespace(**given, time_over_length=time_over_length)


def test_killed_after_the_training(tmp_path, monkeypatch):
    """The archive is written again. The peak memory is unknown."""
    archived = []
    monkeypatch.setattr(worker, "archive_model", lambda path, **given: archived.append((path, given)))
    folder = RunFolder(tmp_path)
    write_json(folder.metrics, {})
    config = {"trainer": {}, "include_in_archive": ["notes"]}
    worker._train(arguments(tmp_path, tmp_path), folder, config)
    assert archived == [(tmp_path, {"include_in_archive": ["notes"]})]
    training = read_json(folder.training)
    assert training["peak_memory_bytes"] is None and training["runs_at_a_time"] == 1


@pytest.mark.parametrize("distributed", [None, {"cuda_devices": [-1, -1]}])
def test_memory_of_other_processes_is_not_known(tmp_path, monkeypatch, distributed):
    monkeypatch.setattr(worker, "train_model_from_file", lambda *_, **__: tmp_path.mkdir(exist_ok=True))
    folder = RunFolder(tmp_path)
    config = {"trainer": {"cuda_device": -1}, "distributed": distributed}
    worker._train(arguments(tmp_path, tmp_path), folder, config)
    assert (read_json(folder.training)["peak_memory_bytes"] is None) == (distributed is not None)


def test_goes_on_from_the_checkpoint(tmp_path):
    """Every interruption is kept, and no epoch after it: the run may stop earlier this time."""
    folder = RunFolder(tmp_path)
    write_json(folder.config, {})
    for number in range(5):
        write_json(tmp_path / f"metrics_epoch_{number}.json", {"best_epoch": number})
    for epochs, batches in ((2, 7), (3, 0)):
        (tmp_path / f"model_state_e{epochs}_b{batches}.th").touch()
        assert worker._prepare(folder)
        assert [epoch["best_epoch"] for epoch in folder.epochs()] == [0, 1]
    assert [tuple(point) for point in folder.recovered_from()] == [(2, 7), (3, 0)]


@pytest.mark.parametrize("checkpoint, config", [(True, "{"), (False, "{}")])
def test_without_a_config_or_a_checkpoint_it_starts_over(tmp_path, checkpoint, config):
    folder = RunFolder(tmp_path / "run")
    write_json(folder.config, {})
    folder.config.write_text(config)
    if checkpoint:
        (folder.path / "model_state_e2_b7.th").touch()
    assert not worker._prepare(folder) and not folder.path.exists()


def test_another_folder_is_not_deleted(tmp_path):
    (tmp_path / "precious").touch()
    with pytest.raises(ConfigurationError, match="is not the folder of a run"):
        worker._prepare(RunFolder(tmp_path))
    assert (tmp_path / "precious").exists()


CHECKPOINTER = {"checkpointer": {}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a trained run. What is measured there is made up."""
    trained = Mock(**{"predict.return_value": [], "measure.return_value": {}})
    trained.time_over_length.return_value = [{"length": 3}]
    monkeypatch.setattr(worker, "TrainedRun", lambda *_: trained)
    write_json(tmp_path / "config.json", {"trainer": "no_op"})
    folder = RunFolder(tmp_path / "run")
    write_json(folder.training, {})
    return folder


def test_what_is_measured_is_not_measured_again(tmp_path, folder):
    """For example, if the time over length is requested later."""
    write_json(folder.measurements, {"mine": 1})
    worker.do(arguments(tmp_path, folder.path, time_over_length=True))
    assert read_json(folder.measurements) == {"mine": 1} and not folder.predictions.exists()
    assert read_json(folder.time_over_length)["groups"] == [{"length": 3}]


@pytest.mark.parametrize("trainer, kept", [("no_op", False), (None, False), (CHECKPOINTER, True)])
def test_a_checkpointer_says_what_is_kept(tmp_path, folder, trainer, kept):
    write_json(tmp_path / "config.json", {"trainer": trainer})
    names = ("best.th", "model_state_e1_b25.th", "training_state_e1_b25.th")
    for name in names:
        (folder.path / name).touch()
    worker.do(arguments(tmp_path, folder.path))
    assert folder.is_done()
    assert [(folder.path / name).exists() for name in names] == [True, kept, kept]


def test_killed_before_it_is_done(tmp_path, folder):
    """Checkpoints are removed before the measurements are written, which mark the run as done."""
    checkpoint = folder.path / "model_state_e0_b0.th"
    checkpoint.touch()
    work = arguments(tmp_path, folder.path)
    killed = patch.object(worker, "write_json", side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        worker.do(work)
    assert not checkpoint.exists() and not folder.is_done()
    worker.do(work)
    assert folder.is_done()
    assert read_json(folder.measurements)["conditions"]["runs_at_a_time"] == 1
