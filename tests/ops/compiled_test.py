import os
import shutil
import subprocess
import sys

import pytest

from slstm_allennlp.ops.compiled import load_kernels


@pytest.mark.parametrize("operation", ["slstm", "cas_lstm"])
def test_the_kernels_compile_here(operation):
    """Where there is a compiler: so that the operations' tests are not of less than they seem."""
    if shutil.which(os.environ.get("CXX", "c++")) is None or shutil.which("ninja") is None:
        pytest.skip("no C++ compiler or no ninja here")
    assert load_kernels(operation) is not None


def test_every_module_imports_without_triton():
    """As AllenNLP imports them for `--include-package`."""
    script = """
import sys
sys.modules["triton"] = None
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("slstm_allennlp")
assert "slstm_allennlp.ops.slstm.kernels.eager" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
