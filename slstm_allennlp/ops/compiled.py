"""
The kernels of an operation. Those for the CPU are compiled for this machine when they are first needed,
once: the result is kept in the user's cache. Those for a GPU are Triton's to compile and keep. Without a
C++ compiler or Triton, or with SLSTM_ALLENNLP_KERNELS=0 in the environment, the encoders run on
PyTorch's own operations.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import logging
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
from functools import cache
from types import ModuleType
from typing import Optional

import torch

from slstm_allennlp.ops.products import LARGE

logger = logging.getLogger(__name__)

_HEADER = pathlib.Path(__file__).with_name("elementwise.h")
# The products are PyTorch's; these functions are simple loops, which the compiler vectorises.
_FLAGS = ["-O3", "-march=native", "-std=c++17", "-fno-math-errno", "-fno-trapping-math", "-fopenmp"]
_FLAGS += [f"-DLARGE_PRODUCT={LARGE}"]


@cache
def load_kernels(operation: str) -> Optional[ModuleType]:
    """
    The functions of an operation's `kernels/cpu.cpp`, that of `"slstm"` or `"cas_lstm"`, or None where
    they cannot be compiled; the log says why.
    """
    source = pathlib.Path(__file__).parent / operation / "kernels" / "cpu.cpp"
    if _turned_off():
        return None
    try:
        name = f"{operation}_kernels_{_key(source)}"
        return _built_once(name, source, _cache() / f"{name}.so")
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        reason = str(error).strip().split("\n")[0]
        logger.warning(
            "The CPU kernels of %s could not be compiled (%s), so that it runs on PyTorch's own "
            "operations, which are slower; expected a C++ compiler and ninja.",
            operation,
            reason,
        )
        return None


@cache
def load_gpu_kernels(operation: str, device: torch.device) -> Optional[ModuleType]:
    """
    The functions of an operation's `kernels/gpu/triton_kernels.py`, that of `"slstm"`, or None where
    they do not run on this GPU; the log says why. Each is compiled when it is first called.
    """
    if _turned_off():
        return None
    # In a folder without __init__.py: AllenNLP imports every module of a package that it is told to
    # include, and this one needs Triton.
    name = f"slstm_allennlp.ops.{operation}.kernels.gpu.triton_kernels"
    try:
        module = importlib.import_module(name)
        module.try_out(device)
        return module
    except Exception as error:  # whatever Triton, a C compiler or the GPU's driver raises
        logger.warning(
            "The GPU kernels of %s do not run here (%s: %s), so that it runs on PyTorch's own "
            "operations, which are slower; expected Triton, as PyTorch for CUDA brings it, and a C "
            "compiler.",
            operation,
            type(error).__name__,
            str(error).strip().split("\n")[0],
        )
        return None


def _turned_off() -> bool:
    return os.environ.get("SLSTM_ALLENNLP_KERNELS", "1") == "0"


def _cache() -> pathlib.Path:
    """The user's, or where there is none to write to, one of the user's own among temporary files."""
    try:
        home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        folder = home / "slstm_allennlp"
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return folder
    except (OSError, RuntimeError):  # no home, or nothing can be written there
        folder = pathlib.Path(tempfile.gettempdir()) / f"slstm_allennlp-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o022:
            # Somebody else's program would be run from it.
            raise OSError(
                f"{folder} can be written to by others, expected a folder of one's own"
            ) from None
        return folder


def _key(source: pathlib.Path) -> str:
    """What the compiled file depends on: the sources, PyTorch, Python and the processor."""
    processor = platform.processor()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        processor += "".join(
            sorted({line for line in lines if line.startswith(("model name", "flags"))})
        )
    sources = source.read_text(), _HEADER.read_text()
    parts = (*sources, *_FLAGS, torch.__version__, sys.version, platform.machine(), processor)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _built_once(name: str, source: pathlib.Path, library: pathlib.Path) -> ModuleType:
    """The module, compiled if it is not there: by one of several processes that start together."""
    if module := _whole(name, library):
        return module
    import fcntl  # Windows has none, and the flags above are not its compiler's

    with library.with_suffix(".lock").open("w") as lock:
        with contextlib.suppress(OSError):  # a file system without locks: all of them compile
            fcntl.flock(lock, fcntl.LOCK_EX)
        if module := _whole(name, library):
            return module
        _build(name, source, library)
    return _imported(name, library)


def _whole(name: str, library: pathlib.Path) -> Optional[ModuleType]:
    """The compiled module, or None where there is none or the file was cut short by a full disk."""
    try:
        return _imported(name, library) if library.exists() else None
    except ImportError:
        logger.info("%s is damaged and built again", library)
        return None


def _imported(name: str, library: pathlib.Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _build(name: str, source: pathlib.Path, library: pathlib.Path) -> None:
    from torch.utils import cpp_extension  # takes its time to import

    logger.info("Compiling the CPU kernels of %s, once (about half a minute)", source.parent.parent.name)
    # ninja stands beside Python in a virtual environment, also in one that was not activated.
    os.environ["PATH"] = os.pathsep.join(
        [os.environ.get("PATH", ""), str(pathlib.Path(sys.executable).parent)]
    )
    # In a folder of its own, and moved when it is done: processes that start together do not meet.
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        cpp_extension.load(
            name,
            [str(source)],
            extra_cflags=_FLAGS,
            extra_include_paths=[str(_HEADER.parent)],
            build_directory=folder,
            is_python_module=False,
        )
        os.replace(pathlib.Path(folder) / f"{name}.so", library)
