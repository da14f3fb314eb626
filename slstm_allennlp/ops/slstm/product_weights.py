"""The weights of a step, prepared for its matrix products."""

from functools import cached_property
from types import ModuleType
from typing import NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.products import LARGE, packed, product, rows_for
from slstm_allennlp.ops.slstm.weights import SlstmWeights

_PACKED_ROWS = 64  # oneDNN's layout for so many rows suits all batches of more than one word
_MIN_ROWS_FLOAT32 = 16  # with fewer rows in single precision, oneDNN's packed layout gains nothing


class StepWeights(NamedTuple):
    """The weights that a step multiplies with. Without a sentence node, only W is not None."""

    W: Tensor  # (G * h, (2k + 1) * h)
    V: Optional[Tensor] = None  # (G * h, h)
    sentence_W: Optional[Tensor] = None  # (2 or 3 gates * h, h)
    sentence_U: Optional[Tensor] = None  # (2 or 3 gates, h, h)

    @classmethod
    def of(cls, weights: SlstmWeights) -> "StepWeights":
        """Return the weights of an S-LSTM with at most one sentence node."""
        W, V = weights.word_W.flatten(2).flatten(0, 1), weights.word_V
        if V is None or weights.sentence_W is None or weights.sentence_U is None:
            return cls(W)
        V, sentence_W = V.flatten(2).flatten(0, 1), weights.sentence_W.flatten(3).flatten(0, 2)
        return cls(W, V, sentence_W, weights.sentence_U[0])


class Weight:
    """A weight W, (n, m), for products in `dtype` with about `rows` rows. It is packed on first use."""

    def __init__(self, W: Tensor, dtype: torch.dtype, rows: int) -> None:
        self._given, self.dtype, self._rows = W, dtype, rows

    @cached_property
    def _W(self) -> Tensor:
        return self._given.to(self.dtype)

    @cached_property
    def _packed(self) -> Tensor:
        return packed(self._W, self._rows)

    @cached_property
    def _packed_transpose(self) -> Tensor:
        return packed(self._W.t(), self._rows)

    def laid_out(self) -> Tuple[Tensor, bool]:
        """Return W for so many products that any memory layout pays off, and whether it is Wᵀ."""
        W = self._W
        if (self._rows < _MIN_ROWS_FLOAT32 or W.numel() <= LARGE) and W.dtype == torch.float32:
            # MKL reads a contiguous Wᵀ at full memory bandwidth.
            return W.t().contiguous(), True
        return packed(W, self._rows, keep=True), False

    def rows_for(self, rows: int) -> int:
        """See `slstm_allennlp.ops.products.rows_for`."""
        return rows_for(rows, self._W)

    def forward(self, x: Tensor) -> Tensor:
        """Compute x Wᵀ in `dtype`, and return it in the precision of x."""
        return product(x.to(self.dtype), self._packed).to(x.dtype)

    def backward(self, d: Tensor) -> Tensor:
        """Compute d W in `dtype`, and return it in the precision of d."""
        return product(d.to(self.dtype), self._packed_transpose).to(d.dtype)


class ProductWeights:
    """
    The weights of all products of a step, in `dtype`. Weights of the same factor are stacked into one:
    V, W_g, W_f and W_o multiply the sentence's g; U_g and U_o multiply the mean h̄.

    # Parameters

    weights : `StepWeights`
    dtype : `torch.dtype`
    words, sentences : `int`
        The approximate numbers in a batch.
    """

    def __init__(self, weights: StepWeights, dtype: torch.dtype, words: int, sentences: int) -> None:
        W, V, sentence_W, sentence_U = weights
        self.W = Weight(W, dtype, words)
        if V is None or sentence_W is None or sentence_U is None:
            return
        self.split = [len(V), len(sentence_W)]
        self.for_g = Weight(torch.cat([V, sentence_W]), dtype, sentences)
        # The gates that read h̄: f_g and o if f_g shares the U of fᵢ, else o and f_g.
        self.for_mean = Weight(sentence_U[-2:].flatten(0, 1), dtype, sentences)
        self.for_word = Weight(sentence_U[0], dtype, words)
        self.V, self.sentence_W = (Weight(part, dtype, sentences) for part in (V, sentence_W))
        self.sentence_U = [self.for_word, *(Weight(U, dtype, sentences) for U in sentence_U[1:])]


class KeptWeights:
    """
    A cache of `ForAllWords` for calls without gradients, valid as long as the weights do not change.
    A fingerprint of all their values detects a change, because PyTorch's version counters miss a write
    to a parameter's `.data`. A copy or a pickle of the cache is empty.
    """

    def __init__(self) -> None:
        self._kept: Optional[Tuple[object, ForAllWords]] = None

    def get(self, kernels: ModuleType, weights: SlstmWeights, dtype: torch.dtype) -> "ForAllWords":
        """Return `weights` prepared for inputs in `dtype`. `kernels` are the compiled CPU kernels."""
        if torch.is_autocast_cpu_enabled():
            dtype = torch.get_autocast_cpu_dtype()
        word = weights.word_U, weights.word_W, weights.word_V
        sentence = weights.sentence_W, weights.sentence_U
        numbers = [part.contiguous() for part in (*word, *sentence) if part is not None]
        key = dtype, kernels.fingerprint(numbers)
        kept = self._kept  # read once and written once, for thread safety
        if kept is None or kept[0] != key:
            kept = key, ForAllWords(weights, dtype)
            self._kept = kept
        return kept[1]

    def __reduce__(self) -> Tuple[type, Tuple[()]]:
        return type(self), ()


class ForAllWords:
    """The weights of all products, laid out for batches of any size."""

    def __init__(self, weights: SlstmWeights, dtype: torch.dtype) -> None:
        step = ProductWeights(StepWeights.of(weights), dtype, words=_PACKED_ROWS, sentences=1)
        has_node = weights.word_V is not None
        used = [step.W, step.for_g, step.for_word, step.for_mean] if has_node else [step.W]
        self.of_steps = [weight.laid_out() for weight in used]
        self._dtype = dtype
        self._U = packed(weights.word_U.detach().flatten(0, 1).to(dtype), _PACKED_ROWS, keep=True)

    def of_x(self, x: Tensor, b: Tensor) -> Tensor:
        """Compute U x + b of the word gates, (R, d') to (R, G * h), in the precision of the products."""
        with torch.autocast(x.device.type, enabled=False):
            return product(x.to(self._dtype), self._U, b.to(self._dtype))
