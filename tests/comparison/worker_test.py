"""What a worker does when an earlier one was killed; the rest is in tests/commands/compare_test.py."""

import types

import pytest

from slstm_allennlp.comparison import worker
from slstm_allennlp.comparison.folders import RunFolder, read_json, write_json


def test_killed_after_the_training(tmp_path, monkeypatch):
    """The archive is made again, and no peak of memory is made up."""
    archived = []
    monkeypatch.setattr(worker, "archive_model", lambda path, **_: archived.append(path))
    folder = RunFolder(tmp_path)
    write_json(folder.metrics, {})
    worker._train(worker.Work(tmp_path / "config.json", tmp_path, [], False, 1), folder, {"trainer": {}})
    assert archived == [tmp_path]
    training = read_json(folder.training)
    assert training["peak_memory_bytes"] is None and training["runs_at_a_time"] == 1


def test_goes_on_without_what_came_after_the_checkpoint(tmp_path):
    """A `checkpointer` that does not save every epoch: the run may stop earlier this time."""
    folder = RunFolder(tmp_path)
    write_json(folder.config, {})
    for number in range(5):
        write_json(tmp_path / f"metrics_epoch_{number}.json", {"best_epoch": number})
    (tmp_path / "model_state_e2_b7.th").touch()
    assert worker._prepare(folder)
    assert [epoch["best_epoch"] for epoch in folder.epochs()] == [0, 1]
    assert [tuple(point) for point in folder.recovered_from()] == [(2, 7)]


def test_killed_before_it_is_done(tmp_path, monkeypatch):
    """With the measurements a run is done, and nothing tidies up after that."""

    class Trained:
        def __init__(self, *_):
            pass

        def predict(self):
            return []

        def measure(self):
            return types.SimpleNamespace(_asdict=dict)

    def killed(path, value):
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "TrainedRun", Trained)
    folder = RunFolder(tmp_path / "run")
    write_json(folder.training, {})
    write_json(tmp_path / "config.json", {"trainer": {}})
    checkpoint = folder.path / "model_state_e0_b0.th"
    checkpoint.touch()
    work = worker.Work(tmp_path / "config.json", folder.path, [], False, 1)
    with monkeypatch.context() as patch:
        patch.setattr(worker, "write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            worker.do(work)
    assert not checkpoint.exists() and not folder.is_done()
    worker.do(work)
    assert folder.is_done()
    assert read_json(folder.measurements)["conditions"]["runs_at_a_time"] == 1
