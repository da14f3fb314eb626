"""Backward passes by hand: their results can be used once, and say so where they are used again."""

import functools
from typing import Any, Callable, Optional, Tuple

import torch
from torch import Tensor

Gradients = Tuple[Optional[Tensor], ...]


def differentiated_once(backward: Callable[..., Gradients]) -> Callable[..., Gradients]:
    """
    For the backward pass of a `torch.autograd.Function`. PyTorch's `once_differentiable` notices a
    second differentiation only where the gradients that come in ask for one; these here depend on
    weights, too, so that under `create_graph=True` all that goes out refuses it.
    """

    @functools.wraps(backward)
    def wrapped(ctx: Any, *gradients: Optional[Tensor]) -> Gradients:
        with torch.no_grad():
            results = backward(ctx, *gradients)
        if not torch.is_grad_enabled():  # no create_graph
            return results
        # What they depend on, so that a derivative by any of it comes by the refusal.
        sources = [tensor for tensor in ctx.saved_tensors if tensor is not None and tensor.requires_grad]
        return _Refusal.apply(len(sources), *sources, *results)

    return wrapped


class _Refusal(torch.autograd.Function):
    """The tensors behind the sources, as they are; their derivative by these is refused."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, num_sources: int, *tensors: Optional[Tensor]
    ) -> Gradients:
        results = tensors[num_sources:]
        return tuple(None if tensor is None else tensor.view_as(tensor) for tensor in results)

    @staticmethod
    def backward(ctx: Any, *_: Optional[Tensor]) -> Gradients:  # type: ignore[override]
        raise RuntimeError(
            "The fast operations of slstm_allennlp can be differentiated once, expected no second "
            "derivative (with SLSTM_ALLENNLP_KERNELS=0 in the environment, and without recompute, "
            "PyTorch's own operations give it)"
        )
