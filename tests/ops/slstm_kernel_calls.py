"""The S-LSTM's kernels, called one by one."""

import types

import torch


def kernel_arguments(lengths, size, window, node, candidate, products, states, device="cpu"):
    """
    What `word_backward` and `node_backward` take, but for the places of their results: what comes out of
    large products or goes into them in the type `products`, all else in `states`.
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


def results_of(kernels, given, sigmoid_first, products, states):
    """All that the seven functions give, in float64, where every gradient starts from ones."""

    def ones(like, dtype):
        return torch.ones_like(like, dtype=dtype)

    pre, Ux, Vg, c, cg, x = given.words
    h_new, c_new = kernels.word_forward(*given.word, sigmoid_first, *given.words)
    h_again = kernels.word_state(given.word[0], pre, Ux, Vg, c_new, x is None)
    d_pre, d_Ux = ones(Ux, products), ones(Ux, states)
    d_x = None if x is None else ones(x, states)
    word = (*given.word, sigmoid_first)
    results = [h_new, c_new, h_again, d_pre, d_Ux, d_x]
    results += kernels.word_backward(*word, *given.words, c_new, *given.d_words, d_pre, d_Ux, d_x)
    if cg is not None:
        node, d_Uf, d_c = (*given.node, sigmoid_first), ones(given.nodes[0], products), ones(c, states)
        results += [*kernels.node_forward(*node, *given.nodes), d_Uf, d_c]
        cg_new, log_total = results[-4:-2]
        results += kernels.node_backward(
            *node, *given.nodes, cg_new, log_total, *given.d_nodes, d_Uf, d_c
        )
    size = given.h.size(1)
    xi, d_h = ones(Ux, products)[:, : (2 * given.word[1] + 1) * size].contiguous(), ones(c, states)
    kernels.windows(*given.word, given.h, xi)
    kernels.windows_backward(*given.word, xi, d_h)
    return [None if result is None else result.double() for result in (*results, xi, d_h)]


def as_double(given):
    """The same numbers, in float64."""

    def convert(value):
        return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    return types.SimpleNamespace(
        **{
            key: tuple(convert(value) for value in values)
            if isinstance(values, tuple)
            else convert(values)
            for key, values in vars(given).items()
        }
    )
