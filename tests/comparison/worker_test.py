"""What a worker does when an earlier one was killed; the rest is in tests/commands/compare_test.py."""

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
