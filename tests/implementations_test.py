"""docs/implementations.md: its test of an S-LSTM, tried on right ones and on each public fault."""

import math
import re

import pytest
import torch
from torch.nn.functional import layer_norm, pad, softmax

from slstm_allennlp.ops.slstm import (
    SlstmSettings,
    Transition,
    batched_slstm,
    initial_weights,
    naive_slstm,
)
from tests.conftest import ROOT

PAGE = (ROOT / "docs/implementations.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \|" + r" (ok|[\d.]+) \|" * 7 + "$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def errors():
    names = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1), names)
    return names["errors"]


def test_the_page_prints_what_it_shows(capsys):
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1), {})
    assert f"```text\n{capsys.readouterr().out}```" in PAGE
    # Padding changes the sentence by what the page says.
    sentence = r"by (\d+) per cent with means over\s+padding, by (\d+) with.*?by (\d+)"
    shown = re.search(sentence, PAGE, re.DOTALL)
    torch.manual_seed(1)
    settings = SlstmSettings(100, 100, 9, 1, 1, Transition.of({"boundary": False}), False)
    weights = initial_weights(settings)
    inputs, mask = 0.3 * torch.randn(32, 10, 100), torch.ones(32, 10, dtype=torch.bool)
    padded = pad(inputs, (0, 0, 0, 10)), pad(mask, (0, 10))
    faults = ("means over padding", "a mask of 1e-25", "200 at padding")
    for fault, percent in zip(faults, shown.groups()):
        slstm = with_fault(fault)
        g, other = slstm(inputs, mask, weights, settings)[1], slstm(*padded, weights, settings)[1]
        changed = ((g - other).norm(dim=1) / g.norm(dim=1)).mean()
        assert 100 * changed == pytest.approx(int(percent), rel=0.3)


@pytest.mark.parametrize("preset", ["paper", "released", "fastnlp", "balanced"])
def test_every_preset_conforms(errors, preset):
    found = errors(batched_slstm, preset)
    if preset in ("released", "fastnlp"):  # they start from the words, all of which g⁰ knows
        assert found.pop("locality") > 0.01
    assert max(found.values()) < 1e-9


@pytest.mark.parametrize("fault, expected", [(None, 7 * ["ok"]), *((row[0], row[1:]) for row in ROWS)])
def test_each_fault_has_the_errors_of_the_table(errors, fault, expected):
    assert len(ROWS) == len(FAULTS) and {row[0] for row in ROWS} == FAULTS
    found = errors(with_fault(fault)).values()
    for error, shown in zip(found, expected):
        assert error < 1e-9 if shown == "ok" else error == pytest.approx(float(shown), rel=0.6)


# In all sentences, in those of one word, and beside padding.
@pytest.mark.parametrize(
    "where", [lambda mask: mask[:, 0], lambda mask: mask.sum(1) == 1, lambda mask: ~mask.all(1)]
)
def test_nan_is_an_error(errors, where):
    def slstm(inputs, mask, *rest):
        words, sentences = naive_slstm(inputs, mask, *rest)
        return words, sentences.masked_fill(where(mask).unsqueeze(1), math.nan)

    assert math.isnan(errors(slstm)["sentences, T = 1"])


FAULTS = {
    "means over padding",
    "200 at padding",
    "a mask of 1e-25",
    "f_g outside the softmax",
    "no softmax",
    "one softmax over units",
    "one softmax over words",
    "two of five terms",
    "g in the place of c_g",
    "layer normalisation",
    "one step fewer",
    "random states",
}


def with_fault(fault):
    """Return an S-LSTM on padded batches, written for this test, with one fault of a public one."""
    assert fault is None or fault in FAULTS

    def share(gates):  # (B, N, h), which should sum to one over N
        return gates if fault == "no softmax" else softmax(gates, dim=1)

    def share_of_words(gates, mask):  # (B, L, 5, h), which should sum to one over the five
        if fault == "one softmax over units":
            return softmax(gates.flatten(2), dim=-1).view_as(gates)
        if fault == "one softmax over words":
            gates = gates.masked_fill(~mask[:, :, None, None], -1e25)
            return softmax(gates.flatten(1, 2), dim=1).view_as(gates)
        return share(gates.flatten(0, 1)).view_as(gates)

    def slstm(inputs, mask, weights, settings):
        B, L, real = *mask.shape, mask.unsqueeze(-1)
        h, c = weights.initial_h * real, weights.initial_c * real
        g, c_g = weights.initial_h.expand(B, -1), weights.initial_c.expand(B, -1)
        if fault == "random states":
            h, c = (torch.rand_like(inputs) - 0.5) * real, (torch.rand_like(inputs) - 0.5) * real
        for _ in range(settings.num_steps - (fault == "one step fewer")):
            s = g if fault == "g in the place of c_g" else c_g
            # Eq. 2, with the gates in the order l, f, r, s, i, o, u
            pre = torch.einsum("gksj,blsj->blgk", weights.word_W, around(h))
            pre = pre + torch.einsum("gkd,bld->blgk", weights.word_U, inputs) + weights.word_b
            pre = pre + torch.einsum("gkmj,bj->bgk", weights.word_V, g).unsqueeze(1)
            if fault == "layer normalisation":
                pre = layer_norm(pre, pre.shape[-1:])
            of_sentence = s[:, None, None].expand(-1, L, -1, -1)
            terms = torch.cat([around(c), of_sentence, pre[:, :, 6:].tanh()], 2)
            terms = terms * share_of_words(pre[:, :, :5].sigmoid(), mask)
            new_c = (terms[:, :, [0, 2]] if fault == "two of five terms" else terms).sum(2)
            new_h = pre[:, :, 5].sigmoid() * new_c.tanh()
            # Eq. 3, with the gates in the order f, o, g
            h_bar = h.sum(1) / (L if fault == "means over padding" else real.sum(1))
            states = torch.stack([h_bar, h_bar, *h.unbind(1)], 1)
            gates = torch.einsum("gkj,bnj->bngk", weights.sentence_U[0], states) + weights.sentence_b[0]
            gates = gates + torch.einsum("gkj,bj->bgk", weights.sentence_W[0, :, :, 0], g)[:, None]
            gates = gates.sigmoid()
            o, f = gates[:, 0, 1], torch.cat([gates[:, 1:2, 2], gates[:, 2:, 0]], 1)
            if fault == "200 at padding":
                f = f + 200.0 * ~torch.cat([real, real[:, :1]], 1)
            elif fault not in ("a mask of 1e-25", "no softmax"):
                f[:, 1:].masked_fill_(~real, -1e25)
            outside = fault == "f_g outside the softmax"
            f = torch.cat([f[:, :1], share(f[:, 1:])], 1) if outside else share(f)
            c_g = f[:, 0] * s + (f[:, 1:] * c).sum(1)
            h, c, g = new_h * real, new_c * real, o * c_g.tanh()
        return h, g

    return slstm


def around(states):
    """Stack the states of the left neighbour, the word itself and the right one: (B, L, 3, h)."""
    zero = torch.zeros_like(states[:, :1])
    left, right = torch.cat([zero, states[:, :-1]], 1), torch.cat([states[:, 1:], zero], 1)
    return torch.stack([left, states, right], 2)
