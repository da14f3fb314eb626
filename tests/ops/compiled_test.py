import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from slstm_allennlp.ops import compiled
from slstm_allennlp.ops.compiled import load_kernels
from tests.conftest import run_program

HAS_COMPILER = shutil.which(os.environ.get("CXX", "c++")) and shutil.which("ninja")
with_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C++ compiler or no ninja here")


@with_compiler
@pytest.mark.parametrize("operation", ["slstm", "cas_lstm"])
def test_the_kernels_compile_here(operation):
    """Otherwise tests of compiled kernels would be skipped unnoticed."""
    assert load_kernels(operation) is not None


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The fallback cache folder, in the folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"slstm_allennlp-{os.getuid()}"


def test_the_cache_is_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "cache"))
    assert compiled._cache() == tmp_path / "new" / "cache" / "slstm_allennlp"
    assert compiled._cache().is_dir()


def no_home():
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("reason", ("no home", "a file in its place"))
def test_without_a_cache_it_is_a_temporary_folder_of_ones_own(tmp_path, temporary, monkeypatch, reason):
    if reason == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(pathlib.Path, "home", no_home)
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert compiled._cache() == temporary
    assert temporary.stat().st_mode & 0o777 == 0o700
    temporary.chmod(0o777)  # another user could put a program there
    with pytest.raises(OSError, match="can be written to by others, expected a folder of one's own"):
        compiled._cache()


@with_compiler
def test_a_damaged_file_is_built_again(tmp_path, monkeypatch):
    built = load_kernels("slstm").__file__
    library = tmp_path / "cut.so"
    library.write_bytes(pathlib.Path(built).read_bytes()[:10])
    monkeypatch.setattr(compiled, "_build", lambda name, source, library: shutil.copy(built, library))
    name = pathlib.Path(built).stem
    assert hasattr(compiled._built_once(name, tmp_path, library), "word_forward")


@with_compiler
def test_processes_that_start_together_compile_once(tmp_path, monkeypatch):
    """The others wait for the lock of the first, and load what it has built."""
    built = load_kernels("slstm").__file__
    library, builds = tmp_path / "together.so", []

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


@pytest.mark.parametrize(
    "error", (subprocess.CalledProcessError(1, ["c++", "--version"]), OSError("no space left on device"))
)
def test_what_keeps_it_from_compiling_is_said(monkeypatch, caplog, error):
    def fail(*_):
        raise error

    monkeypatch.delenv("SLSTM_ALLENNLP_KERNELS", raising=False)
    monkeypatch.setattr(compiled, "_built_once", fail)
    assert load_kernels.__wrapped__("slstm") is None
    assert f"The CPU kernels of slstm could not be compiled ({error})" in caplog.text


@pytest.mark.slow
def test_every_module_imports_without_triton():
    """Import them as AllenNLP does for `--include-package`."""
    pytest.importorskip("allennlp")
    script = """
import sys
sys.modules["triton"] = None
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("slstm_allennlp")
assert "slstm_allennlp.ops.slstm.kernels" in sys.modules
"""
    done = run_program([sys.executable, "-c", script])
    assert done.returncode == 0, done.stderr
