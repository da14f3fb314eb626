"""Load weights by an allow-list, in every PyTorch version, when AllenNLP or transformers loads them."""

import errno
import functools
import inspect
import pickle
import re
import struct
import sys
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from types import SimpleNamespace
from typing import Any, Callable, ClassVar, Dict, List

import numpy
import torch
from allennlp.common.checks import ConfigurationError

# Packages whose calls of `torch.load` may read untrusted files. Calls of other code are not changed.
_PACKAGES = {"allennlp", "allennlp_models", "transformers"}
_EXPECTED = "expected tensors, numbers, text and collections of these alone"
# Errors that a truncated or changed file can cause.
_DAMAGE_ERRORS = (
    *(EOFError, RuntimeError, LookupError, AttributeError, TypeError, ValueError, AssertionError),
    *(struct.error, OSError),
)
_NUMBERS = (numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_)
_SCALAR: Any = numpy.float64(0).__reduce__()[0]
_NUMBER_TYPES = tuple(type(numpy.dtype(number)) for number in _NUMBERS)
_load = torch.load
_HAS_WEIGHTS_ONLY = "weights_only" in inspect.signature(_load).parameters


class DamagedFile(ConfigurationError):
    """An error for a file of weights that is truncated or changed."""


@functools.wraps(_load)
def load(f: Any, *args: Any, **kwargs: Any) -> Any:
    """
    Replace `torch.load`. Calls from AllenNLP and transformers use an allow-list: PyTorch's own
    (`weights_only=True`, whatever the environment variables say), or this module's before PyTorch 1.13.

    # Errors

    `ConfigurationError`, for these callers, for a file with any other object, and for a damaged file.
    """
    caller = str(sys._getframe(1).f_globals.get("__name__"))
    if caller.partition(".")[0] not in _PACKAGES:
        return _load(f, *args, **kwargs)
    try:
        if _HAS_WEIGHTS_ONLY:
            return _load(f, *args, **{**kwargs, "weights_only": True})
        return load_by_our_list(f, *args, **kwargs)
    except pickle.UnpicklingError as error:
        raise ConfigurationError(f"{_name(f)}: {_reason(str(error))}") from error
    except _DAMAGE_ERRORS as error:
        if "weights_only" in str(error):
            raise ConfigurationError(
                f"{_name(f)}: it is TorchScript, which is code; {_EXPECTED}"
            ) from error
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # an error of the file system
        if isinstance(error, RuntimeError) and "PytorchStreamReader" not in str(error):
            raise
        said = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedFile(f"{_name(f)} is damaged ({said}), expected a file of torch.save") from error


def load_by_our_list(f: Any, map_location: Any = None) -> Any:
    """
    Load a file of `torch.save`, with any pickle protocol, by this module's allow-list. The arguments are
    those of `torch.load`.

    # Errors

    `pickle.UnpicklingError` for a file with any other object.
    """
    _refuse_torchscript(f)
    options = {"weights_only": False} if _HAS_WEIGHTS_ONLY else {}
    return _load(f, map_location=map_location, pickle_module=_OUR_PICKLE, **options)


class AllowListUnpickler(pickle._Unpickler):  # type: ignore[name-defined]
    """
    An unpickler for the names on the allow-list. It sets the state only of tensors, parameters,
    `OrderedDict`s and NumPy dtypes. Otherwise a file could change the classes and functions on the list.
    """

    stack: List[Any]
    proto: int
    dispatch: ClassVar[Dict[int, Callable]] = dict(pickle._Unpickler.dispatch)  # type: ignore[attr-defined]
    _with_state = (OrderedDict, torch.Tensor, torch.nn.Parameter, *_NUMBER_TYPES)

    def find_class(self, module: str, name: str) -> Any:
        if self.proto < 3:  # uses Python 2's names; PyTorch writes protocol 2 by default
            module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        try:
            return _allowed()[f"{module}.{name}"]
        except KeyError:
            raise pickle.UnpicklingError(f"GLOBAL {module}.{name}") from None

    def load_build(self) -> None:
        thing = type(self.stack[-2])
        if thing not in self._with_state:
            raise pickle.UnpicklingError(f"GLOBAL {thing.__module__}.{thing.__qualname__}")
        super().load_build()  # type: ignore[misc]

    dispatch[pickle.BUILD[0]] = load_build


# The parts of the `pickle` module that `torch.load` uses.
_OUR_PICKLE = SimpleNamespace(
    __name__=__name__,
    Unpickler=AllowListUnpickler,
    load=lambda file, **options: AllowListUnpickler(file, **options).load(),
)


@functools.lru_cache(maxsize=1)
def _allowed() -> Dict[str, Any]:
    """Return the allow-list: names on PyTorch 2's list that older versions have, and NumPy numbers."""
    plain = {
        "collections.OrderedDict": OrderedDict,
        "collections.Counter": Counter,
        "torch.nn.parameter.Parameter": torch.nn.Parameter,
        "torch.serialization._get_layout": torch.serialization._get_layout,
        "torch.Size": torch.Size,
        "torch.Tensor": torch.Tensor,
        "torch._tensor.Tensor": torch.Tensor,
        "torch.device": torch.device,
        "_codecs.encode": _encode,
        "builtins.bytearray": bytearray,
        "builtins.set": set,
        "builtins.complex": complex,
    }
    dtypes = {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    functions = {
        f"torch._utils._rebuild_{kind}": getattr(torch._utils, f"_rebuild_{kind}")
        for kind in ("parameter", "tensor", "tensor_v2", "sparse_tensor", "qtensor")
    }
    numbers = {f"numpy.{core}.multiarray.scalar": _SCALAR for core in ("core", "_core")}
    numbers["numpy.dtype"] = numpy.dtype
    numbers.update({f"{kind.__module__}.{kind.__name__}": kind for kind in _NUMBER_TYPES})
    return {**plain, **dtypes, **functions, **numbers}


def allow_numpy_scalars() -> None:
    """
    Add NumPy numbers, which contain no code, to PyTorch's allow-list, if it can be extended (PyTorch 2.4
    or later). `--recover` needs them: some of AllenNLP's learning rate schedulers (`cosine`) store them
    in the optimizer's state.
    """
    if hasattr(torch.serialization, "add_safe_globals"):
        torch.serialization.add_safe_globals([_SCALAR, numpy.dtype, *_NUMBER_TYPES])


def _encode(text: str, encoding: str = "latin1") -> bytes:
    """Replace `_codecs.encode`, and allow only `latin1`, which pickle uses for bytes."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"GLOBAL _codecs.encode with {encoding!r}")
    return text.encode("latin1")


def _refuse_torchscript(f: Any) -> None:
    """Refuse a TorchScript file: `torch.load` would call `torch.jit.load`, which can run code."""
    serialization = torch.serialization
    with serialization._open_file_like(f, "rb") as file:
        start = file.tell()
        try:
            if serialization._is_zipfile(file):
                with serialization._open_zipfile_reader(file) as reader:
                    if serialization._is_torchscript_zip(reader):
                        raise RuntimeError("a TorchScript archive, which weights_only does not take")
        finally:
            file.seek(start)


def _name(f: Any) -> str:
    return str(getattr(f, "name", f))


def _reason(message: str) -> str:
    name = re.search(r"GLOBAL (\S+)", message)
    if name is not None:
        return f'it holds "{name[1]}", {_EXPECTED}'
    return f"it cannot be read by the allow-list for weights, {_EXPECTED}"
