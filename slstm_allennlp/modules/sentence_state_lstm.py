from contextlib import nullcontext
from dataclasses import replace
from types import ModuleType
from typing import Any, ContextManager, Mapping, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from slstm_allennlp.common.arguments import check_flags
from slstm_allennlp.modules.checks import check_inputs, is_traced
from slstm_allennlp.ops.compiled import load_gpu_kernels, load_kernels
from slstm_allennlp.ops.slstm import (
    SlstmSettings,
    SlstmTrace,
    SlstmWeights,
    Transition,
    batched_slstm,
    fused_slstm,
    initial_weights,
    is_fusible,
    trace_slstm,
)
from slstm_allennlp.ops.slstm.kernels import eager
from slstm_allennlp.ops.slstm.product_weights import KeptWeights

# The largest `window_size` of the kernels. Triton unrolls the loop over the window, so a large one takes
# minutes to compile.
_LARGEST_WINDOW = {"cpu": 30, "cuda": 8}


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
        forward pass then stores a third as much, and a step takes a fifth more time. Not supported with
        layer normalisation, more than one node or a summed window.
    bfloat16 : `bool`, optional (default = `False`)
        Whether the matrix products are computed in bfloat16, as under `torch.autocast`. Parameters,
        states and results stay in single precision.

    The module runs on compiled kernels on a CPU with a C++ compiler and on a GPU with Triton. They
    support single and double precision, and single precision with products in bfloat16 (on a GPU also
    float16). The configurations that exclude `recompute`, and other devices, run on PyTorch's own
    operations.

    # Errors

    `ValueError` that names the argument, its value and what is expected.
    """

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
    ) -> None:
        super().__init__()
        check_flags(recompute=recompute, bfloat16=bfloat16)
        choices = Transition.of(transition)
        if boundary is not None:
            choices = replace(choices, boundary=boundary)
        self.settings = SlstmSettings(
            input_size=input_size,
            hidden_size=hidden_size,
            num_steps=num_steps,
            window_size=window_size,
            num_sentence_nodes=num_sentence_nodes,
            transition=choices,
            layer_norm=layer_norm,
        )
        if recompute and not is_fusible(self.settings):
            raise ValueError(
                "recompute is True, expected no layer_norm, at most one sentence node and no summed "
                "window with it"
            )
        self.recompute = recompute
        self.bfloat16_products = bfloat16  # `bfloat16` is a method of every module
        for name, weight in initial_weights(self.settings)._asdict().items():
            self.register_parameter(name, None if weight is None else Parameter(weight))
        self._kept = KeptWeights()

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
    ) -> Tuple[Tensor, Tensor]:
        """
        # Parameters

        inputs : `Tensor`
            Word representations. *Shape:* (batch_size, seq_len, input_size)
        mask : `Tensor`, optional (default = `None`)
            Boolean, True at real tokens, which come before the padding; None if there is no padding.
            *Shape:* (batch_size, seq_len)
        need_words, need_sentence : `bool`, optional (default = `True`)
            Whether the result is needed. If not, it may be None, which saves time.

        # Returns

        words : `Tensor`
            Every word's last state hᵢ, zero at padding. *Shape:* (batch_size, seq_len, hidden_size)
        sentence : `Tensor`
            The sentence vector. *Shape:* (batch_size, hidden_size)

        # Errors

        `ValueError` for a wrong shape or precision, and for a mask that is not boolean, has a hole or is
        padded elsewhere than at the end.
        """
        mask = check_inputs(inputs, mask, self.input_size, self._checked_weight, padded_right=True)
        with self._precision(inputs):
            start = self._start(inputs)
            kernels = self._kernels(inputs, mask)
            if kernels is None:
                return batched_slstm(inputs, mask, self.weights, self.settings, start)
            return fused_slstm(  # type: ignore[return-value]
                inputs,
                mask,
                self.weights,
                self.settings,
                start,
                kernels,
                need_words=need_words,
                need_sentence=need_sentence,
                recompute=self.recompute,
                # Only the compiled CPU kernels can detect a change of the weights.
                kept=self._kept if hasattr(kernels, "fingerprint") else None,
            )

    @property
    def _checked_weight(self) -> Optional[Tensor]:
        """A weight whose precision the inputs must have; None if autocast converts them."""
        return None if self.bfloat16_products else self.weights.word_b

    def _precision(self, inputs: Tensor) -> ContextManager[object]:
        """Return the context in which to compute."""
        if not self.bfloat16_products:
            return nullcontext()  # keep the caller's context, which may be autocast
        return torch.autocast(inputs.device.type, torch.bfloat16)

    def trace(self, inputs: Tensor, mask: Optional[Tensor] = None, more_steps: int = 0) -> SlstmTrace:
        """
        Return every gate and every state of every step, and the results of `forward`. It runs on
        PyTorch's own operations, with gradients unless under `torch.no_grad()`.

        # Parameters

        inputs : `Tensor`
        mask : `Tensor`, optional (default = `None`)
            Both as in `forward`.
        more_steps : `int`, optional (default = `0`)
            Additional steps, to see whether the states converge. They are traced, but do not change the
            results.

        # Returns

        `SlstmTrace`

        # Errors

        `ValueError` as in `forward`, and for a negative number of steps.
        """
        if more_steps < 0:
            raise ValueError(f"more_steps is {more_steps}, expected at least 0")
        mask = check_inputs(inputs, mask, self.input_size, self._checked_weight, padded_right=True)
        start = self._start(inputs)
        with self._precision(inputs):
            return trace_slstm(inputs, mask, self.weights, self.settings, start, more_steps)

    def _kernels(self, inputs: Tensor, mask: Tensor) -> Optional[ModuleType]:
        """Return the kernels for `fused_slstm`, or None if `batched_slstm` must be used."""
        if is_traced() or not is_fusible(self.settings):
            return None
        # In this order, because reading the mask synchronises with the GPU.
        any_word = (self.settings.boundary and len(mask) > 0) or bool(mask.any())
        if not any_word:
            return None
        compiled = self._compiled_kernels(inputs)
        return eager if compiled is None and self.recompute else compiled

    def _compiled_kernels(self, inputs: Tensor) -> Optional[ModuleType]:
        """Return the kernels for the inputs' device, or None if they do not support the precision."""
        device, has_low = inputs.device, [torch.bfloat16]
        if device.type == "cpu":
            autocast, low = torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype()
        elif device.type == "cuda":
            autocast, low = torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype()
            has_low.append(torch.float16)
        else:
            return None
        dtype = self.word_b.dtype
        if autocast:
            fits = dtype == torch.float32 and low in has_low and inputs.dtype in (low, dtype)
        else:
            fits = dtype in (torch.float32, torch.float64) and inputs.dtype == dtype
        if not fits or self.settings.window_size > _LARGEST_WINDOW[device.type]:
            return None
        return load_kernels("slstm") if device.type == "cpu" else load_gpu_kernels("slstm", device)

    def _start(self, inputs: Tensor) -> Optional[Tensor]:
        if self.settings.transition.initial_state != "uniform":
            return None
        length = inputs.size(1) + 2 * self.settings.boundary
        shape = (2, inputs.size(0), length, self.hidden_size)
        # States have the precision of the weights, whatever that of the inputs.
        dtype = self.weights.word_b.dtype
        return torch.empty(shape, dtype=dtype, device=inputs.device).uniform_(-0.05, 0.05)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in vars(self.settings).items())
