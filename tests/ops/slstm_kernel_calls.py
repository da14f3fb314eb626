"""Helpers that call each of the S-LSTM's kernels."""

import torch


def kernel_arguments(lengths, size, window_size, node, candidate, products, states, device="cpu"):
    """
    Return random arguments of the kernels by name, without the buffers of their results. Inputs and
    results of matrix products have the dtype `products`, all others the dtype `states`.
    """
    rows, sentences = sum(lengths), len(lengths)
    gates = 2 * window_size + 3 + node + (not candidate)

    def draw(*shape, dtype=states, needed=True):
        return torch.randn(*shape).to(device, dtype) if needed else None

    found = {"cu_seqlens": torch.tensor([0, *lengths]).cumsum(0).to(device), "window_size": window_size}
    found.update({name: draw(rows, size) for name in ("h", "c", "dh", "dc")})
    found.update({name: draw(sentences, size, needed=node) for name in ("c_g", "dg", "dc_g")})
    found.update({name: draw(rows, gates * size, dtype=products) for name in ("pre", "Ux")})
    found.update(Vg=draw(sentences, gates * size, needed=node), x=draw(rows, size, needed=candidate))
    found.update({name: draw(sentences, size) for name in ("Wf", "f_g", "o")})
    return {**found, "Uf": draw(rows, size, dtype=products)}


def results_of(kernels, given, sigmoid_first, products, states):
    """Return all results of the six functions, in float64. Gradients are added to ones."""

    def ones(like, dtype):
        return None if like is None else torch.ones_like(like, dtype=dtype)

    def take(*names):
        return {name: given[name] for name in names}

    settings = {**take("cu_seqlens"), "sigmoid_first": sigmoid_first}
    words = {**settings, **take("window_size", "pre", "Ux", "Vg", "c", "c_g", "x")}
    h_new, c_new = kernels.word_forward(**words)
    added = {"d_pre": ones(given["Ux"], products), "d_Ux": ones(given["Ux"], states)}
    added["d_x"] = ones(given["x"], states)
    d_words = kernels.word_backward(**words, c_new=c_new, **take("dh", "dc"), **added)
    results = [h_new, c_new, *d_words, *added.values()]
    if given["c_g"] is not None:
        node = {**settings, **take("Uf", "Wf", "f_g", "o", "c", "c_g")}
        g_new, c_g_new, log_total = kernels.node_forward(**node)
        added = {"d_Uf": ones(given["Uf"], products), "d_c": ones(given["c"], states)}
        of_node = {"c_g_new": c_g_new, "log_total": log_total, **take("dg", "dc_g"), **added}
        d_node = kernels.node_backward(**node, **of_node)
        results += [g_new, c_g_new, log_total, *d_node, *added.values()]
    width = (2 * given["window_size"] + 1) * given["h"].size(1)
    xi, d_h = ones(given["Ux"], products)[:, :width].contiguous(), ones(given["c"], states)
    places = take("cu_seqlens", "window_size")
    kernels.windows(**places, states=given["h"], result=xi)
    kernels.windows_backward(**places, d_windows=xi, d_states=d_h)
    return [None if result is None else result.double().cpu() for result in (*results, xi, d_h)]


def as_double(given):
    """Convert the arguments to float64 on the CPU."""

    def convert(value):
        if not isinstance(value, torch.Tensor):
            return value
        return value.cpu().double() if value.is_floating_point() else value.cpu()

    return {name: convert(value) for name, value in given.items()}
