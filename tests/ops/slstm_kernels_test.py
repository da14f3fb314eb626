"""The S-LSTM's compiled kernels: the number of threads must not change the results."""

import pytest
import torch

from slstm_allennlp.ops.compiled import load_kernels
from tests.ops.slstm_kernel_calls import as_double, kernel_arguments, results_of

COMPILED = load_kernels("slstm")

# The first four are large enough for several threads: even and uneven lengths, some of them zero, and a
# single sentence. Some sizes are larger than one block of dimensions.
SHAPES = (
    ((9, 11, 10, 9, 12, 10), 300),
    ((1, 70, 0, 2), 300),
    ((0, 41, 0, 40, 0), 100),
    ((60,), 330),
    ((1, 2), 7),
    ((0, 0), 7),
)


@pytest.mark.skipif(COMPILED is None, reason="there are no compiled kernels here")
@pytest.mark.parametrize("window_size, node, candidate", ((1, True, False), (2, False, True)))
@pytest.mark.parametrize("products", (torch.float64, torch.float32, torch.bfloat16), ids=str)
@pytest.mark.parametrize("lengths, size", SHAPES, ids=str)
def test_threads(lengths, size, products, window_size, node, candidate):
    """The number of threads does not change a bit, and all is close to double precision."""
    states = torch.float64 if products == torch.float64 else torch.float32
    kernel_args = kernel_arguments(lengths, size, window_size, node, candidate, products, states)
    found = []
    for number in (1, 2, 3, 8):
        torch.set_num_threads(number)  # conftest.py sets it back
        found.append(results_of(COMPILED, kernel_args, not candidate, products, states))
    expected = results_of(COMPILED, as_double(kernel_args), not candidate, torch.float64, torch.float64)
    tolerance = {torch.float64: 1e-10, torch.float32: 2e-6, torch.bfloat16: 3e-2}[products]
    for exact, first, *others in zip(expected, *found):
        if exact is None:
            assert first is None
        else:
            torch.testing.assert_close(first, exact, rtol=tolerance, atol=tolerance)
            assert all(torch.equal(first, other) for other in others)
