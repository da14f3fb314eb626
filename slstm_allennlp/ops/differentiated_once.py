"""Hand-written backward passes whose results raise an error if they are differentiated again."""

import functools
from typing import Any, Callable, Optional, Tuple

import torch
from torch import Tensor

Gradients = Tuple[Optional[Tensor], ...]

_FAST = "The fast operations of slstm_allennlp"
_OTHERWISE = (
    "with SLSTM_ALLENNLP_KERNELS=0 in the environment, and without recompute, PyTorch's own operations "
    "give"
)


def differentiated_once(backward: Callable[..., Gradients]) -> Callable[..., Gradients]:
    """
    Decorate the backward pass of a `torch.autograd.Function`: a second derivative is a `RuntimeError`,
    and so are batched gradients (`is_grads_batched`). The pass runs without autocast, whatever the loss
    around it has: it sets its own precisions.

    PyTorch's `once_differentiable` detects a second derivative only if the incoming gradients require
    grad. Here the results depend on weights, too, so under `create_graph=True` all of them raise.
    """

    @functools.wraps(backward)
    def wrapped(ctx: Any, *gradients: Optional[Tensor]) -> Gradients:
        if any(gradient is not None and _is_batched(gradient) for gradient in gradients):
            raise RuntimeError(
                f"{_FAST} take one gradient at a time, expected no batched ones ({_OTHERWISE} them)"
            )
        devices = [gradient.device.type for gradient in gradients if gradient is not None]
        if not devices:
            return (None,) * len(ctx.needs_input_grad)
        with torch.no_grad(), torch.autocast(devices[0], enabled=False):
            results = backward(ctx, *gradients)
        if not torch.is_grad_enabled():  # no create_graph
            return results
        # Connect the results to all they depend on: a derivative by any of it then reaches _Refusal.
        given = (*ctx.saved_tensors, *gradients)
        sources = [tensor for tensor in given if tensor is not None and tensor.requires_grad]
        return _Refusal.apply(len(sources), *sources, *results)

    return wrapped


def _is_batched(tensor: Tensor) -> bool:
    """Whether the tensor stands for several, as with `is_grads_batched` or in `torch.func.vmap`."""
    functorch = getattr(torch._C, "_functorch", None)
    checks = (getattr(functorch, f"is_{kind}batchedtensor", None) for kind in ("", "legacy_"))
    return any(check(tensor) for check in checks if check is not None)


class _Refusal(torch.autograd.Function):
    """The identity of the tensors after the first `num_sources`. Its backward pass raises an error."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, num_sources: int, *tensors: Optional[Tensor]
    ) -> Gradients:
        results = tensors[num_sources:]
        return tuple(None if tensor is None else tensor.view_as(tensor) for tensor in results)

    @staticmethod
    def backward(ctx: Any, *_: Optional[Tensor]) -> Gradients:  # type: ignore[override]
        raise RuntimeError(
            f"{_FAST} can be differentiated once, expected no second derivative ({_OTHERWISE} it)"
        )
