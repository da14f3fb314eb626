"""tools/find_python.sh, with which `make` finds a Python."""

import shutil
import sys

import pytest

from tests.conftest import ROOT, run_program

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def bin(tmp_path):
    """Folder for PATH: the tools that the script needs, and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("bash", "grep"):
        (folder / tool).symlink_to(shutil.which(tool))
    return folder


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)


def find(bin, *versions):
    command = [str(bin / "bash"), str(ROOT / "tools" / "find_python.sh"), *(versions or [VERSION])]
    done = run_program(command, env={"PATH": str(bin)})
    return done.returncode, done.stdout.strip()


def test_the_first_of_several_that_there_is(bin):
    assert find(bin) == (1, "")
    script(bin / f"python{VERSION}", f'exec {sys.executable} "$@"')
    assert find(bin) == (0, sys.executable)
    assert find(bin, "3.99", VERSION, "3.98") == (0, sys.executable)
    assert find(bin, "3.99", "3.98") == (1, "")


def test_one_that_refuses_to_start_or_is_of_another_version_does_not_count(bin):
    script(bin / f"python{VERSION}", "exit 127")
    script(bin / "python3", "echo 2.7; exit 1")
    assert find(bin) == (1, "")


def test_under_a_version_manager_that_refuses_on_the_path(bin, tmp_path):
    root = tmp_path / "pyenv"
    script(bin / f"python{VERSION}", "exit 127")
    script(
        bin / "pyenv",
        f'case "$1" in root) echo {root};; versions) echo system; echo {VERSION}.99;; esac',
    )
    script(root / "versions" / f"{VERSION}.99" / "bin" / "python", f'exec {sys.executable} "$@"')
    assert find(bin) == (0, sys.executable)
