"""A full disk: files that were written before do not change, and the error is one sentence."""

import contextlib
import errno
import inspect
import json
import re
import resource
import shutil
import tarfile
from unittest import mock

import pytest
import torch
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.common.atomic_write import (
    NotWritten,
    atomic_write,
    atomic_write_by_torch,
    atomic_write_in,
)
from slstm_allennlp.common.mistakes import USERS_MISTAKE
from slstm_allennlp.comparison.folders import ComparisonFolder
from slstm_allennlp.comparison.report import write_report
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.console.main import main
from slstm_allennlp.training import ReliableTrainer
from tests.comparison.common import plan, write_run
from tests.conftest import slow_but
from tests.training.conftest import EVERY_BATCH, assert_same

NO_ROOM = r"could not be written \(.*\), expected enough disk space; the previous content is unchanged"
WRITER_RAISES = pytest.mark.skipif(torch.__version__ < "2", reason="1.12 aborts if the disk is full")


@contextlib.contextmanager
def full_disk(size):
    """Limit the size of files: writing more fails as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_and_a_quota(tmp_path, number):
    """The limit on the size of files, by which the other tests fill a disk, has another number."""
    # Not of the disk
    with pytest.raises(RuntimeError, match=r"^CUDA"), atomic_write_by_torch(tmp_path / "x"):
        raise RuntimeError("CUDA out of memory")
    with pytest.raises(NotWritten, match=NO_ROOM), atomic_write_by_torch(tmp_path / "x"):
        raise RuntimeError("basic_ios::clear: iostream error")  # at the end of a file
    with pytest.raises(NotWritten, match=NO_ROOM), atomic_write(tmp_path / "x"):
        raise OSError(number, "no space")


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@contextlib.contextmanager
def full_after(owner, name, size):
    """Let the disk be full as soon as a function has returned."""
    function = getattr(owner, name)

    def call(*arguments, **options):
        result = function(*arguments, **options)
        disk.enter_context(full_disk(size))
        return result

    is_method = isinstance(owner, type) and inspect.isfunction(function)
    replaced = mock.patch.object(owner, name, call if is_method else staticmethod(call))
    with contextlib.ExitStack() as disk, replaced:
        yield


@WRITER_RAISES
def test_a_checkpoint(run, tmp_path, fault):
    whole = run("whole", **EVERY_BATCH)
    message = r"state_e1_b2\.th could not be written \(.*\), expected enough disk space"
    with contextlib.ExitStack() as disk, pytest.raises(OSError, match=message):
        fault(6, lambda trainer: disk.enter_context(full_disk(2000)))
        run("full", **EVERY_BATCH)
    names = {path.name for path in (tmp_path / "full").glob("*_state_*")}
    assert {"model_state_e1_b1.th", "training_state_e1_b1.th"} <= names
    assert not [name for name in names if "e1_b2" in name]
    assert_same(run("full", recover=True, **EVERY_BATCH), whole)


def test_the_archive(classifier, tmp_path, capsys):
    """`--recover` writes the archive that there was no room for."""
    run = tmp_path / "run"
    shutil.copytree(classifier, run, ignore=shutil.ignore_patterns("out.log"))
    archive = run / "model.tar.gz"
    train = ["train", str(run / "config.json"), "-s", str(run), "--recover"]
    before = archive.read_bytes()
    for size in (len(before) - 1000, 10):  # with room for the log, and without
        with full_after(tarfile, "open", size):
            assert main(train) == USERS_MISTAKE
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert re.search(rf"model\.tar\.gz {NO_ROOM}, and .* writes the archive", said)
    assert archive.read_bytes() == before and not list(run.glob("*.unfinished"))
    archive.unlink()
    assert main(train) == 0
    archives = (folder / "model.tar.gz" for folder in (run, classifier))
    recovered, whole = (load_archive(path).model.state_dict() for path in archives)
    torch.testing.assert_close(recovered, whole, rtol=0, atol=0)


@WRITER_RAISES
def test_the_best_weights(tmp_path):
    trainer = object.__new__(ReliableTrainer)
    trainer._ddp_wrapped_model = None
    trainer.model = torch.nn.Linear(100, 100)
    trainer._save_model_state(str(tmp_path / "best.th"))
    before = contents(tmp_path)
    with full_disk(1000), pytest.raises(NotWritten, match=rf"best\.th {NO_ROOM}"):
        trainer._save_model_state(str(tmp_path / "best.th"))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("size", slow_but((10_000, 30_000, 60_000), fast=(10_000, 60_000)))
def test_the_report_of_a_comparison(tmp_path, size):
    """The disk is full at the first file of the report, or at a later one."""
    comparison, the_plan = ComparisonFolder(tmp_path), plan("base", "other")
    for run in the_plan.runs():
        write_run(comparison, run, [1, 0, 0, 0] if run.system == "base" else [1, 1, 1, run.seed % 2])
    write_report(Results(the_plan, comparison))
    before = contents(tmp_path)
    assert size < max(len(content) for name, content in before.items() if "report" in name)
    with full_disk(size), pytest.raises(NotWritten, match=rf"{tmp_path} {NO_ROOM}"):
        write_report(Results(the_plan, comparison))
    assert contents(tmp_path) == before


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "sentences.jsonl"
    path.write_text((json.dumps({"sentence": "a dull film"}) + "\n") * 60, encoding="utf-8")
    return path


def predict(archive, sentences, output):
    return main(f"predict {archive}/model.tar.gz {sentences} --output-file {output} --silent".split())


def test_predictions(classifier, sentences, tmp_path, capsys):
    output, unfinished = tmp_path / "out.jsonl", tmp_path / "out.jsonl.unfinished"
    assert predict(classifier, sentences, output) == 0
    before = output.read_text()
    assert len(before.splitlines()) == 60 and not unfinished.exists()
    for size in (len(before) // 2, 0):  # the message names a file that is there, also if it is empty
        with full_after(Predictor, "from_archive", size):
            assert predict(classifier, sentences, output) == USERS_MISTAKE
        said = rf"{output} {NO_ROOM}, and the predictions so far are in {unfinished}$"
        assert re.search(said, capsys.readouterr().err)
        assert output.read_text() == before
        assert unfinished.read_text() == before[:size]


def test_predictions_to_a_link_or_what_is_no_file(classifier, sentences, tmp_path):
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "out.jsonl")
    assert predict(classifier, sentences, tmp_path / "link.jsonl") == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 60
    assert predict(classifier, sentences, "/dev/null") == 0


def test_what_evaluate_writes(classifier, tmp_path, capsys):
    files = f"--output-file {tmp_path}/metrics --predictions-output-file {tmp_path}/predictions"
    evaluate = f"evaluate {classifier}/model.tar.gz fixtures/mr#dev {files}".split()
    assert main(evaluate) == 0
    assert len(before := contents(tmp_path)) == 2
    with full_after(MultiProcessDataLoader, "index_with", 10):
        assert main(evaluate) == USERS_MISTAKE
    assert re.search(NO_ROOM, capsys.readouterr().err)
    assert contents(tmp_path) == before
    assert main(evaluate[:5]) == 0
    assert contents(tmp_path) == before


def test_an_archive_that_is_unpacked(classifier, sentences, tmp_path, capsys):
    with full_disk(1000):
        assert predict(classifier, sentences, tmp_path / "out.jsonl") == USERS_MISTAKE
    assert re.search(r"expected enough disk space; .* TMPDIR", capsys.readouterr().err)


def test_another_error_is_its_own(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "file") as path:
        path.write_text("half")
        (tmp_path / "missing").read_text()
    with pytest.raises(ZeroDivisionError), atomic_write_in(tmp_path) as folder:
        (folder / "file").write_text("half")
        1 / 0  # noqa: B018
    assert not list(tmp_path.iterdir())
