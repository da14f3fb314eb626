from types import ModuleType
from typing import Any, List, Optional, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.cas_lstm.weights import CasLstmStates, CasLstmWeights
from slstm_allennlp.ops.differentiated_once import differentiated_once
from slstm_allennlp.ops.products import product, product_over_rows, uses_onednn


def fused_cas_lstm_layer(
    inputs: Tensor, cells_below: Optional[Tensor], weights: CasLstmWeights, kernels: ModuleType
) -> CasLstmStates:
    """
    Run `hoisted_cas_lstm_layer` with a hand-written backward pass. Each weight's gradient is one product
    over all words, and the steps are one function of `kernels`, from `load_kernels`. It returns no
    gates, does not support peepholes, and can be differentiated only once.
    """
    W, U = weights.W.flatten(1, 2), weights.U.flatten(1, 2)
    h, c = _Layer.apply(inputs, cells_below, W, U, weights.biases, weights.fusion, kernels)
    return CasLstmStates(h, c, None, None)


class _Layer(torch.autograd.Function):
    """One layer as an autograd function. The gates are stacked in W, U and biases: (D, G * h, ...)."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        inputs: Tensor,
        cells_below: Optional[Tensor],
        W: Tensor,
        U: Tensor,
        biases: Tensor,
        fusion: Optional[Tensor],
        kernels: ModuleType,
    ) -> Tuple[Tensor, Tensor]:
        directions, length, batch_size, _ = inputs.shape
        size = U.size(-1)
        pre = _products(inputs.flatten(1, 2), W, biases)
        gates = pre.view(directions, length, batch_size, -1, size)
        if cells_below is not None:
            cells_below = cells_below.contiguous()
        left, below = _scales(fusion, inputs.new_ones(directions, size))
        by_onednn = uses_onednn(U, U[0].numel())
        h = inputs.new_empty(directions, length, batch_size, size)
        c = torch.empty_like(h)
        for d in range(directions):
            lower = None if cells_below is None else cells_below[d]
            kernels.forward(gates[d], U[d], left[d], below[d], lower, h[d], c[d], by_onednn)
        ctx.kernels = kernels
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(inputs, cells_below, W, U, fusion, gates, h, c)
        return h, c

    @staticmethod
    @differentiated_once
    def backward(  # type: ignore[override]
        ctx: Any, grad_h: Optional[Tensor], grad_c: Optional[Tensor]
    ) -> Tuple[Optional[Tensor], ...]:
        inputs, cells_below, W, U, fusion, gates, h, c = ctx.saved_tensors
        left, below = _scales(fusion, inputs.new_ones(len(U), U.size(-1)))
        learns_fusion = fusion is not None and ctx.needs_input_grad[5]
        d_gates = gates.clone()  # overwritten by the gradients; another pass may read the gates
        grad_h = torch.zeros_like(h) if grad_h is None else grad_h.contiguous()
        contiguous = torch.contiguous_format
        d_c = torch.zeros_like(c) if grad_c is None else grad_c.clone(memory_format=contiguous)
        d_below = None if cells_below is None else torch.empty_like(cells_below)
        by_onednn = uses_onednn(U, U[0].numel())
        for d in range(len(U)):
            lower, d_lower = (None if cells is None else cells[d] for cells in (cells_below, d_below))
            parts = c[d], grad_h[d], d_c[d], d_lower
            ctx.kernels.backward(d_gates[d], U[d], left[d], below[d], lower, *parts, by_onednn)

        rows = d_gates.flatten(3).flatten(1, 2)  # (D, L * B, G * h)
        d_inputs = None
        if ctx.needs_input_grad[0]:
            d_inputs = _products(rows, W.transpose(1, 2)).view_as(inputs)
        d_W = _gradient(rows, inputs.flatten(1, 2))
        # The first word has no previous state.
        later = d_gates[:, 1:].flatten(3).flatten(1, 2)
        d_U = _gradient(later, h[:, :-1].flatten(1, 2))
        d_fusion = None
        if learns_fusion:
            d_fusion = (d_c * gates[:, :, :, 4] * cells_below).sum(dim=(1, 2))
            d_fusion -= (d_c[:, 1:] * gates[:, 1:, :, 1] * c[:, :-1]).sum(dim=(1, 2))
        return d_inputs, d_below, d_W, d_U, rows.sum(dim=1), d_fusion, None


def _products(x: Tensor, W: Tensor, biases: Optional[Tensor] = None) -> Tensor:
    """Compute x Wᵀ + b for each direction: (D, rows, n), (D, m, n) and (D, m) to (D, rows, m)."""
    return _stacked([product(x[d], W[d], None if biases is None else biases[d]) for d in range(len(x))])


def _gradient(rows: Tensor, x: Tensor) -> Tensor:
    """Compute a weight's gradient, (D, m, n), from that of x Wᵀ, (D, rows, m), and x, (D, rows, n)."""
    return _stacked([product_over_rows(rows[d], x[d]) for d in range(len(x))])


def _stacked(parts: List[Tensor]) -> Tensor:
    """`torch.stack`, without a copy if there is only one direction."""
    return parts[0].unsqueeze(0) if len(parts) == 1 else torch.stack(parts)


def _scales(fusion: Optional[Tensor], ones: Tensor) -> Tuple[Tensor, Tensor]:
    """Return the factors of f ⊙ c₋ and g ⊙ c': 1 - λ and λ, or 1 and 1. *Shape:* (D, h)"""
    return (ones, ones) if fusion is None else ((1 - fusion).contiguous(), fusion.contiguous())
