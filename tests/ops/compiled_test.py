import os
import shutil

import pytest

from slstm_allennlp.ops.compiled import load_kernels


@pytest.mark.parametrize("operation", ["slstm", "cas_lstm"])
def test_the_kernels_compile_here(operation):
    """Where there is a compiler: so that the operations' tests are not of less than they seem."""
    if shutil.which(os.environ.get("CXX", "c++")) is None or shutil.which("ninja") is None:
        pytest.skip("no C++ compiler or no ninja here")
    assert load_kernels(operation) is not None
