"""The elementwise part of a step, in functions that read and write each tensor once."""

from typing import Optional, Protocol, Sequence, Tuple

from torch import Tensor


class SlstmKernels(Protocol):
    """
    The functions of `cpu.cpp` and of `gpu/triton_kernels.py`; all arguments are given by keyword.
    Shapes, for R words of B sentences, hidden size h, window size k and G gates:

        cu_seqlens              (B + 1,)      the first row of each sentence, and R
        pre, Ux                 (R, G * h)    W ξ and U x + b of the word gates
        Vg                      (B, G * h)    V g of the word gates, None without a sentence node
        c, c_new, dh, dc        (R, h)        cells before and after the step, gradients of new h, c
        c_g, c_g_new, dg, dc_g  (B, h)        the same for the sentence node
        x                       (R, h)        the candidate if it is the input; None if it is u = tanh(…)
        Uf                      (R, h)        U_f hᵢ
        Wf, f_g, o              (B, h)        W_f g + b_f; pre-activations of f_g and the node's o

    Tensors of words may have more than R rows. The inputs and results of matrix products (`pre`, `Ux`,
    `Uf`, windows and their gradients) may have lower precision than the states. Everything is computed
    in the precision of the states.
    """

    def word_forward(
        self,
        *,
        cu_seqlens: Tensor,
        window_size: int,
        sigmoid_first: bool,
        pre: Tensor,
        Ux: Tensor,
        Vg: Optional[Tensor],
        c: Tensor,
        c_g: Optional[Tensor],
        x: Optional[Tensor],
    ) -> Tuple[Tensor, Tensor]:
        """Compute the next h and c from the products of Eq. 2."""

    def word_backward(
        self,
        *,
        cu_seqlens: Tensor,
        window_size: int,
        sigmoid_first: bool,
        pre: Tensor,
        Ux: Tensor,
        Vg: Optional[Tensor],
        c: Tensor,
        c_g: Optional[Tensor],
        x: Optional[Tensor],
        c_new: Tensor,
        dh: Tensor,
        dc: Tensor,
        d_pre: Tensor,
        d_Ux: Tensor,
        d_x: Optional[Tensor],
    ) -> Tuple[Optional[Tensor], Tensor, Optional[Tensor]]:
        """
        Return the gradients of V g, c and c_g. Write the gradient of W ξ to `d_pre`; add those of U x
        and x to `d_Ux` and `d_x`.
        """

    def node_forward(
        self,
        *,
        cu_seqlens: Tensor,
        sigmoid_first: bool,
        Uf: Tensor,
        Wf: Tensor,
        f_g: Tensor,
        o: Tensor,
        c: Tensor,
        c_g: Tensor,
    ) -> Tuple[Tensor, Tensor, Tensor]:
        """Compute the next g and c_g from the products of Eq. 3, and its softmax's log denominator."""

    def node_backward(
        self,
        *,
        cu_seqlens: Tensor,
        sigmoid_first: bool,
        Uf: Tensor,
        Wf: Tensor,
        f_g: Tensor,
        o: Tensor,
        c: Tensor,
        c_g: Tensor,
        c_g_new: Tensor,
        log_total: Tensor,
        dg: Tensor,
        dc_g: Tensor,
        d_Uf: Tensor,
        d_c: Tensor,
    ) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        """
        Return the gradients of W_f g, of the pre-activations of f_g and o, and of c_g. Write the
        gradient of U_f hᵢ to `d_Uf`; add that of c to `d_c`.
        """

    def windows(self, *, cu_seqlens: Tensor, window_size: int, states: Tensor, result: Tensor) -> None:
        """Write ξᵢ = [h₍ᵢ₋ₖ₎ … h₍ᵢ₊ₖ₎], zero beyond the sentence, to `result`, (R, (2k + 1) * h)."""

    def windows_backward(
        self, *, cu_seqlens: Tensor, window_size: int, d_windows: Tensor, d_states: Tensor
    ) -> None:
        """Add the gradient of the states to `d_states`."""


class SlstmCpuKernels(SlstmKernels, Protocol):
    """The functions that only `cpu.cpp` has, for calls without gradients."""

    def steps(
        self,
        *,
        cu_seqlens: Tensor,
        window_size: int,
        sigmoid_first: bool,
        num_steps: int,
        need_words: bool,
        need_node: bool,
        W: Tensor,
        V: Optional[Tensor],
        W_node: Optional[Tensor],
        b_node: Optional[Tensor],
        U_f: Optional[Tensor],
        U_o: Optional[Tensor],
        U_f_g: Optional[Tensor],
        Ux: Tensor,
        first: Optional[Tensor],
        x: Optional[Tensor],
        h: Tensor,
        c: Tensor,
        g: Optional[Tensor],
        c_g: Optional[Tensor],
    ) -> Tuple[Tensor, Optional[Tensor]]:
        """Run all steps, and return the last h and g. The arguments are those of `fused.Inputs`."""

    def fingerprint(self, tensors: Sequence[Tensor]) -> int:
        """Hash the bytes of the tensors."""
