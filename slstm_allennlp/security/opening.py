"""While an archive of a stranger is being opened: what its config may not bring about."""

import functools
import json
import os
import tarfile
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Dict, Iterable, Iterator, Tuple, Union

import spacy
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params

from slstm_allennlp.security.archives import check_members

TRUST = "SLSTM_ALLENNLP_TRUST_ARCHIVES"
# Keys by which a config of AllenNLP's own models has code run, and how.
_CODE = {
    "trust_remote_code": "by which transformers runs code that comes with a model",
    "evalb_directory_path": "a program that would be compiled and run",
    "srl_eval_path": "a Perl script that would be run",
}
_is_opening: ContextVar[bool] = ContextVar("_is_opening", default=False)


@contextmanager
def opening() -> Iterator[None]:
    """What is built from an archive is built in this context."""
    token = _is_opening.set(True)
    try:
        yield
    finally:
        _is_opening.reset(token)


def refuse(what: str, expected: str) -> None:
    """
    Refuses what only an archive that the user trusts may do, while one is being opened.

    # Errors

    `ConfigurationError`, unless the environment variable SLSTM_ALLENNLP_TRUST_ARCHIVES is 1.
    """
    if _is_opening.get() and not is_trusting():
        raise ConfigurationError(
            f"the archive's config would {what}, expected {expected}; "
            f"if you trust who made the archive, set the environment variable {TRUST} to 1"
        )


def is_trusting() -> bool:
    """Whether the user said that the archives are by people that she trusts."""
    value = os.environ.get(TRUST, "0")
    if value not in ("0", "1"):
        raise ConfigurationError(f"{TRUST} is {value!r}, expected 0 or 1")
    return value == "1"


def in_opening(build: Callable) -> Callable:
    """A function that builds from an archive's config, in the context for it."""

    @functools.wraps(build)
    def build_in_context(*args: Any, **kwargs: Any) -> Any:
        with opening():
            return build(*args, **kwargs)

    return build_in_context


def read_config(path: str, overrides: Union[str, Dict[str, Any]] = "") -> Params:
    """
    An archive's config, as AllenNLP writes it: plain JSON. Read as Jsonnet, as AllenNLP reads it, it
    could import other files and look at all environment variables. The overrides are the user's, and
    still Jsonnet.

    # Errors

    `ConfigurationError` for a config that is not plain JSON.
    """
    if not is_trusting():
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
    if not is_trusting():
        _check_keys(params.as_dict(quiet=True))
    return params


def _check_keys(value: Any, path: str = "") -> None:
    """Refuses a config with a key that names code."""
    items: Iterable[Tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        where = f"{path}.{key}" if path else str(key)
        if key in _CODE and item not in (None, False):
            raise ConfigurationError(
                f"the archive's config has {where} = {item!r}, {_CODE[key]}, expected none; "
                f"--overrides can set it to null, or {TRUST}=1 takes it, for archives that you trust"
            )
        _check_keys(item, where)


def refusing(call: Callable, what: str, expected: str) -> Callable:
    """A function that is refused while an archive is being opened; `{0}` in `what` is its argument."""

    @functools.wraps(call)
    def call_or_refuse(*args: Any, **kwargs: Any) -> Any:
        refuse(what.format(*args, *kwargs.values()), expected)
        return call(*args, **kwargs)

    return call_or_refuse


def checking_tarfile(check: Callable) -> Callable:
    """The check of a corpus's archive, and that of a model's while one is being opened."""

    @functools.wraps(check)
    def check_more(tar_file: tarfile.TarFile) -> None:
        check(tar_file)
        if _is_opening.get():
            check_members(tar_file)

    return check_more


def load_spacy(name: str, **options: Any) -> Any:
    """`spacy.load`, by the name of an installed package alone while an archive is being opened."""
    if not spacy.util.is_package(str(name)):
        refuse(
            f"have spaCy load or install {str(name)!r}, which may be code",
            "the name of an installed spaCy model",
        )
    return spacy.load(name, **options)
