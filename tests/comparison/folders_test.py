"""The files of a comparison, and what they say about its runs."""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison.folders import (
    Checkpoint,
    ComparisonFolder,
    RunFolder,
    checksums,
    write_json,
)
from tests.comparison.common import plan, write_epoch, write_run


@pytest.mark.parametrize("name", ("metrics.json", "metrics_epoch_0.json", "model_state_e0_b25_w0.th"))
def test_a_run_is_begun_with_any_of_its_files(tmp_path, name):
    assert not RunFolder(tmp_path).is_begun()
    (tmp_path / name).touch()
    assert RunFolder(tmp_path).is_begun()


def test_the_state_of_a_run(tmp_path, comparison):
    folder = RunFolder(tmp_path)
    assert folder.latest_checkpoint() is None
    # The run was killed while it wrote the last of these.
    for name in ("e1_b0.th", "e2_b0.th", "e10_b25.th", "e11_b0.th.unfinished"):
        (tmp_path / f"model_state_{name}").touch()
    assert folder.latest_checkpoint() == Checkpoint(10, 25)
    # A run is done when it is measured.
    run = plan("lstm").runs()[0]
    assert not comparison.run(run).is_done()
    folder = write_run(comparison, run, [1, 1, 0, 0])
    assert folder.is_done() and not folder.is_done(time_over_length=True)
    assert len(folder.epoch_files()) == 2
    write_json(folder.time_over_length, [])
    assert folder.is_done(time_over_length=True)


def test_another_config_under_the_same_name(comparison):
    runs = plan("small", "large").runs()
    write_run(comparison, runs[0], [1, 1, 0, 0])
    comparison.expect_run(runs[0])
    changed = runs[0].config["model"]["seq2vec_encoder"]
    changed.update(hidden_size=7, num_layers=2)
    said = r"small-1 holds a run with another config: model\.seq2vec_encoder\.hidden_size is 0 there "
    for here in (r"and 7 here \(and 1 more\); expected the same, or another name", "and absent here"):
        with pytest.raises(ConfigurationError, match=said + here):
            comparison.expect_run(runs[0])
        changed.pop("hidden_size", None)
    # Nothing of a run that failed before the end of its first epoch is used again.
    run = plan("lstm").runs()[0]
    folder = comparison.run(run)
    write_json(folder.config, {"model": "broken"})
    comparison.expect_run(run)
    write_epoch(folder, 0)
    with pytest.raises(ConfigurationError, match="another config"):
        comparison.expect_run(run)


@pytest.fixture
def corpus(tmp_path):
    """A run's data: two files, and a folder of which a reader uses one part."""
    (tmp_path / "corpus").mkdir()
    for name in ("train.txt", "dev.txt", "corpus/pos", "corpus/neg"):
        (tmp_path / name).write_text(name)
    return {
        "train_data_path": str(tmp_path / "train.txt"),
        "validation_data_path": str(tmp_path / "dev.txt"),
        "test_data_path": str(tmp_path / "corpus#test"),
    }


@pytest.mark.parametrize(
    "changed, key",
    [("train.txt", "train_data"), ("dev.txt", "validation_data"), ("corpus/neg", "test_data")],
)
def test_other_data_under_the_same_path(tmp_path, corpus, changed, key):
    """They may change as long as the run has read nothing."""
    comparison = ComparisonFolder(tmp_path / "out")
    run = plan("lstm").runs()[0]
    run.config.update(corpus)
    for content in ("before", "after"):
        (tmp_path / changed).write_text(content)
        comparison.expect_run(run)
    write_run(comparison, run, [1, 1, 0, 0])
    comparison.expect_run(run)
    (tmp_path / changed).write_text("something else")
    message = rf"lstm-1 holds a run of other data: .* \({key}_path\) has changed since"
    with pytest.raises(ConfigurationError, match=message):
        comparison.expect_run(run)
    kept = comparison.run(run).checksums.rename(tmp_path / "kept")
    comparison.expect_run(run)  # a run without them, such as one of AllenNLP's
    kept.rename(comparison.run(run).checksums)
    shutil.rmtree(tmp_path / "corpus")
    for name in ("train.txt", "dev.txt"):
        (tmp_path / name).unlink()
    comparison.expect_run(run)  # without the data, as on another machine, a report is possible
    run.config["dataset_reader"] = {"split_checksum": "of a file that `--data` has split"}
    with pytest.raises(ConfigurationError, match=r"of other data: .*train\.txt has changed since"):
        comparison.expect_run(run)


@pytest.mark.parametrize(
    "given, file",
    [
        ("corpus", "corpus/of/a/part"),
        ("corpus#train", "corpus/of/a/part"),
        ("a#b/train.txt", "a#b/train.txt"),
        ("beside#b", "beside#b"),
        ("a#b/corpus#train", "a#b/corpus/train"),
        ("corpus.tar.gz!folder#train", "corpus.tar.gz"),
        ("a!.csv#train", "a!.csv"),
    ],
)
def test_checksums_of_every_kind_of_path(tmp_path, given, file):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "beside").touch()
    found = []
    for content in ("before", "afterwards"):
        path.write_text(content)
        found.append(checksums({"train_data_path": str(tmp_path / given)}))
    assert found[0].keys() == {"train_data_path"} and found[0] != found[1]


def test_names_in_a_folder_and_changes_count(tmp_path):
    """A reader may take labels from them. A single file may be renamed."""
    corpus = tmp_path / "corpus"
    (corpus / "neg").mkdir(parents=True)
    (corpus / "neg" / "1.txt").write_text("text")
    found = []
    for before, after in (("neg/1.txt", "neg/2.txt"), ("neg", "pos"), ("pos", "zzz")):
        found.append(checksums({"train_data_path": str(corpus)})["train_data_path"])
        (corpus / before).rename(corpus / after)
    assert len(set(found)) == 3
    # Earlier comparisons have stored this value, so it must not change.
    digest = hashlib.sha256(hashlib.sha256(b"text").digest()).hexdigest()
    moved = {"train_data_path": str(corpus / "zzz" / "2.txt")}
    assert checksums(moved) == {"train_data_path": digest}
    # It is noticed within one process and if the size is the same.
    path = tmp_path / "train.txt"
    found = []
    for time, content in enumerate(("before", "behind")):
        path.write_text(content)
        os.utime(path, ns=(time, time))
        found.append(checksums({"train_data_path": str(path)}))
    assert found[0] != found[1]


@pytest.mark.parametrize("given", (None, "", 300 * "a", {"train": "a"}, "no*.txt", "https://a.org/a"))
def test_what_has_no_checksum(given):
    assert checksums({"train_data_path": given}) == {}


def test_two_comparisons_do_not_work_in_one_folder(comparison):
    with comparison.locked() as lock:
        # If a comparison is killed, its runs continue and hold the lock.
        command = [sys.executable, "-c", "input()"]
        orphan = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=lock)
        with pytest.raises(ConfigurationError, match="another comparison"), comparison.locked():
            pass
    with pytest.raises(ConfigurationError, match="or a run of one that was killed"), comparison.locked():
        pass
    orphan.communicate(b"\n", timeout=60)
    with comparison.locked():
        pass
