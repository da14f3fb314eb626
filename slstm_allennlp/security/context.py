"""The context in which AllenNLP's functions have checks."""

import functools
import threading
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Iterator, Tuple
from unittest import mock

import spacy
import torch
from allennlp.commands import train
from allennlp.common.registrable import Registrable
from allennlp.models import archival
from transformers import dynamic_module_utils

from slstm_allennlp.security import archives, class_names, opening, weights

_cached_path: Any = import_module("cached_path._cached_path")
_train_worker = train._train_worker
_lock = threading.Lock()
_entered = 0  # how many contexts are open, in all threads
_replaced = ExitStack()


@contextmanager
def safe_archives(trust: bool = False) -> Iterator[None]:
    """
    Within this context, archives are opened with the checks that SECURITY.md lists, by whatever function
    of AllenNLP. Contexts may be nested: the inner one decides on `trust`, and the last one to end undoes
    all replacements.

    # Parameters

    trust : `bool`, optional (default = `False`)
        Lift the restrictions on what an archive's config can do, as the environment variable
        SLSTM_ALLENNLP_TRUST_ARCHIVES=1 does.
    """
    global _entered, _replaced
    with _lock:
        if _entered == 0:
            with ExitStack() as stack:
                for owner, name, replacement in _replacements():
                    stack.enter_context(mock.patch.object(owner, name, replacement))
                _replaced = stack.pop_all()
        _entered += 1
    token = opening.IS_TRUSTING.set(trust)
    try:
        yield
    finally:
        opening.IS_TRUSTING.reset(token)
        with _lock:
            _entered -= 1
            if _entered == 0:
                _replaced.close()


load_archive = safe_archives()(archival.load_archive)
"""AllenNLP's `load_archive`, within `safe_archives()`."""


def _replacements() -> Iterator[Tuple[Any, str, Any]]:
    """Yield each module or class with the name of an attribute and its replacement."""
    yield torch, "load", functools.partial(weights.load, torch.load)
    yield Registrable, "resolve_class_name", classmethod(class_names.resolve_class_name)
    yield train, "_train_worker", _safe_train_worker

    yield archival, "extracted_archive", archives.extracted_archive
    # `load_archive` uses only `Params.from_file`, to read the config.
    yield archival, "Params", SimpleNamespace(from_file=opening.read_config)
    for name in ("_load_dataset_readers", "_load_model"):
        yield archival, name, opening.opening()(getattr(archival, name))

    # While these two run, downloads and foreign code are blocked in the functions that all calls share.
    yield spacy, "load", functools.partial(opening.load_spacy, spacy.load)
    address = "a file, or an address that you downloaded yourself"
    folder = "a folder, such as AllenNLP writes it"
    code = "run code that comes with a transformer, the class"
    for module, name, what, expected in (
        (_cached_path, "get_from_cache", "fetch", address),
        (_cached_path, "ZipFile", "unpack", folder),
        (_cached_path, "check_tarfile", "unpack", folder),
        (dynamic_module_utils, "get_class_in_module", code, "one of transformers"),
    ):
        yield module, name, opening.refusing(getattr(module, name), what, expected)


def _safe_train_worker(*args: Any, **kwargs: Any) -> Any:
    """Train as AllenNLP does. With `distributed`, this runs in other processes, without the context."""
    with safe_archives(opening.is_trusting()):
        return _train_worker(*args, **kwargs)
