import inspect
from typing import Any, Callable

import torch

_HAS_NAMES = int(torch.__version__.partition(".")[0]) >= 2


def after_forward(module: torch.nn.Module, hook: Callable[[Any, Any, Any], Any]) -> Any:
    """
    Register a forward hook, `hook(module, arguments, output)`, and return its handle. Unlike in a hook
    of PyTorch, the arguments are all positional ones of `forward`, also those that are given by name or
    left out. PyTorch 1 hides arguments by name from hooks: there, they must be given by position.
    """
    signature = inspect.signature(module.forward)

    def with_all_arguments(module: torch.nn.Module, given: Any, named: Any, output: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        return hook(module, bound.args, output)

    if _HAS_NAMES:
        return module.register_forward_hook(with_all_arguments, with_kwargs=True)

    def with_positional_arguments(module: torch.nn.Module, given: Any, output: Any) -> Any:
        if "mask" in list(signature.parameters)[len(given) :]:
            raise ValueError(
                f"{type(module).__name__} was called without a mask by position, expected one or None: "
                "before PyTorch 2, a hook does not see arguments by name"
            )
        return with_all_arguments(module, given, {}, output)

    return module.register_forward_hook(with_positional_arguments)
