"""
The elementwise part of a step, in functions that write each tensor once. `cpu.cpp` and
`gpu/triton_kernels.py` have the same functions; all arguments are given by keyword.

    word_forward      return the next h and c from the products of Eq. 2
    word_backward     return the gradients of V g, c and c_g; write that of W ξ to `d_pre`;
                      add those of U x and x to `d_Ux` and `d_x`
    node_forward      return the next g and c_g from the products of Eq. 3, and its softmax's log
                      denominator, `log_total`
    node_backward     return the gradients of W_f g, of the pre-activations of f_g and o, and of c_g;
                      write that of U_f hᵢ to `d_Uf`; add that of c to `d_c`
    windows           write ξᵢ = [h₍ᵢ₋ₖ₎ … h₍ᵢ₊ₖ₎], zero beyond the sentence, to `result`
    windows_backward  add the gradient of the states to `d_states`

For calls without gradients, `cpu.cpp` also has

    steps             run all steps, and return the last h and g
    fingerprint       return a hash of the bytes of the tensors

Shapes, for R words of B sentences, hidden size h, window size k and G gates:

    cu_seqlens              (B + 1,)      the first row of each sentence, and R
    pre, Ux                 (R, G * h)    W ξ and U x + b of the word gates
    Vg                      (B, G * h)    V g of the word gates, None without a sentence node
    c, c_new, dh, dc        (R, h)        cells before and after the step, gradients of new h, c
    c_g, c_g_new, dg, dc_g  (B, h)        the same for the sentence node
    x                       (R, h)        the candidate if it is the input; None if it is u = tanh(…)
    Uf                      (R, h)        U_f hᵢ
    Wf, f_g, o              (B, h)        W_f g + b_f; pre-activations of f_g and the node's o
    result                  (R, (2k + 1) * h)

Tensors of words may have more than R rows. The inputs and results of matrix products (`pre`, `Ux`, `Uf`,
windows and their gradients) may have lower precision than the states. Everything is computed in the
precision of the states.
"""
