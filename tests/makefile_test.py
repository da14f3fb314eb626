"""What `make` would run, from a dry run, and tools/find_python.sh, with which it finds a Python."""

import shutil
import sys

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


VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)


def test_the_first_python_that_starts(tmp_path):
    bin, pyenv = tmp_path / "bin", tmp_path / "pyenv"

    def find(*versions):
        """Run it with a PATH that has the tools that it needs."""
        command = [str(bin / "bash"), str(ROOT / "tools" / "find_python.sh"), *versions]
        done = run_program(command, env={"PATH": str(bin)})
        return done.returncode, done.stdout.strip()

    bin.mkdir()
    for tool in ("bash", "grep"):
        (bin / tool).symlink_to(shutil.which(tool))
    assert find(VERSION) == (1, "")
    # One that refuses to start or is of another version does not count.
    script(bin / f"python{VERSION}", "exit 127")
    script(bin / "python3", "echo 2.7; exit 1")
    assert find(VERSION) == (1, "")
    # A version manager has one, and refuses on the path.
    versions = f'case "$1" in root) echo {pyenv};; versions) echo system; echo {VERSION}.99;; esac'
    script(bin / "pyenv", versions)
    python = f'exec {sys.executable} "$@"'
    script(pyenv / "versions" / f"{VERSION}.99" / "bin" / "python", python)
    assert find(VERSION) == (0, sys.executable)
    (bin / "pyenv").unlink()
    script(bin / f"python{VERSION}", python)
    assert find("3.99", VERSION, "3.98") == (0, sys.executable)
    assert find("3.99", "3.98") == (1, "")
