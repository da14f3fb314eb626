"""Replacing a method of some objects for a while."""

import functools
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator


@contextmanager
def patch_method(objects: Iterable[Any], method: str, function: Callable[..., Any]) -> Iterator[None]:
    """
    Puts `function(object, …)` in the place of each object's method of that name, for as long as the
    context lasts; the class's own is `type(object).method`. A module's hooks would not do: on PyTorch 1
    they do not see arguments given by name.
    """
    objects = list(objects)
    for thing in objects:
        setattr(thing, method, functools.partial(function, thing))
    try:
        yield
    finally:
        for thing in objects:
            delattr(thing, method)  # the instance's, behind which the class's stands
