"""The S-LSTM's compiled kernels: the number of threads must not change the results."""

import pytest
import torch

from slstm_allennlp.ops.compiled import load_kernels

COMPILED = load_kernels("slstm")


def kernel_arguments(lengths, size, window_size, node, candidate, products, device="cpu"):
    """Return random arguments. `products` is the dtype of inputs and results of matrix products."""
    states = torch.float64 if products == torch.float64 else torch.float32
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


def results_of(kernels, given):
    """Return all results of the six functions, in float64. Gradients are added to ones."""
    products, states = given["pre"].dtype, given["h"].dtype

    def ones(name, dtype=states):
        return None if given[name] is None else torch.ones_like(given[name], dtype=dtype)

    def take(*names):
        return {name: given[name] for name in names}

    settings = {**take("cu_seqlens"), "sigmoid_first": given["x"] is None}
    words = {**settings, **take("window_size", "pre", "Ux", "Vg", "c", "c_g", "x")}
    h_new, c_new = kernels.word_forward(**words)
    added = {"d_pre": ones("Ux", products), "d_Ux": ones("Ux"), "d_x": ones("x")}
    d_words = kernels.word_backward(**words, c_new=c_new, **take("dh", "dc"), **added)
    results = [h_new, c_new, *d_words, *added.values()]
    if given["c_g"] is not None:
        node = {**settings, **take("Uf", "Wf", "f_g", "o", "c", "c_g")}
        g_new, c_g_new, log_total = kernels.node_forward(**node)
        added = {"d_Uf": ones("Uf", products), "d_c": ones("c")}
        of_node = {"c_g_new": c_g_new, "log_total": log_total, **take("dg", "dc_g"), **added}
        d_node = kernels.node_backward(**node, **of_node)
        results += [g_new, c_g_new, log_total, *d_node, *added.values()]
    width = (2 * given["window_size"] + 1) * given["h"].size(1)
    xi, d_h = ones("Ux", products)[:, :width].contiguous(), ones("c")
    places = take("cu_seqlens", "window_size")
    kernels.windows(**places, states=given["h"], result=xi)
    kernels.windows_backward(**places, d_windows=xi, d_states=d_h)
    return [None if result is None else result.double().cpu() for result in (*results, xi, d_h)]


def exact_results(given):
    """Return the results of the compiled kernels in double precision."""
    tensors = {name: value.cpu() for name, value in given.items() if isinstance(value, torch.Tensor)}
    doubles = {name: one.double() for name, one in tensors.items() if one.is_floating_point()}
    return results_of(COMPILED, {**given, **tensors, **doubles})


# The first four are large enough for several threads: even and uneven lengths, some of them zero, and a
# single sentence. Some sizes are larger than one block of dimensions.
LENGTHS = ((9, 11, 10, 9, 12, 10), (1, 70, 0, 2), (0, 41, 0, 40, 0), (60,), (1, 2), (0, 0))
SHAPES = [*zip(LENGTHS, (300, 300, 100, 330, 7, 7))]


@pytest.mark.skipif(COMPILED is None, reason="there are no compiled kernels here")
@pytest.mark.parametrize("window_size, node, candidate", ((1, True, False), (2, False, True)))
@pytest.mark.parametrize("products", (torch.float64, torch.float32, torch.bfloat16), ids=str)
@pytest.mark.parametrize("lengths, size", SHAPES, ids=str)
def test_threads(lengths, size, products, window_size, node, candidate):
    """The number of threads does not change a bit, and all is close to double precision."""
    kernel_args = kernel_arguments(lengths, size, window_size, node, candidate, products)
    found = []
    for number in (1, 2, 3, 8):
        torch.set_num_threads(number)  # conftest.py sets it back
        found.append(results_of(COMPILED, kernel_args))
    tolerance = {torch.float64: 1e-10, torch.float32: 2e-6, torch.bfloat16: 3e-2}[products]
    for exact, first, *others in zip(exact_results(kernel_args), *found):
        if exact is None:
            assert first is None
        else:
            torch.testing.assert_close(first, exact, rtol=tolerance, atol=tolerance)
            assert all(torch.equal(first, other) for other in others)
