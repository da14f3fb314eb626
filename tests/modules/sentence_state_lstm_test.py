import subprocess
import sys

import pytest
import torch

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import Transition


def count(encoder):
    return sum(parameter.numel() for parameter in encoder.parameters())


def test_sizes_are_those_of_the_equations():
    h = 300
    start_and_boundary = 2 * h + 2 * h
    assert (
        count(SentenceStateLSTM(h, h, num_sentence_nodes=0)) == 24 * h * h + 6 * h + start_and_boundary
    )
    assert count(SentenceStateLSTM(h, h)) == 41 * h * h + 10 * h + start_and_boundary
    without, with_node = (SentenceStateLSTM(h, h, num_sentence_nodes=m) for m in (0, 1))
    assert count(with_node) - count(without) == 1_531_200  # the paper's Table 2 has 1,552K


@pytest.mark.parametrize(
    "transition, boundary",
    [("paper", True), ("released", False), ("fastnlp", False), ("balanced", False)],
)
def test_boundary_is_the_presets_own_unless_said(transition, boundary):
    assert SentenceStateLSTM(4, 4, transition=transition).settings.boundary is boundary
    other = SentenceStateLSTM(4, 4, transition=transition, boundary=not boundary)
    assert other.settings.boundary is not boundary


def test_the_balanced_preset_is_fastnlps_with_another_start():
    choices = {"preset": "fastnlp", "initial_state": "learned", "initialization": "normal"}
    assert Transition.of("balanced") == Transition.of(choices)


def test_start_is_learned_and_cells_start_from_zero():
    encoder = SentenceStateLSTM(4, 6)
    assert not encoder.initial_c.any()
    assert encoder.initial_h.any()
    assert encoder.initial_h.requires_grad and encoder.initial_c.requires_grad


def test_uniform_start_is_drawn_anew_in_each_pass():
    encoder = SentenceStateLSTM(
        4, 4, transition={"preset": "released", "initial_state": "uniform"}
    ).eval()
    inputs = torch.randn(2, 5, 4)
    first, second = encoder(inputs)[0], encoder(inputs)[0]
    assert not torch.equal(first, second)
    torch.manual_seed(3)
    again = encoder(inputs)[0]
    torch.manual_seed(3)
    assert torch.equal(encoder(inputs)[0], again)


def test_transition_by_preset_choice_or_object():
    changed = Transition.of({"preset": "fastnlp", "sentence_forget": "separate"})
    assert changed.gate_normalization == "softmax" and changed.sentence_forget == "separate"
    assert Transition.of(changed) is changed
    assert (
        Transition.of({"gate_normalization": "softmax"}).candidate == "tanh"
    )  # the default is the paper's


def test_imports_with_torch_alone():
    """The encoder works without AllenNLP, for example on a GPU machine."""
    code = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("allennlp", "allennlp_models", "spacy", "conllu", "transformers"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Block())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "allennlp" else real(name, *a)
import torch
from slstm_allennlp.modules import SentenceStateLSTM
print(SentenceStateLSTM(3, 5)(torch.zeros(1, 2, 3))[0].shape)
assert "allennlp" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "torch.Size([1, 2, 5])", done.stderr
