"""Replace functions and methods of AllenNLP and its dependencies, and record each replacement."""

import functools
import inspect
import sys
from typing import Any, Callable, List, NamedTuple

Original = Callable[..., Any]


class Change(NamedTuple):
    """An attribute of a module or class that this package has replaced."""

    owner: Any
    name: str
    original: Any

    @property
    def full_name(self) -> str:
        """The name that docs/allennlp_changes.md lists."""
        owner = self.owner
        prefix = (
            f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else owner.__name__
        )
        return f"{prefix}.{self.name}"


CHANGES: List[Change] = []


def replace(owner: Any, name: str, replacement: Any) -> None:
    """Replace an attribute of a module or class, and record that in `CHANGES`."""
    CHANGES.append(Change(owner, name, inspect.getattr_static(owner, name)))
    setattr(owner, name, replacement)


def replaces(
    owner: Any, name: str, wherever_imported: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Return a decorator that replaces a module's function or a class's method by the decorated function.
    The decorated function gets the original as its first argument, before the arguments of the call.
    With `wherever_imported`, the original is also replaced in all loaded modules of AllenNLP that
    imported it by name.
    """
    original = getattr(owner, name)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def replacement(*arguments: Any, **named: Any) -> Any:
            return function(original, *arguments, **named)

        replace(owner, name, replacement)
        if wherever_imported:
            for module_name, module in list(sys.modules.items()):
                if module_name.partition(".")[0] == "allennlp":
                    for attribute, value in list(vars(module).items()):
                        if value is original:
                            setattr(module, attribute, replacement)
        return function

    return decorate
