"""Restrict the `type` of a config to registered classes and classes of included packages."""

import sys
from typing import Any, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import DEFAULT_PLUGINS, discover_plugins
from allennlp.common.registrable import Registrable

from slstm_allennlp.common.suggestions import nearest

_OURS = ("allennlp", "slstm_allennlp", *DEFAULT_PLUGINS)
_resolve = Registrable.resolve_class_name.__func__  # type: ignore[attr-defined]


def resolve_class_name(cls: Any, name: Any) -> Tuple[type, Optional[str]]:
    """
    Return the class and its constructor, as AllenNLP's method of this name does. A name with a dot must
    be a subclass of `cls` in a loaded module or an included package. AllenNLP imports any module and
    calls any object, such as `subprocess.Popen`. `ConfigurationError` for any other name.
    """
    if not isinstance(name, str):
        raise ConfigurationError(
            f"type {name!r} is no name, expected a string: that of a {cls.__name__}"
        )
    if name in Registrable._registry[cls]:
        return _resolve(cls, name)
    module_name, _, class_name = name.rpartition(".")
    if module_name and not _is_included(module_name):
        raise ConfigurationError(
            f'type "{name}" is of a module that is not loaded, expected a registered name, or a class '
            f"of a package that you included: by --include-package {name.partition('.')[0]}, a plugins "
            "file or an import"
        )
    found, constructor = _resolve(cls, name)
    if not (isinstance(found, type) and issubclass(found, cls)):
        known = vars(sys.modules[module_name]).items()
        names = [key for key, value in known if isinstance(value, type) and issubclass(value, cls)]
        close = nearest(class_name, names)
        suggestion = f', such as "{module_name}.{close}"' if close else ""
        raise ConfigurationError(
            f'type "{name}" is no {cls.__name__}, expected a registered name or a subclass of '
            f"{cls.__module__}.{cls.__name__}{suggestion}"
        )
    return found, constructor


def _is_included(module: str) -> bool:
    """Return whether a module is loaded, or of AllenNLP, of this package, or of a plugin."""
    included = {name.partition(".")[0] for name in (*_OURS, *discover_plugins())}
    package = module.partition(".")[0]
    return module in sys.modules or (
        package in included and package in sys.modules and not module.endswith(".__main__")
    )
