"""What `make` would run, from a dry run."""

import shutil

import pytest

from tests.conftest import ROOT, run_program


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_demo_is_as_quiet_as_slstm():
    """It trains and predicts with `slstm`, and writes the predictions to a file."""
    done = run_program(["make", "--dry-run", "--always-make", "demo"], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.replace("\\\n", "").splitlines()
    commands = [line.split() for line in lines if "output/demo" in line]
    assert [words[0].rpartition("/")[2] for words in commands] == ["slstm", "slstm", "python"]
    assert [words[1] for words in commands] == ["train", "predict", "tools/show_demo.py"]
    assert "--silent" in commands[1] and not any("--verbose" in words for words in commands)
