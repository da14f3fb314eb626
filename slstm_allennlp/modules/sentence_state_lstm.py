import inspect
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ContextManager, Mapping, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from slstm_allennlp.common.arguments import check_flags, check_sizes
from slstm_allennlp.common.suggestions import did_you_mean
from slstm_allennlp.modules.checks import check_inputs, mask_of
from slstm_allennlp.modules.lstm_arguments import advice_on
from slstm_allennlp.ops.compiled import is_traced, is_transformed
from slstm_allennlp.ops.precision import computes_in_bfloat16
from slstm_allennlp.ops.slstm import (
    SlstmSettings,
    SlstmTrace,
    SlstmWeights,
    Transition,
    batched_slstm,
    fused_slstm,
    initial_weights,
    trace_slstm,
)
from slstm_allennlp.ops.slstm.choose_kernels import choose_kernels
from slstm_allennlp.ops.slstm.packed_weights import PackedWeights


class SentenceStateLSTM(Module):
    """
    The sentence-state LSTM of Zhang, Liu and Song, "Sentence-State LSTM for Text Representation"
    (ACL 2018). Every word has a state, and the sentence has a state g. In each of `num_steps` steps,
    every word reads its neighbours' states and g, and g reads all words: both directions at once.

        ξᵢ = [h₍ᵢ₋₁₎ ; hᵢ ; h₍ᵢ₊₁₎]
        x̂ᵢ = σ(Wₓ ξᵢ + Uₓ xᵢ + Vₓ g + bₓ)      for the gates x ∈ {i, l, r, f, s, o}      (Eq. 2)
        uᵢ = tanh(W_u ξᵢ + U_u xᵢ + V_u g + b_u)
        i, l, r, f, s = softmax(î, l̂, r̂, f̂, ŝ)
        cᵢ = l ⊙ c₍ᵢ₋₁₎ + f ⊙ cᵢ + r ⊙ c₍ᵢ₊₁₎ + s ⊙ c_g + i ⊙ u
        hᵢ = o ⊙ tanh(cᵢ)

        f̂_g = σ(W_g g + U_g h̄ + b_g)      f̂ᵢ = σ(W_f g + U_f hᵢ + b_f)
        o = σ(W_o g + U_o h̄ + b_o)
        f₁ … fₙ, f_g = softmax(f̂₁ … f̂ₙ, f̂_g)                                           (Eq. 3)
        c_g = f_g ⊙ c_g + Σᵢ fᵢ ⊙ cᵢ           g = o ⊙ tanh(c_g)

    All states of a step are computed from the states of the previous step. h̄ is the mean of the hᵢ.

    # Parameters

    input_size : `int`
        The size d of a word's input.
    hidden_size : `int`
        The size h of every state.
    num_steps : `int`, optional (default = `9`)
        The number T of recurrent steps.
    window_size : `int`, optional (default = `1`)
        How many neighbours k a word reads on each side.
    num_sentence_nodes : `int`, optional (default = `1`)
        The number m of sentence nodes. With none, the sentence vector is the mean of the words'
        states. With several, each node also reads the others, and the first is the sentence vector.
    boundary : `bool`, optional (default = `None`)
        Whether learned inputs ⟨s⟩ and ⟨/s⟩ are put before the first word and after the last. They are
        treated like words, also in means. None is the default of `transition`: True for `"paper"`,
        False for the other presets.
    transition : `str` or mapping, optional (default = `"paper"`)
        `"paper"`, `"released"` (the authors' TensorFlow code), `"fastnlp"` (the re-implementation in
        fastNLP) or `"balanced"` (this project's own combination, see RESULTS.md). Or a mapping that
        changes some choices of a preset, such as `{"preset": "released", "initial_state": "uniform"}`,
        the released code's for tagging. `slstm_allennlp.ops.slstm.Transition` lists the choices.
    layer_norm : `bool`, optional (default = `False`)
        Whether each gate's pre-activation has its own layer normalisation.
    recompute : `bool`, optional (default = `False`)
        Whether the backward pass recomputes products of the forward pass (gradient checkpointing). The
        forward pass then stores a third as much, and a step takes 15 to 37 % more time.
    bfloat16 : `bool`, optional (default = `False`)
        Whether the matrix products are computed in bfloat16, as under `torch.autocast`. Parameters,
        states and results stay in single precision.

    On a CPU with a C++ compiler, and on a GPU with Triton, compiled kernels compute it, in single and
    double precision, and in single precision with products in bfloat16. PyTorch's own operations compute
    layer normalisation, several nodes, a summed window, a `window_size` above 30 (8 on a GPU), and
    everything under `torch.compile`, `torch.func` and forward-mode derivatives.

    # Errors

    `ValueError` that names the argument, its value and what is expected. `TypeError` for an argument of
    LSTMs, such as `bidirectional`, that says what an S-LSTM has in its place.
    """

    word_b: Parameter

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_steps: int = 9,
        window_size: int = 1,
        num_sentence_nodes: int = 1,
        boundary: Optional[bool] = None,
        transition: Union[str, Mapping[str, Any], Transition] = "paper",
        layer_norm: bool = False,
        recompute: bool = False,
        bfloat16: bool = False,
        **unknown: Any,
    ) -> None:
        super().__init__()
        if unknown:
            raise TypeError(_explanation(unknown))
        check_flags(recompute=recompute, bfloat16=bfloat16)
        choices = Transition.of(transition)
        if boundary is not None:
            choices = replace(choices, boundary=boundary)
        self.settings = SlstmSettings(
            input_size, hidden_size, num_steps, window_size, num_sentence_nodes, choices, layer_norm
        )
        self.recompute = recompute
        self.bfloat16_products = bfloat16  # `bfloat16` is a method of every module
        if bfloat16 and computes_in_bfloat16() is False and not torch.cuda.is_available():
            warnings.warn(
                "bfloat16 is slow here: this processor has neither AVX512-BF16 nor AMX, without which "
                "products in bfloat16 take ten times the time of single precision and more",
                stacklevel=2,
            )
        for name, weight in initial_weights(self.settings)._asdict().items():
            self.register_parameter(name, None if weight is None else Parameter(weight))
        self._packed_weights = PackedWeights()

    @property
    def input_size(self) -> int:
        return self.settings.input_size

    @property
    def hidden_size(self) -> int:
        return self.settings.hidden_size

    output_size = hidden_size

    @property
    def weights(self) -> SlstmWeights:
        """The parameters, named as in the paper."""
        return SlstmWeights(*(getattr(self, name) for name in SlstmWeights._fields))

    def forward(
        self,
        inputs: Tensor,
        mask: Optional[Tensor] = None,
        need_words: bool = True,
        need_sentence: bool = True,
        lengths: Union[Tensor, Sequence[int], None] = None,
    ) -> Tuple[Tensor, Tensor]:
        """
        # Parameters

        inputs : `Tensor`
            Word representations. *Shape:* (batch_size, seq_len, input_size)
        mask : `Tensor`, optional (default = `None`)
            Booleans, or integers 0 and 1: true at real tokens, which come before the padding; None if
            there is no padding. *Shape:* (batch_size, seq_len)
        need_words, need_sentence : `bool`, optional (default = `True`)
            Whether the result is needed. If not, it may be None, which saves time.
        lengths : `Tensor` or sequence of `int`, optional (default = `None`)
            The number of real tokens of each sentence, in place of a mask. *Shape:* (batch_size)

        # Returns

        words : `Tensor`
            Every word's last state hᵢ, zero at padding. *Shape:* (batch_size, seq_len, hidden_size)
        sentence : `Tensor`
            The sentence vector. *Shape:* (batch_size, hidden_size)

        # Errors

        `ValueError` for a wrong shape or precision, for a mask with other values, with a hole, or padded
        elsewhere than at the end, for lengths that do not fit, and for flags that are no booleans.
        """
        check_flags(need_words=need_words, need_sentence=need_sentence)
        mask = self._checked(inputs, mask, lengths)
        with self._precision(inputs):
            given = inputs, mask, self.weights, self.settings, self._initial_state(inputs)
            kernels = choose_kernels(inputs, self.word_b, self.settings)
            if kernels is None:
                recompute = self.recompute and not is_traced() and not is_transformed()
                return batched_slstm(*given, recompute=recompute)
            return fused_slstm(  # type: ignore[return-value]
                *given,
                kernels=kernels,
                need_words=need_words,
                need_sentence=need_sentence,
                recompute=self.recompute,
                packed_weights=self._packed_weights if inputs.device.type == "cpu" else None,
            )

    def trace(
        self,
        inputs: Tensor,
        mask: Optional[Tensor] = None,
        more_steps: int = 0,
        lengths: Union[Tensor, Sequence[int], None] = None,
    ) -> SlstmTrace:
        """
        Return every gate and every state of every step, and the results of `forward`. It runs on
        PyTorch's own operations, with gradients unless under `torch.no_grad()`. Inputs, mask, lengths
        and errors as in `forward`.

        # Parameters

        more_steps : `int`, optional (default = `0`)
            Additional steps, to see whether the states converge. They are traced, but do not change the
            results. `ValueError` for a negative number.
        """
        check_sizes(0, more_steps=more_steps)
        mask = self._checked(inputs, mask, lengths)
        initial_state = self._initial_state(inputs)
        with self._precision(inputs):
            return trace_slstm(inputs, mask, self.weights, self.settings, initial_state, more_steps)

    def _checked(
        self, inputs: Tensor, mask: Optional[Tensor], lengths: Union[Tensor, Sequence[int], None] = None
    ) -> Tensor:
        """Check the arguments of `forward`, and return the mask."""
        is_autocast, weight = self.bfloat16_products, self.word_b
        if is_autocast and weight.dtype == torch.float16:  # PyTorch's autocast has one of them
            raise ValueError("the weights have dtype torch.float16 and bfloat16 is true, expected one")
        checked = check_inputs(
            inputs, mask, self.input_size, weight, padded_right=True, is_autocast=is_autocast
        )
        if lengths is None:
            return checked
        if mask is not None:
            raise ValueError("mask and lengths are both given, expected one of them")
        return mask_of(lengths, inputs)

    def _precision(self, inputs: Tensor) -> ContextManager[object]:
        """Return the context in which to compute."""
        if not self.bfloat16_products:
            return nullcontext()  # keep the caller's context, which may be autocast
        return torch.autocast(inputs.device.type, torch.bfloat16)

    def _initial_state(self, inputs: Tensor) -> Optional[Tensor]:
        if self.settings.transition.initial_state != "uniform":
            return None
        length = inputs.size(1) + 2 * self.settings.boundary
        shape = (2, inputs.size(0), length, self.hidden_size)
        # States have the precision of the weights, whatever that of the inputs.
        return torch.empty(shape, dtype=self.word_b.dtype, device=inputs.device).uniform_(-0.05, 0.05)

    def extra_repr(self) -> str:
        given = {"recompute": self.recompute, "bfloat16": self.bfloat16_products}
        return ", ".join(f"{name}={value}" for name, value in {**vars(self.settings), **given}.items())


def _explanation(unknown: Mapping[str, Any]) -> str:
    """Explain arguments that the module does not have."""
    name, known = next(iter(unknown)), [*inspect.signature(SentenceStateLSTM).parameters][:-1]
    return advice_on(unknown, of_module=True) or (
        f"SentenceStateLSTM has no argument {name!r}{did_you_mean(name, known)}"
    )
