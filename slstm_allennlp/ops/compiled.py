"""
Compile and load the kernels of an operation.

CPU kernels are compiled for this machine on first use and stored in the user's cache. On a GPU, the
S-LSTM has Triton kernels. Without a C++ compiler or Triton, or with SLSTM_ALLENNLP_KERNELS=0 in the
environment, the encoders run on PyTorch's own operations.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import logging
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Callable, Iterator, Optional

import torch

logger = logging.getLogger(__name__)

_building = threading.Lock()  # one at a time, since it changes PATH
_HEADER = pathlib.Path(__file__).with_name("elementwise.h")
# The kernels are elementwise loops, which the compiler vectorises. Matrix products stay with PyTorch.
_FLAGS = ["-O3", "-march=native", "-std=c++17", "-fno-math-errno", "-fno-trapping-math", "-fopenmp"]


@cache
def load_kernels(operation: str) -> Optional[ModuleType]:
    """
    Return the compiled functions of `kernels/cpu.cpp` of an operation, `"slstm"` or `"cas_lstm"`. Return
    None if kernels are turned off, or if they cannot be compiled; the log then has the reason.
    """
    source = pathlib.Path(__file__).parent / operation / "kernels" / "cpu.cpp"
    if _are_off():
        return None
    try:
        name = f"{operation}_kernels_{_key(source.read_text(), _HEADER.read_text(), *_FLAGS)}"
        return _built_once(name, source, _cache() / f"{name}.so")
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        # PyTorch's first line is the whole command. Where it cannot load a library, the cause says why.
        why = error.__cause__ if isinstance(error, OSError) and error.__cause__ else error
        lines = str(why).strip().split("\n")
        reasons = (line for line in lines if re.search("error:|not found|cannot find", line))
        logger.warning(
            "The CPU kernels of %s could not be compiled (%s), so it runs on PyTorch's own "
            "operations, which are slower; expected ninja and a C++ compiler that has -fopenmp, such as "
            "g++ (SLSTM_ALLENNLP_KERNELS=0 goes without).",
            operation,
            next(reasons, lines[0]).strip(),
        )
        return None


@cache
def load_gpu_kernels(operation: str, device: torch.device) -> Optional[ModuleType]:
    """
    Return the functions of `kernels/gpu/triton_kernels.py` of an operation (only `"slstm"` has them).
    Return None if kernels are turned off, or if they do not run on this GPU; the log then has the
    reason. Triton compiles each function on its first call.
    """
    if _are_off():
        return None
    # The folder gpu/ has no __init__.py: AllenNLP's --include-package imports every module of a package,
    # and this one needs Triton.
    name = f"slstm_allennlp.ops.{operation}.kernels.gpu.triton_kernels"
    try:
        module = importlib.import_module(name)
        module.try_out(device)
        return module
    except Exception as error:  # Triton, the C compiler and the GPU driver raise errors of many types
        logger.warning(
            "The GPU kernels of %s do not run here (%s: %s), so it runs on PyTorch's own "
            "operations, which are slower; expected Triton 3.3 or later, which newer PyTorch for CUDA "
            "brings, and a C compiler.",
            operation,
            type(error).__name__,
            str(error).strip().split("\n")[0],
        )
        return None


def _are_off() -> bool:
    return os.environ.get("SLSTM_ALLENNLP_KERNELS") == "0"


def is_traced() -> bool:
    """
    Whether `torch.jit.trace`, `torch.compile`, `torch.export` or `make_fx` is tracing, or tensors have
    no values (`FakeTensorMode`). Values must not be read then, and compiled kernels cannot be called.
    """
    compiler = getattr(torch, "compiler", None)
    is_compiling = getattr(compiler, "is_compiling", lambda: False)
    return torch.jit.is_tracing() or is_compiling() or _is_recorded()


def _is_recorded() -> bool:
    """Whether a mode records PyTorch's operations, or infers their shapes. It does not see kernels."""
    modes = getattr(torch._C, "_TorchDispatchModeKey", None)
    mode_of = getattr(torch._C, "_get_dispatch_mode", lambda key: None)
    return modes is not None and any(mode_of(key) is not None for key in (modes.PROXY, modes.FAKE))


def is_transformed() -> bool:
    """
    Whether a forward-mode derivative or a transform of `torch.func` is active. The hand-written backward
    passes are no part of these.
    """
    level: int = getattr(torch.autograd.forward_ad, "_current_level", -1)
    stack = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", lambda: None)
    return level >= 0 or stack() is not None


def is_vmapped() -> bool:
    """Whether `torch.func.vmap` is active. Tensors in it have no values to check."""
    functorch = getattr(torch._C, "_functorch", None)
    stack = getattr(functorch, "get_interpreter_stack", lambda: None)() or ()
    return any(level.key() == functorch.TransformType.Vmap for level in stack)  # type: ignore[union-attr]


def _cache() -> pathlib.Path:
    """
    Return the user's cache folder or, if it is not writable or others can write to it, a private
    temporary folder.
    """
    try:
        home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        folder = home / "slstm_allennlp"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return _expect_own(folder, 0o002)
    except (OSError, RuntimeError) as error:  # no home folder, not writable, or another user's
        logger.info("Compiled kernels are kept in a temporary folder: %s", error)
        folder = pathlib.Path(tempfile.gettempdir()) / f"slstm_allennlp-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return _expect_own(folder, 0o022)


def _expect_own(folder: pathlib.Path, writers: int) -> pathlib.Path:
    """
    Return a folder into which no other user but root can put a library, which would run in this process.
    `writers` are the permissions that others must not have.
    """
    status = folder.stat()
    owners = {status.st_uid, folder.lstat().st_uid}  # of a link, too
    if os.name != "nt" and (owners - {0, os.getuid()} or status.st_mode & writers):
        raise OSError(f"{folder} can be written to by others, expected a folder of one's own") from None
    return folder


def _key(*texts: str) -> str:
    """Hash the texts and the machine: PyTorch, Python and processor."""
    processor = platform.processor()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        processor += "".join(
            # "Features" and "CPU …" are those of ARM.
            sorted({one for one in lines if one.startswith(("model name", "flags", "Features", "CPU "))})
        )
    parts = (*texts, torch.__version__, sys.version, platform.machine(), processor)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def measured_once(name: str, measure: Callable[[], bool]) -> bool:
    """Return the result of `measure`, which is kept beside the compiled kernels of this machine."""
    try:
        file = _cache() / f"{name}_{_key()}"
        known = file.read_text() if file.exists() else ""
    except OSError:  # there is no place to keep it
        return measure()
    if known in ("True", "False"):
        return known == "True"
    result = measure()
    with contextlib.suppress(OSError):
        file.write_text(str(result))
    return result


def _built_once(name: str, source: pathlib.Path, library: pathlib.Path) -> ModuleType:
    """Return the compiled module. If it is not cached, one of the processes that need it compiles it."""
    if module := _import_if_intact(name, library):
        return module
    import fcntl  # not on Windows, whose compiler does not take _FLAGS either

    with library.with_suffix(".lock").open("w") as lock:
        with contextlib.suppress(OSError):  # without file locks, every process compiles
            fcntl.flock(lock, fcntl.LOCK_EX)
        if module := _import_if_intact(name, library):
            return module
        _build(name, source, library)
    return _import_library(name, library)


def _import_if_intact(name: str, library: pathlib.Path) -> Optional[ModuleType]:
    """Import the compiled module; None if there is no file or a full disk has truncated it."""
    try:
        return _import_library(name, library) if library.exists() else None
    except ImportError:
        logger.info("%s is damaged and built again", library)
        return None


def _import_library(name: str, library: pathlib.Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _build(name: str, source: pathlib.Path, library: pathlib.Path) -> None:
    from torch.utils import cpp_extension  # slow to import

    logger.info("Compiling the CPU kernels of %s, once (about half a minute)", source.parent.parent.name)
    # Build in a temporary folder and rename: an atomic write, also without file locks.
    with _building, _path_with_python(), tempfile.TemporaryDirectory(dir=library.parent) as folder:
        cpp_extension.load(
            name,
            [str(source)],
            extra_cflags=_FLAGS,
            extra_include_paths=[str(_HEADER.parent)],
            build_directory=folder,
            is_python_module=False,
        )
        os.replace(pathlib.Path(folder) / f"{name}.so", library)


@contextmanager
def _path_with_python() -> Iterator[None]:
    """A virtual environment has ninja next to Python, which is not on PATH unless it is activated."""
    path = os.environ.get("PATH")
    os.environ["PATH"] = os.pathsep.join([path or os.defpath, str(pathlib.Path(sys.executable).parent)])
    try:
        yield
    finally:
        if path is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = path
