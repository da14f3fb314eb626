import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile
import time
from subprocess import CalledProcessError
from unittest import mock

import pytest

from slstm_allennlp.ops import compiled
from slstm_allennlp.ops.compiled import load_kernels

HAS_COMPILER = shutil.which(os.environ.get("CXX", "c++")) and shutil.which("ninja")
with_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler or no ninja here")


@with_compiler
@pytest.mark.parametrize("operation", ["slstm", "cas_lstm"])
def test_the_kernels_compile_here(operation):
    """Otherwise tests of compiled kernels would be skipped unnoticed."""
    assert load_kernels(operation) is not None


@pytest.mark.parametrize("umask", [0o022, 0o002, 0])
def test_the_cache_is_the_users(tmp_path, monkeypatch, umask):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "cache"))
    before = os.umask(umask)
    try:
        found = compiled._cache()
    finally:
        os.umask(before)
    assert found == tmp_path / "new" / "cache" / "slstm_allennlp"
    assert compiled._cache().is_dir()


@pytest.mark.parametrize("reason", ("no home", "a file in its place", "others can write"))
def test_without_a_cache_it_is_a_temporary_folder_of_ones_own(tmp_path, monkeypatch, reason):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    temporary = tmp_path / f"slstm_allennlp-{os.getuid()}"
    if reason == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(pathlib.Path, "home", mock.Mock(side_effect=RuntimeError("no home")))
    elif reason == "others can write":
        (tmp_path / "slstm_allennlp").mkdir()
        (tmp_path / "slstm_allennlp").chmod(0o777)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert compiled._cache() == temporary
    assert temporary.stat().st_mode & 0o777 == 0o700
    temporary.chmod(0o777)  # another user could put a program there
    with pytest.raises(OSError, match="can be written to by others, expected a folder of one's own"):
        compiled._cache()


@pytest.mark.parametrize("path", (None, "", "/own"))
def test_building_leaves_the_path_as_it_was(tmp_path, monkeypatch, path):
    """Without one it is the system's: an empty entry would be the current folder."""
    if path is None:
        monkeypatch.delenv("PATH")
    else:
        monkeypatch.setenv("PATH", path)

    def load(name, *_, build_directory, **options):
        first, *others = os.environ["PATH"].split(os.pathsep)
        assert first == (path or os.defpath.split(os.pathsep)[0])
        assert others[-1] == str(pathlib.Path(sys.executable).parent) and "" not in others
        (pathlib.Path(build_directory) / f"{name}.so").touch()

    monkeypatch.setattr("torch.utils.cpp_extension.load", load)
    compiled._build("x", tmp_path / "a" / "b" / "c.cpp", tmp_path / "x.so")
    assert os.environ.get("PATH") == path and (tmp_path / "x.so").exists()


@with_compiler
@pytest.mark.parametrize("damaged", (False, True))
def test_processes_that_start_together_compile_once(tmp_path, monkeypatch, damaged):
    """The others wait for the lock of the first, and load what it has built."""
    built = load_kernels("slstm").__file__
    library, builds = tmp_path / "together.so", []
    if damaged:
        library.write_bytes(pathlib.Path(built).read_bytes()[:10])

    def build(name, source, library):
        builds.append(name)
        time.sleep(0.5)
        shutil.copy(built, library)

    monkeypatch.setattr(compiled, "_build", build)
    arguments = (pathlib.Path(built).stem, tmp_path, library)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        results = [pool.submit(compiled._built_once, *arguments) for _ in range(3)]
        assert all(hasattr(result.result(), "word_forward") for result in results)
    assert len(builds) == 1


FAILED = "Error building extension: [1/2] c++"
NOT_LOADED = OSError("Could not load this library: a.so")
NOT_LOADED.__cause__ = OSError("a.so: undefined symbol")


@pytest.mark.parametrize(
    "error, reason",
    [
        (CalledProcessError(1, ["c++"]), "Command '['c++']' returned non-zero exit status 1.)"),
        (OSError("no space left"), "no space left)"),
        # The compiler's own, or the loader's
        (RuntimeError(f"{FAILED} -MMD\nclang: error: no -fopenmp\nninja: stop"), "clang: er"),
        (RuntimeError(f"{FAILED}\n/bin/sh: 1: c++: not found\n"), "/bin/sh: 1: c++: not"),
        (NOT_LOADED, "a.so: undefined symbol"),
    ],
)
def test_what_keeps_it_from_compiling_is_said(monkeypatch, caplog, error, reason):
    monkeypatch.delenv("SLSTM_ALLENNLP_KERNELS", raising=False)
    monkeypatch.setattr(compiled, "_built_once", mock.Mock(side_effect=error))
    assert load_kernels.__wrapped__("slstm") is None
    assert f"The CPU kernels of slstm could not be compiled ({reason}" in caplog.text
