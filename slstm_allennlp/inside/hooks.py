import inspect
from typing import Any, Callable, ContextManager
from unittest import mock

import torch


def after_forward(module: torch.nn.Module, hook: Callable[[Any, Any, Any], Any]) -> ContextManager[Any]:
    """
    Call `hook(module, arguments, output)` after each `forward` of a module in this context. What it
    returns replaces the output, unless it is None. Unlike in a hook of PyTorch, the arguments are all of
    `forward` in their order, also those that are given by name or left out.
    """
    forward, signature = module.forward, inspect.signature(module.forward)

    def with_hook(*given: Any, **named: Any) -> Any:
        output = forward(*given, **named)
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        changed = hook(module, bound.args, output)
        return output if changed is None else changed

    return mock.patch.object(module, "forward", with_hook)
