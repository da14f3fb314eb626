"""The weights as the products of a step need them, and their cache for calls without gradients."""

from types import ModuleType
from typing import NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.products import packed
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights

_PACKED_ROWS = 64  # oneDNN's layout for so many rows suits all batches of more than one word


class StepWeights(NamedTuple):
    """The weights of the products, named as in the equations. Without a sentence node, there are two."""

    U: Tensor  # (G * h, d')
    W: Tensor  # (G * h, (2k + 1) * h)
    V: Optional[Tensor] = None  # (G * h, h)
    W_node: Optional[Tensor] = None  # (3 * h, h), of f, o and f_g
    U_f: Optional[Tensor] = None  # (h, h)
    U_o: Optional[Tensor] = None  # (h, h)
    U_f_g: Optional[Tensor] = None  # (h, h)

    @classmethod
    def of(cls, weights: SlstmWeights, settings: SlstmSettings) -> "StepWeights":
        """Return the weights of an S-LSTM with at most one sentence node."""
        U, W = weights.word_U.flatten(0, 1), weights.word_W.flatten(2).flatten(0, 1)
        if weights.word_V is None or weights.sentence_W is None or weights.sentence_U is None:
            return cls(U, W)
        V = weights.word_V.flatten(2).flatten(0, 1)
        W_node = node_gates(weights.sentence_W[0].flatten(2), settings)
        return cls(U, W, V, torch.cat(W_node), *node_gates(weights.sentence_U[0], settings))


def slots_of(weights: SlstmWeights) -> Optional[Tensor]:
    """Return W h⁰ of each slot of ξ, (2k + 1, G * h), if all words start from one learned h⁰."""
    if weights.initial_h is None:
        return None
    with torch.autocast(weights.initial_h.device.type, enabled=False):
        return (weights.word_W @ weights.initial_h).flatten(0, 1).t()


def node_gates(stacked: Tensor, settings: SlstmSettings) -> Tuple[Tensor, Tensor, Tensor]:
    """Return the parts for f, o and f_g of a node's weights; f_g may share those of f."""
    parts = dict(zip(settings.sentence_gates, stacked))
    return parts["f"], parts["o"], parts.get("g", parts["f"])


class PackedWeights:
    """
    A cache of weights that are laid out for products of any number of rows. It is valid as long as the
    weights do not change. A fingerprint of all their values detects a change, because PyTorch's version
    counters miss a write to a parameter's `.data`. A copy or a pickle of the cache is empty.
    """

    def __init__(self) -> None:
        self._kept: Optional[Tuple[object, StepWeights, Optional[Tensor]]] = None

    def get(
        self,
        kernels: ModuleType,
        weights: SlstmWeights,
        settings: SlstmSettings,
        dtype: torch.dtype,
    ) -> Tuple[StepWeights, Optional[Tensor]]:
        """Return the weights for products in `dtype`, and the result of `slots_of`."""
        word = weights.word_U, weights.word_W, weights.word_V
        given = (*word, weights.sentence_W, weights.sentence_U, weights.initial_h)
        tensors = [part.detach().contiguous() for part in given if part is not None]
        key = dtype, kernels.fingerprint(tensors=tensors)
        kept = self._kept  # read once and written once, for thread safety
        if kept is None or kept[0] != key:
            parts = StepWeights.of(weights, settings)
            laid_out = (None if W is None else _laid_out(W, dtype) for W in parts)
            kept = key, StepWeights._make(laid_out), slots_of(weights)
            self._kept = kept
        return kept[1:]

    def __reduce__(self) -> Tuple[type, Tuple[()]]:
        return type(self), ()


def _laid_out(W: Tensor, dtype: torch.dtype) -> Tensor:
    """Pack W, or transpose it in memory, which MKL reads faster for few rows."""
    W = W.detach().to(dtype)
    found = packed(W, _PACKED_ROWS)
    return found if found.is_mkldnn else W.t().contiguous().t()
