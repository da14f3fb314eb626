"""PyTorch's threads do not spin for long while another process uses their core."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# Hide AllenNLP: with it, the import of slstm_allennlp takes seconds.
ALONE = (
    "import importlib.util, os, sys; find = importlib.util.find_spec; "
    "importlib.util.find_spec = lambda name: None if name == 'allennlp' else find(name)"
)


@pytest.mark.parametrize(
    "first, given, expected",
    (
        ("", {}, "3000"),
        ("sys.modules['torch'] = sys;", {}, "None"),  # after `import torch` it is too late
        ("", {"GOMP_SPINCOUNT": "7"}, "7"),
        ("", {"OMP_WAIT_POLICY": "ACTIVE"}, "None"),
    ),
)
def test_spinning(first, given, expected):
    program = f"{ALONE}; {first} import slstm_allennlp; print(os.environ.get('GOMP_SPINCOUNT'))"
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("GOMP", "OMP"))
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, **given},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected
