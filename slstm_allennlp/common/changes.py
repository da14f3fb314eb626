"""The one way in which this package changes AllenNLP and what AllenNLP calls, and the record of it."""

import functools
import inspect
import sys
from typing import Any, Callable, List, NamedTuple

Original = Callable[..., Any]


class Change(NamedTuple):
    """An attribute of a module or a class that is another one since this package was imported."""

    owner: Any
    name: str
    original: Any

    @property
    def full_name(self) -> str:
        """As docs/allennlp_changes.md has it."""
        owner = self.owner
        prefix = (
            f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else owner.__name__
        )
        return f"{prefix}.{self.name}"


CHANGES: List[Change] = []


def replace(owner: Any, name: str, replacement: Any) -> None:
    """
    Puts the replacement in the place of a module's or a class's attribute.

    # Parameters

    owner : `Any`
        The module or the class.
    name : `str`
        The attribute.
    replacement : `Any`
        What the attribute is from now on.
    """
    CHANGES.append(Change(owner, name, inspect.getattr_static(owner, name)))
    setattr(owner, name, replacement)


def replaces(
    owner: Any, name: str, wherever_imported: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Puts the decorated function in the place of a module's function or of a class's method. It is given
    the original before the arguments of the call.

    # Parameters

    owner, name
        As in `replace`.
    wherever_imported : `bool`, optional (default = `False`)
        Whether also in AllenNLP's modules that have loaded: some have a function by its name, and do not
        ask the module that defines it.
    """
    original = getattr(owner, name)

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
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

    return put
