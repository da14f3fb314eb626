"""Restrict the `type` of a config to registered classes and classes of included packages."""

import sys
from typing import Any, Optional, Set, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import DEFAULT_PLUGINS, discover_plugins
from allennlp.common.registrable import Registrable

from slstm_allennlp.common.suggestions import nearest

_OURS = ("allennlp", "slstm_allennlp", *DEFAULT_PLUGINS)
_resolve = Registrable.resolve_class_name.__func__  # type: ignore[attr-defined]


def resolve_class_name(cls: Any, name: Any) -> Tuple[type, Optional[str]]:
    """
    Replace AllenNLP's `Registrable.resolve_class_name`. A name with a dot is accepted only if it is a
    subclass of `cls` in a loaded module or an included package. AllenNLP imports any module and calls
    any object, such as `subprocess.Popen`.

    # Errors

    `ConfigurationError` for any other name.
    """
    if not isinstance(name, str):
        raise ConfigurationError(
            f"type {name!r} is no name, expected a string: that of a {cls.__name__}"
        )
    if name in Registrable._registry[cls]:
        return _resolve(cls, name)
    if "." in name:
        _check_included(name)
    found, constructor = _resolve(cls, name)
    if not (isinstance(found, type) and issubclass(found, cls)):
        raise ConfigurationError(
            f'type "{name}" is no {cls.__name__}, expected a registered name or a subclass of '
            f"{cls.__module__}.{cls.__name__}{_suggestion(name, cls)}"
        )
    return found, constructor


def _check_included(name: str) -> None:
    """Refuse a class if its module is not loaded and its package is not included by the user."""
    module_name = name.rpartition(".")[0]
    package = name.partition(".")[0]
    if module_name in sys.modules or (package in _included() and not module_name.endswith(".__main__")):
        return
    raise ConfigurationError(
        f'type "{name}" is of a module that is not loaded, expected a registered name, or a class of a '
        f"package that you included: by --include-package {package}, a plugins file or an import"
    )


def _included() -> Set[str]:
    """
    Return the packages from which a `type` may import a module: AllenNLP, this package and plugins.
    `--include-package` needs no entry here, since it imports all modules of a package.
    """
    packages = {name.partition(".")[0] for name in (*_OURS, *discover_plugins())}
    return packages.intersection(sys.modules)


def _suggestion(name: str, cls: type) -> str:
    module, _, class_name = name.rpartition(".")
    known = vars(sys.modules[module]).items()
    names = [key for key, value in known if isinstance(value, type) and issubclass(value, cls)]
    close = nearest(class_name, names)
    return f', such as "{module}.{close}"' if close else ""
