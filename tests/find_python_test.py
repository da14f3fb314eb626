"""tools/find_python.sh, with which `make` finds a Python."""

import shutil
import sys

from tests.conftest import ROOT, run_program

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
