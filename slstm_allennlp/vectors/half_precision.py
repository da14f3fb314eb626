from typing import Any, Dict

import torch


def save_in_half_precision(module: torch.nn.Module) -> None:
    """
    Store a module's frozen parameters with 16 bits in its state, which halves their size. They have 32
    bits again after the state is loaded.
    """
    module._register_state_dict_hook(_to_half)


def _to_half(module: torch.nn.Module, state: Dict[str, Any], prefix: str, metadata: Any) -> None:
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            state[prefix + name] = state[prefix + name].half()
