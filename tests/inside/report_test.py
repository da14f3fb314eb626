"""The numbers of a trace: means over the dimensions, changes, and the step of convergence."""

import json
from dataclasses import replace

import pytest
import torch

from slstm_allennlp.inside import Reading, report_of
from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import naive_slstm
from tests.modules.common import randomized


def reading_of(encoder, inputs, lengths, row=0, words=None, **options):
    mask = torch.arange(inputs.size(1)) < torch.tensor(lengths).unsqueeze(1)
    with torch.no_grad():
        trace = encoder.trace(inputs, mask, **options)
    field = "tokens" if words else None
    return Reading("encoder", encoder.settings, trace, row, field, words, "both")


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("nodes", (0, 1, 2))
def test_numbers_are_those_of_the_equations(nodes):
    encoder = randomized(SentenceStateLSTM(4, 4, num_steps=3, window_size=2, num_sentence_nodes=nodes))
    inputs = torch.randn(2, 3, 4)
    report = report_of(reading_of(encoder, inputs, (3, 2), 1, ["old", "film"]), tolerance=0.01)
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert report["words"] == ["⟨s⟩", "old", "film", "⟨/s⟩"] and report["words_known"]
    assert list(report["gates"]) == encoder.settings.normalized_gates
    for step in range(3):
        for word in range(4):
            total = sum(gates[step][word] for gates in report["gates"].values())
            assert total == pytest.approx(1, abs=1e-4)
        for node in report["nodes"]:
            assert sum(node["listens"][step]) + node["keeps"][step] == pytest.approx(1, abs=1e-4)
    assert len(report["nodes"]) == nodes
    # The states of the words (without ⟨s⟩ and ⟨/s⟩) after one and two steps, from the naive version.
    sentence, mask = inputs[1:, :2], torch.ones(1, 2, dtype=torch.bool)
    (before, g_before), (after, g_after) = (
        naive_slstm(sentence, mask, encoder.weights, replace(encoder.settings, num_steps=steps))
        for steps in (1, 2)
    )
    expected = [relative_change(before[0, i], after[0, i]) for i in range(2)]
    assert report["change"][1][1:3] == pytest.approx(expected, rel=1e-4)
    if nodes:
        expected = relative_change(g_before, g_after)
        assert report["nodes"][0]["change"][1] == pytest.approx(expected, rel=1e-4)


def test_gates_are_means_over_the_dimensions():
    encoder = randomized(SentenceStateLSTM(4, 4, num_steps=3, num_sentence_nodes=2))
    reading = reading_of(encoder, torch.randn(2, 3, 4), (3, 2), 1)
    report, trace = report_of(reading, tolerance=0.01), reading.trace
    expected = {
        **{name: (report["gates"][name], gates[:, 1, :4]) for name, gates in trace.word_gates.items()},
        "o": (report["output_gate"], trace.o[:, 1, :4]),
    }
    for number, node in enumerate(report["nodes"]):
        expected[f"f of {number}"] = node["listens"], trace.f[:, 1, :4, number]
        expected[f"f_g of {number}"] = node["keeps"], trace.f_g[:, 1, number]
        expected[f"o_g of {number}"] = node["output_gate"], trace.o_g[:, 1, number]
    for name, (ours, gates) in expected.items():
        torch.testing.assert_close(torch.tensor(ours), gates.mean(-1), rtol=1e-4, atol=0, msg=name)


def relative_change(before, after):
    return ((after - before).norm() / max(after.norm(), before.norm())).item()


def test_convergence():
    """`converged` is the first step from which on no state changes by more than the tolerance."""
    encoder = SentenceStateLSTM(4, 4, num_steps=2)
    reading = reading_of(encoder, torch.randn(1, 3, 4), (3,), 0, more_steps=48)
    report = report_of(reading, tolerance=0.01)
    assert report["steps"] == 2 and len(report["change"]) == 50
    for what, changes in (
        ("words", [max(of_words) for of_words in report["change"]]),
        ("nodes", report["nodes"][0]["change"]),
    ):
        step = report["converged"][what]
        assert 2 < step < 50
        assert changes[step - 2] > 0.01 >= max(changes[step - 1 :])
    never = report_of(reading, tolerance=1e-12)["converged"]
    assert never == {"words": None, "nodes": None}
    # c⁰ and therefore g¹ are zero, so the first change is 1.
    assert report["nodes"][0]["change"][0] == 1
    assert report_of(reading, tolerance=2)["converged"] == {"words": 1, "nodes": 1}
    # Both change by exactly two thirds, and rounding does not exceed the tolerance.
    reading = reading_of(SentenceStateLSTM(4, 4, num_steps=1), torch.randn(1, 1, 4), (1,))
    states = torch.tensor([1.0, 3.0]).view(2, 1, 1, 1) * torch.eye(4)[0]
    trace = reading.trace._replace(h=states.expand(2, 1, 3, 4), g=states)
    report = report_of(reading._replace(trace=trace), tolerance=2 / 3)
    assert report["change"] == [[0.66667] * 3] and report["nodes"][0]["change"] == [0.66667]
    assert report["converged"] == {"words": 1, "nodes": 1}


def test_unknown_words_attention_and_no_words():
    """Unknown words are numbered. Attention leaves out boundary words."""
    reading = reading_of(SentenceStateLSTM(4, 4, num_steps=2), torch.randn(1, 2, 4), (2,))
    report = report_of(reading, 0.01)
    assert report["words"] == ["⟨s⟩", "1", "2", "⟨/s⟩"] and not report["words_known"]
    assert report["attention"] is None
    reading = reading._replace(attention=torch.tensor([0.25, 0.75]))
    assert report_of(reading, 0.01)["attention"] == [0, 0.25, 0.75, 0]
    # No words
    encoder = SentenceStateLSTM(4, 4, num_steps=2, transition="released")
    report = report_of(reading_of(encoder, torch.randn(1, 2, 4), (0,)), 0.01)
    assert report["words"] == [] and report["gates"]["i"] == [[], []]
    assert report["nodes"][0]["keeps"] == [1, 1] and report["nodes"][0]["change"] == [0, 0]


@pytest.mark.parametrize("name, place", [("h", (1, 1, 0, 0)), ("sentence", (1, 0))])
def test_one_value_that_is_not_finite(name, place):
    encoder = SentenceStateLSTM(4, 4, num_steps=2)
    reading = reading_of(encoder, torch.randn(2, 1, 4), (1, 1), 1, ["old"])
    values = getattr(reading.trace, name).clone()
    values[place] = float("nan")
    reading = reading._replace(trace=reading.trace._replace(**{name: values}))
    with pytest.raises(ValueError, match=r"encoder: the states of \['⟨s⟩', 'old', '⟨/s⟩'\] are not fin"):
        report_of(reading, 0.01)
    report_of(reading._replace(row=0), 0.01)  # the other sentence is finite
