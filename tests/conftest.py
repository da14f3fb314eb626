import pathlib

import pytest
import torch

import slstm_allennlp  # noqa: F401  (a plain import registers everything)

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _seeded_and_small(monkeypatch):
    """Every test starts from the same seed, in the project's root, on one thread, in float32."""
    monkeypatch.chdir(ROOT)
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(threads)


@pytest.fixture
def double():
    """Weights and inputs in float64, for comparisons to the last digits."""
    torch.set_default_dtype(torch.float64)
