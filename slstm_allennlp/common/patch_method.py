"""Replace a method of some objects temporarily."""

import functools
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator


@contextmanager
def patch_method(objects: Iterable[Any], method: str, function: Callable[..., Any]) -> Iterator[None]:
    """
    Replace the method by `function(object, …)` on each object within this context. The original method
    is `type(object).method`. Module hooks are no alternative: in PyTorch 1 they do not get keyword
    arguments.
    """
    objects = list(objects)
    for thing in objects:
        setattr(thing, method, functools.partial(function, thing))
    try:
        yield
    finally:
        for thing in objects:
            delattr(thing, method)  # from the instance: the class's method is visible again
