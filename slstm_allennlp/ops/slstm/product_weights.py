"""The weights of a step, as its matrix products read them."""

from functools import cached_property
from types import ModuleType
from typing import NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.products import Multiplication, packed, product, rows_for
from slstm_allennlp.ops.slstm.weights import SlstmWeights

_MANY = 64  # rows, of which oneDNN's order suits all batches but those of one word


class StepWeights(NamedTuple):
    """What a step multiplies with. The sentence node's are None without one."""

    W: Tensor  # (G * h, (2k + 1) * h)
    V: Optional[Tensor]  # (G * h, h)
    sentence_W: Optional[Tensor]  # (2 or 3 gates * h, h)
    sentence_U: Optional[Tensor]  # (2 or 3 gates, h, h)

    @classmethod
    def of(cls, weights: SlstmWeights) -> "StepWeights":
        """Of at most one sentence node."""
        W, V = weights.word_W.flatten(2).flatten(0, 1), weights.word_V
        if V is None or weights.sentence_W is None or weights.sentence_U is None:
            return cls(W, None, None, None)
        V, sentence_W = V.flatten(2).flatten(0, 1), weights.sentence_W.flatten(3).flatten(0, 2)
        return cls(W, V, sentence_W, weights.sentence_U[0])


class Weight:
    """A weight W, (n, m), of products in `dtype` with so many rows; with `keep`, laid out at once."""

    def __init__(self, W: Tensor, dtype: torch.dtype, rows: int, keep: bool = False) -> None:
        self._given, self.dtype, self._rows = W, dtype, rows
        if keep:
            self.multiplication = Multiplication.with_weight(self._W, rows, keep)

    @cached_property
    def _W(self) -> Tensor:
        return self._given.to(self.dtype)

    @cached_property
    def multiplication(self) -> Multiplication:
        """x ↦ x Wᵀ, of x in `dtype`."""
        return Multiplication.with_weight(self._W, self._rows)

    @cached_property
    def _backward(self) -> Tensor:
        return packed(self._W.t(), self._rows)

    def rows_for(self, rows: int) -> int:
        """As in `slstm_allennlp.ops.products`."""
        return rows_for(rows, self._W)

    def forward(self, x: Tensor) -> Tensor:
        """x Wᵀ, in the precision of x."""
        return self.multiplication(x.to(self.dtype)).to(x.dtype)

    def backward(self, d: Tensor) -> Tensor:
        """d W, in the precision of d."""
        return product(d.to(self.dtype), self._backward).to(d.dtype)


class ProductWeights:
    """
    The weights of all products of a step, in `dtype`, for batches of about so many words and sentences.
    What multiplies the same is one weight: V and W_g, W_f, W_o the sentence's g; U_g and U_o its mean h̄.

    # Parameters

    weights : `StepWeights`
    dtype : `torch.dtype`
    words, sentences : `int`
    keep : `bool`, optional (default = `False`)
        Whether they are for many batches.
    """

    def __init__(
        self, weights: StepWeights, dtype: torch.dtype, words: int, sentences: int, keep: bool = False
    ) -> None:
        W, V, sentence_W, sentence_U = weights
        self.W = Weight(W, dtype, words, keep)
        if V is None or sentence_W is None or sentence_U is None:
            return
        self.split = [len(V), len(sentence_W)]
        self.for_g = Weight(torch.cat([V, sentence_W]), dtype, sentences, keep)
        # The last two, of which the first is f_g's: of two or three gates.
        self.for_mean = Weight(sentence_U[-2:].flatten(0, 1), dtype, sentences, keep)
        self.for_word = Weight(sentence_U[0], dtype, words, keep)
        self.V, self.sentence_W = (Weight(part, dtype, sentences) for part in (V, sentence_W))
        self.sentence_U = [self.for_word, *(Weight(U, dtype, sentences) for U in sentence_U[1:])]


class KeptWeights:
    """
    `ProductWeights` from one call without gradients to the next, as long as the weights are the same.
    Their numbers tell, by a sum over all of them. PyTorch's version counters do not see a write to a
    parameter's `.data`. A copy and a pickle are empty.
    """

    def __init__(self) -> None:
        self._kept: Optional[Tuple[object, ForAllWords]] = None

    def get(self, kernels: ModuleType, weights: SlstmWeights, dtype: torch.dtype) -> "ForAllWords":
        """Those of `weights` for inputs in `dtype`; `kernels` are the compiled ones of a CPU."""
        if torch.is_autocast_cpu_enabled():
            dtype = torch.get_autocast_cpu_dtype()
        word = weights.word_U, weights.word_W, weights.word_V
        sentence = weights.sentence_W, weights.sentence_U
        numbers = [part.contiguous() for part in (*word, *sentence) if part is not None]
        key = dtype, kernels.fingerprint(numbers)
        kept = self._kept  # one read and one write: other threads may call
        if kept is None or kept[0] != key:
            kept = key, ForAllWords(weights, dtype)
            self._kept = kept
        return kept[1]

    def __reduce__(self) -> Tuple[type, Tuple[()]]:
        return type(self), ()


class ForAllWords(ProductWeights):
    """`ProductWeights` for batches of any size, and that of the words' inputs."""

    def __init__(self, weights: SlstmWeights, dtype: torch.dtype) -> None:
        super().__init__(StepWeights.of(weights), dtype, words=_MANY, sentences=1, keep=True)
        self._U = packed(weights.word_U.detach().flatten(0, 1).to(dtype), _MANY, keep=True)

    def of_x(self, x: Tensor, b: Tensor) -> Tensor:
        """U x + b of the words' gates, (R, G * h), in the products' precision."""
        dtype = self.W.dtype
        with torch.autocast(x.device.type, enabled=False):
            return product(x.to(dtype), self._U, b.to(dtype))
