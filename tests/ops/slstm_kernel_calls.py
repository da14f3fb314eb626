"""Helpers that call each of the S-LSTM's kernels."""

import types

import torch


def kernel_arguments(lengths, size, window, node, candidate, products, states, device="cpu"):
    """
    Return random arguments of `word_backward` and `node_backward`, without the buffers of their results.
    Inputs and results of matrix products have the dtype `products`, all others the dtype `states`.
    """
    rows, sentences = sum(lengths), len(lengths)
    gates = 2 * window + 3 + node + (not candidate)

    def draw(*shape, dtype):
        return torch.randn(*shape).to(device, dtype)

    word, sentence = (rows, size), (sentences, size)
    cu_seqlens = torch.tensor([0, *lengths]).cumsum(0).to(device)
    c, dh, dc = (draw(*word, dtype=states) for _ in range(3))
    cg, dg, dcg = (draw(*sentence, dtype=states) if node else None for _ in range(3))
    pre, Ux = (draw(rows, gates * size, dtype=products) for _ in range(2))
    Vg = draw(sentences, gates * size, dtype=states) if node else None
    x = draw(*word, dtype=states) if candidate else None
    Uf = draw(*word, dtype=products)
    Wf, fg, o = (draw(*sentence, dtype=states) for _ in range(3))
    return types.SimpleNamespace(
        word=(cu_seqlens, window),
        words=(pre, Ux, Vg, c, cg, x),
        d_words=(dh, dc),
        node=(cu_seqlens,),
        nodes=(Uf, Wf, fg, o, c, cg),
        d_nodes=(dg, dcg),
        h=draw(*word, dtype=states),
    )


def results_of(kernels, kernel_args, sigmoid_first, products, states):
    """Return all results of the seven functions, in float64. Gradients are added to ones."""

    def ones(like, dtype):
        return torch.ones_like(like, dtype=dtype)

    pre, Ux, Vg, c, cg, x = kernel_args.words
    h_new, c_new = kernels.word_forward(*kernel_args.word, sigmoid_first, *kernel_args.words)
    h_again = kernels.word_state(kernel_args.word[0], pre, Ux, Vg, c_new, x is None)
    d_pre, d_Ux = ones(Ux, products), ones(Ux, states)
    d_x = None if x is None else ones(x, states)
    word = (*kernel_args.word, sigmoid_first)
    results = [h_new, c_new, h_again, d_pre, d_Ux, d_x]
    results += kernels.word_backward(
        *word, *kernel_args.words, c_new, *kernel_args.d_words, d_pre, d_Ux, d_x
    )
    if cg is not None:
        node, d_Uf, d_c = (
            (*kernel_args.node, sigmoid_first),
            ones(kernel_args.nodes[0], products),
            ones(c, states),
        )
        results += [*kernels.node_forward(*node, *kernel_args.nodes), d_Uf, d_c]
        cg_new, log_total = results[-4:-2]
        results += kernels.node_backward(
            *node, *kernel_args.nodes, cg_new, log_total, *kernel_args.d_nodes, d_Uf, d_c
        )
    size = kernel_args.h.size(1)
    xi, d_h = ones(Ux, products)[:, : (2 * kernel_args.word[1] + 1) * size].contiguous(), ones(c, states)
    kernels.windows(*kernel_args.word, kernel_args.h, xi)
    kernels.windows_backward(*kernel_args.word, xi, d_h)
    return [None if result is None else result.double() for result in (*results, xi, d_h)]


def as_double(kernel_args):
    """Convert the arguments to float64."""

    def convert(value):
        return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    return types.SimpleNamespace(
        **{
            key: tuple(convert(value) for value in values)
            if isinstance(values, tuple)
            else convert(values)
            for key, values in vars(kernel_args).items()
        }
    )
