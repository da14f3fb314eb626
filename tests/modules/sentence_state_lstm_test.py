import pytest
import torch

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import Transition


def test_sizes_are_those_of_the_equations_and_the_start_is_learned():
    h = 300
    start_and_boundary = 2 * h + 2 * h
    encoders = (SentenceStateLSTM(h, h, num_sentence_nodes=m) for m in (0, 1))
    without, with_node = (sum(one.numel() for one in encoder.parameters()) for encoder in encoders)
    assert without == 24 * h * h + 6 * h + start_and_boundary
    assert with_node == 41 * h * h + 10 * h + start_and_boundary
    assert with_node - without == 1_531_200  # the paper's Table 2 has 1,552K
    encoder = SentenceStateLSTM(4, 6)
    assert encoder.initial_h.any() and not encoder.initial_c.any()
    assert encoder.initial_h.requires_grad and encoder.initial_c.requires_grad


@pytest.mark.parametrize("transition", ("paper", "released", "fastnlp", "balanced"))
def test_boundary_is_the_presets_own_unless_said(transition):
    boundary = transition == "paper"
    assert SentenceStateLSTM(4, 4, transition=transition).settings.boundary is boundary
    other = SentenceStateLSTM(4, 4, transition=transition, boundary=not boundary)
    assert other.settings.boundary is not boundary


def test_uniform_start_is_drawn_anew_in_each_pass():
    transition = {"preset": "released", "initial_state": "uniform"}
    encoder = SentenceStateLSTM(4, 4, transition=transition).eval()
    inputs = torch.randn(2, 5, 4)
    first, second = encoder(inputs)[0], encoder(inputs)[0]
    assert not torch.equal(first, second)
    torch.manual_seed(3)
    again = encoder(inputs)[0]
    torch.manual_seed(3)
    assert torch.equal(encoder(inputs)[0], again)


def test_transition_by_preset_choice_or_object():
    choices = {"preset": "fastnlp", "initial_state": "learned", "initialization": "normal"}
    assert Transition.of("balanced") == Transition.of(choices)
    changed = Transition.of({"preset": "fastnlp", "sentence_forget": "separate"})
    assert changed.gate_normalization == "softmax" and changed.sentence_forget == "separate"
    assert Transition.of(changed) is changed
    # The default is the paper's.
    assert Transition.of({"gate_normalization": "softmax"}).candidate == "tanh"


def test_masks_of_integers_and_lengths():
    encoder, inputs = SentenceStateLSTM(4, 6), torch.randn(2, 3, 4)
    mask = torch.tensor([[1, 1, 1], [1, 0, 0]])
    expected = encoder(inputs, mask.bool())
    for given in ({"mask": mask}, {"lengths": [3, 1]}, {"lengths": torch.tensor([3, 1])}):
        torch.testing.assert_close(encoder(inputs, **given), expected, rtol=0, atol=0)
    assert encoder(inputs[:0], lengths=[])[1].shape == (0, 6)
    long = torch.randn(1, 300, 4)  # more than 8 bits can hold
    of_bytes, of_integers = (
        encoder(long, lengths=torch.tensor([100]).to(t)) for t in (torch.uint8, int)
    )
    torch.testing.assert_close(of_bytes, of_integers, rtol=0, atol=0)


@pytest.mark.parametrize(
    "lengths, message",
    [
        ([3, 4], r"lengths are \[3, 4\], expected numbers from 0 to 3, the padded length"),
        ([3, -1], r"lengths are \[3, -1\], expected numbers from 0 to 3"),
        ([3], r"lengths have shape \(1,\) and dtype torch.int64, expected \(2,\) and integers"),
        ([3.0, 1.0], r"lengths have shape \(2,\) and dtype torch.float32, expected"),
        ("abc", "lengths are 'abc', expected an integer for each sentence"),
    ],
)
def test_lengths_that_do_not_fit(lengths, message):
    with pytest.raises(ValueError, match=message):
        SentenceStateLSTM(4, 4)(torch.zeros(2, 3, 4), lengths=lengths)
    with pytest.raises(ValueError, match="mask and lengths are both given, expected one of them"):
        SentenceStateLSTM(4, 4)(torch.zeros(1, 2, 4), torch.ones(1, 2, dtype=torch.bool), lengths=[2])


@pytest.mark.parametrize("given", ({"bidirectional": True}, {"batch_first": True, "dropout": 0.5}))
def test_arguments_of_an_lstm_are_explained(given):
    names = ", ".join(f'"{name}"' for name in given)
    with pytest.raises(TypeError, match=f"slstm has no arguments? {names}: an S-LSTM reads both ways"):
        SentenceStateLSTM(4, 4, **given)
    with pytest.raises(TypeError, match="no argument 'num_step', did you mean 'num_steps'"):
        SentenceStateLSTM(4, 4, num_step=3)


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="PyTorch 1 lacks operations without data")
@pytest.mark.parametrize("nodes", (0, 1, 2))
def test_without_data(nodes):
    encoder = SentenceStateLSTM(4, 6, num_sentence_nodes=nodes).to("meta")
    mask = torch.ones(2, 3, dtype=torch.bool, device="meta")
    words, sentence = encoder(torch.zeros(2, 3, 4, device="meta"), mask)
    assert (words.shape, sentence.shape, words.device.type) == ((2, 3, 6), (2, 6), "meta")


@pytest.mark.parametrize("transition", ("paper", "released"))
def test_a_batch_of_nothing_but_padding(transition):
    encoder = SentenceStateLSTM(4, 4, transition=transition, boundary=False)
    inputs, mask = torch.randn(2, 3, 4, requires_grad=True), torch.zeros(2, 3, dtype=torch.bool)
    words, sentence = encoder(inputs, mask)
    (words.sum() + sentence.sum()).backward()
    assert not words.any() and sentence.isfinite().all() and not inputs.grad.any()
    with torch.no_grad():
        torch.testing.assert_close(encoder(inputs, mask)[1], sentence)
