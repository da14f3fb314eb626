"""Restrict what the config of an untrusted archive can do while the archive is opened."""

import functools
import inspect
import json
import os
import tarfile
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Dict, Iterator, Union

import spacy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params

TRUST = "SLSTM_ALLENNLP_TRUST_ARCHIVES"
# Config keys by which AllenNLP's own models run code, and how.
_CODE_KEYS = {
    "trust_remote_code": "by which transformers runs code that comes with a model",
    "evalb_directory_path": "a program that would be compiled and run",
    "srl_eval_path": "a Perl script that would be run",
}
CAN_CHECK = "weights_only" in inspect.signature(torch.load).parameters
"""Whether this PyTorch can read weights without running their code (version 1.13 or later)."""
IS_OPENING: ContextVar[bool] = ContextVar("IS_OPENING", default=False)
IS_TRUSTING: ContextVar[bool] = ContextVar("IS_TRUSTING", default=False)


@contextmanager
def opening() -> Iterator[None]:
    """Mark that an archive is being opened: `refuse` then raises. It also decorates functions."""
    token = IS_OPENING.set(True)
    try:
        yield
    finally:
        IS_OPENING.reset(token)


def is_trusting() -> bool:
    """Return whether the user trusts archives: by an argument or SLSTM_ALLENNLP_TRUST_ARCHIVES=1."""
    value = os.environ.get(TRUST, "0")
    if value not in ("0", "1"):
        raise ConfigurationError(f"{TRUST} is {value!r}, expected 0 or 1")
    return IS_TRUSTING.get() or value == "1"


def is_restricted() -> bool:
    """Return whether an archive is being opened that the user does not trust."""
    return IS_OPENING.get() and not is_trusting()


def refuse(refusal: str) -> None:
    """Raise `ConfigurationError` if an archive is being opened that the user does not trust."""
    if is_restricted():
        raise _refused(refusal)


def _refused(refusal: str) -> ConfigurationError:
    return ConfigurationError(
        f"{refusal}; if you trust who made the archive, set the environment variable {TRUST} to 1"
    )


def read_config(path: str, overrides: Union[str, Dict[str, Any]] = "") -> Params:
    """
    Read an archive's config as plain JSON, as AllenNLP writes it. AllenNLP reads it as Jsonnet, which
    can import files and read environment variables. The user's overrides may be Jsonnet.
    `ConfigurationError` for a config that is not plain JSON, has a key that runs code, or exchanges the
    reader or the file of a command, and for any if this PyTorch cannot check the weights, unless the
    user trusts archives.
    """
    if is_trusting():
        return Params.from_file(path, overrides)
    if not CAN_CHECK:  # before a part of the config is built
        how = f"PyTorch {torch.__version__} cannot read weights without running code in them"
        raise _refused(f"{os.path.dirname(path)}: {how}, expected PyTorch 1.13 or later")
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"the archive's config.json is no JSON ({error}), expected what AllenNLP writes into an "
            f"archive; Jsonnet is for archives that you trust, with {TRUST}=1"
        ) from error
    if not isinstance(config, dict):
        raise ConfigurationError(
            f"the archive's config.json holds a {type(config).__name__}, expected an object"
        )
    params = Params.from_file(path, overrides)
    _check_keys(params.as_dict(quiet=True))
    # `evaluate` builds the loader later, and these keys win over its own reader and file.
    for loader in ("data_loader", "validation_data_loader"):
        given = config.get(loader)
        for key in ("reader", "data_path"):
            if isinstance(given, dict) and key in given:
                raise _refused(
                    f"the archive's config has {loader}.{key}, which commands give, expected none"
                )
    return params


def _check_keys(value: Any, path: str = "") -> None:
    """Refuse a config with a key that runs code."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        where = f"{path}.{key}" if path else str(key)
        if key in _CODE_KEYS and item not in (None, False):
            raise ConfigurationError(
                f"the archive's config has {where} = {item!r}, {_CODE_KEYS[key]}, expected none; "
                f"--overrides can set it to null, or {TRUST}=1 takes it, for archives that you trust"
            )
        _check_keys(item, where)


def refusing(original: Callable[..., Any], what: str, expected: str) -> Callable[..., Any]:
    """Return a function that calls `refuse`, with its first argument after `what`, or the original."""

    @functools.wraps(original)
    def refuse_or_call(argument: Any, *args: Any, **kwargs: Any) -> Any:
        name = str(argument.name) if isinstance(argument, tarfile.TarFile) else argument
        refuse(f"the archive's config would {what} {name}, expected {expected}")
        return original(argument, *args, **kwargs)

    return refuse_or_call


def load_spacy(original: Callable[..., Any], name: str, **options: Any) -> Any:
    """Call `spacy.load`, the `original`. While an archive is opened, load only installed packages."""
    if not spacy.util.is_package(str(name)):
        refuse(
            f"the archive's config would have spaCy load or install {str(name)!r}, which may be code, "
            "expected the name of an installed spaCy model"
        )
    return original(name, **options)
