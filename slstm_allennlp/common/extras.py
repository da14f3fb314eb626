"""Optional packages: the extras of setup.py."""

from importlib import import_module
from typing import Any

from slstm_allennlp.common.errors import MissingExtra


def needs(package: str, extra: str) -> Any:
    """Import and return an optional package. `MissingExtra` says which extra installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        name = package.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != name:
            raise
        raise MissingExtra(
            f"{name} is not installed, expected it here: pip install 'slstm-allennlp[{extra}]'"
        ) from None
