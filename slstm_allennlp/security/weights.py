"""Loading weights by an allow-list, on every PyTorch, where AllenNLP and transformers load them."""

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

# Whose calls of `torch.load` read what may come from a stranger. Other code decides for itself.
_PACKAGES = {"allennlp", "allennlp_models", "transformers"}
_EXPECTED = "expected tensors, numbers, text and collections of these alone"
# What comes up on the way through a file that was cut off or changed.
_DAMAGE = (
    *(EOFError, RuntimeError, LookupError, AttributeError, TypeError, ValueError, AssertionError),
    *(struct.error, OSError),
)
_NUMBERS = (numpy.float64, numpy.float32, numpy.int64, numpy.int32, numpy.bool_)
_SCALAR: Any = numpy.float64(0).__reduce__()[0]
_NUMBER_TYPES = tuple(type(numpy.dtype(number)) for number in _NUMBERS)
_load = torch.load
_KNOWS_WEIGHTS_ONLY = "weights_only" in inspect.signature(_load).parameters


class DamagedFile(ConfigurationError):
    """A file of weights that was cut off or changed."""


@functools.wraps(_load)
def load(f: Any, *args: Any, **kwargs: Any) -> Any:
    """
    `torch.load`, which holds itself to an allow-list when AllenNLP or transformers calls it: PyTorch's
    own (`weights_only=True`, whatever the environment says), before PyTorch 1.13 this module's.

    # Errors

    `ConfigurationError`, for these callers, for a file that names anything else, and for a damaged one.
    """
    caller = str(sys._getframe(1).f_globals.get("__name__"))
    if caller.partition(".")[0] not in _PACKAGES:
        return _load(f, *args, **kwargs)
    try:
        if _KNOWS_WEIGHTS_ONLY:
            return _load(f, *args, **{**kwargs, "weights_only": True})
        return load_by_our_list(f, *args, **kwargs)
    except pickle.UnpicklingError as error:
        raise ConfigurationError(f"{_name(f)}: {_reason(str(error))}") from error
    except _DAMAGE as error:
        if "weights_only" in str(error):
            raise ConfigurationError(
                f"{_name(f)}: it is TorchScript, which is code; {_EXPECTED}"
            ) from error
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # it cannot be read at all
        if isinstance(error, RuntimeError) and "PytorchStreamReader" not in str(error):
            raise
        said = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedFile(f"{_name(f)} is damaged ({said}), expected a file of torch.save") from error


def load_by_our_list(f: Any, map_location: Any = None) -> Any:
    """
    Loads what `torch.save` wrote, with any protocol of pickle, by this module's allow-list.

    # Parameters

    f : `Any`
        A path or a file, as for `torch.load`.
    map_location : `Any`, optional (default = `None`)
        As for `torch.load`.

    # Errors

    `pickle.UnpicklingError` for a file that names anything else.
    """
    _refuse_torchscript(f)
    options = {"weights_only": False} if _KNOWS_WEIGHTS_ONLY else {}
    return _load(f, map_location=map_location, pickle_module=_OUR_PICKLE, **options)


class AllowListUnpickler(pickle._Unpickler):  # type: ignore[name-defined]
    """
    An unpickler that knows the names on the list, and sets the state of tensors and collections alone:
    a class or a function, on the list, too, is to stay as it is.
    """

    stack: List[Any]
    proto: int
    dispatch: ClassVar[Dict[int, Callable]] = dict(pickle._Unpickler.dispatch)  # type: ignore[attr-defined]
    _with_state = (OrderedDict, torch.Tensor, torch.nn.Parameter, *_NUMBER_TYPES)

    def find_class(self, module: str, name: str) -> Any:
        if self.proto < 3:  # Python 2's names, in which PyTorch writes by default
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


# What `torch.load` takes of the module `pickle`.
_OUR_PICKLE = SimpleNamespace(
    __name__=__name__,
    Unpickler=AllowListUnpickler,
    load=lambda file, **options: AllowListUnpickler(file, **options).load(),
)


@functools.lru_cache(maxsize=1)
def _allowed() -> Dict[str, Any]:
    """The names that a file may hold: those on PyTorch 2's list which older ones have, and numbers."""
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
        f"torch._utils.{name}": getattr(torch._utils, name)
        for name in (
            "_rebuild_parameter",
            "_rebuild_tensor",
            "_rebuild_tensor_v2",
            "_rebuild_sparse_tensor",
            "_rebuild_qtensor",
        )
    }
    numbers = {f"numpy.{core}.multiarray.scalar": _SCALAR for core in ("core", "_core")}
    numbers["numpy.dtype"] = numpy.dtype
    numbers.update({f"{kind.__module__}.{kind.__name__}": kind for kind in _NUMBER_TYPES})
    return {**plain, **dtypes, **functions, **numbers}


def allow_numpy_scalars() -> None:
    """
    Lets `--recover` read back the checkpoints that AllenNLP writes, on PyTorch 2.6 and later. Some of
    AllenNLP's learning rate schedulers compute with NumPy (`cosine`), so that the optimizer's state
    holds NumPy numbers, which carry no code; they are added to PyTorch's list.
    """
    if hasattr(torch.serialization, "add_safe_globals"):
        torch.serialization.add_safe_globals([_SCALAR, numpy.dtype, *_NUMBER_TYPES])


def _encode(text: str, encoding: str = "latin1") -> bytes:
    """As bytes are written; other codecs have no business here."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"GLOBAL _codecs.encode with {encoding!r}")
    return text.encode("latin1")


def _refuse_torchscript(f: Any) -> None:
    """`torch.load` would hand such a file on to `torch.jit.load`, which runs what it says."""
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
