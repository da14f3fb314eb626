"""The trace of an S-LSTM, compared with the gates and states of the naive version."""

import pytest
import torch
from allpairspy import AllPairs

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import naive as oracle
from slstm_allennlp.ops.slstm import naive_slstm
from slstm_allennlp.ops.slstm.batched import neighbors
from tests.modules.common import randomized
from tests.ops.slstm_test import LENGTHS, MIXED, SIZE, TRANSITIONS, batch, seeded

STEPS = 3


def slstm(*settings, **options):
    return randomized(SentenceStateLSTM(SIZE, SIZE, STEPS, *settings, **options))


def assert_close(ours, expected):
    torch.testing.assert_close(ours, expected, rtol=0, atol=1e-12)


def naive_gates(monkeypatch, encoder, sentence, initial_state):
    """Yield a sentence's gates, (N, P, h), and fᵢ and f_g, (N + 1, m, h), of each naive step."""
    seen = []

    def recording(pre_activations, settings, normalize=oracle._normalize):
        seen.append(normalize(pre_activations, settings))
        return seen[-1]

    mask = torch.ones(1, len(sentence), dtype=torch.bool)
    with monkeypatch.context() as patch:
        patch.setattr(oracle, "_normalize", recording)
        naive_slstm(sentence.unsqueeze(0), mask, encoder.weights, encoder.settings, initial_state)
    words = len(sentence) + 2 * encoder.settings.boundary
    a_step = words + encoder.settings.num_sentence_nodes
    assert len(seen) == STEPS * a_step
    for start in range(0, len(seen), a_step):
        of_words, of_nodes = seen[start : start + words], seen[start + words : start + a_step]
        yield (
            torch.stack([torch.stack(gates) for gates in of_words]),
            torch.stack([torch.stack(gates) for gates in of_nodes], dim=1) if of_nodes else None,
        )


def assert_steps_hold(trace, encoder, inputs, mask):
    """Check that a trace satisfies the equations, for any settings."""
    settings = encoder.settings
    padding = ~trace.mask.unsqueeze(-1)
    lengths = torch.tensor(LENGTHS) + 2 * settings.boundary
    assert trace.mask.sum(1).tolist() == lengths.tolist()
    assert list(trace.word_gates) == settings.normalized_gates
    for value in (trace.h, trace.c, trace.o, trace.u, *trace.word_gates.values()):
        assert value.shape[1:] == (*trace.mask.shape, SIZE) and not value[:, ~trace.mask].any()
    # Eq. 2: the traced gates sum to one, and give the cells and states of the next step.
    total = sum(trace.word_gates.values())
    assert_close(total, torch.ones_like(total).masked_fill(padding, 0))
    for step in range(STEPS):
        cells = neighbors(trace.c[step], settings)
        if settings.num_sentence_nodes:
            cells += list(trace.c_g[step].unsqueeze(2).expand(-1, -1, *padding.shape[1:2], -1).unbind(1))
        cells.append(trace.u[step])
        made = sum(gates[step] * cell for gates, cell in zip(trace.word_gates.values(), cells))
        assert_close(trace.c[step + 1], made.masked_fill(padding, 0))
        assert_close(trace.h[step + 1], trace.o[step] * torch.tanh(trace.c[step + 1]))
    check_nodes(trace, settings)
    for ours, expected in zip((trace.words, trace.sentence), seeded(encoder, inputs, mask)):
        assert_close(ours, expected)
    real = trace.h[-1, :, 1:-1] if settings.boundary else trace.h[-1]
    assert_close(real.masked_fill(~mask.unsqueeze(-1), 0), trace.words)


def check_nodes(trace, settings):
    if not settings.num_sentence_nodes:
        assert all(value is None for value in (trace.g, trace.c_g, trace.f, trace.f_g, trace.o_g))
        return
    total = trace.f.sum(2) + trace.f_g
    assert_close(total, torch.ones_like(total))
    assert not trace.f[:, ~trace.mask].any()
    for step in range(STEPS):
        made = (trace.f[step] * trace.c[step].unsqueeze(2)).sum(1) + trace.f_g[step] * trace.c_g[step]
        assert_close(trace.c_g[step + 1], made)
        assert_close(trace.g[step + 1], trace.o_g[step] * torch.tanh(made))


@pytest.mark.parametrize(
    "window, nodes, boundary, transition, layer_norm",
    AllPairs([(1, 2), (0, 1, 2), (False, True), (*TRANSITIONS, *MIXED), (False, True)]),
)
def test_gates_and_states(double, monkeypatch, window, nodes, boundary, transition, layer_norm):
    encoder = slstm(window, nodes, boundary, transition, layer_norm)
    inputs, mask = batch()
    trace = seeded(encoder.trace, inputs, mask)
    assert_steps_hold(trace, encoder, inputs, mask)
    initial_state = seeded(encoder._initial_state, inputs)
    for b, length in enumerate(LENGTHS):
        words = int(trace.mask[b].sum())
        drawn = None if initial_state is None else initial_state[:, b : b + 1, :words]
        steps = naive_gates(monkeypatch, encoder, inputs[b, :length], drawn) if words else ()
        for step, (of_words, of_nodes) in enumerate(steps):
            ours = torch.stack([gates[step, b, :words] for gates in trace.word_gates.values()], dim=1)
            assert_close(ours, of_words)
            if of_nodes is not None:
                assert_close(trace.f[step, b, :words], of_nodes[:-1])
                assert_close(trace.f_g[step, b], of_nodes[-1])


def test_a_trace_has_gradients():
    inputs, mask = batch()
    trace = slstm().trace(inputs.requires_grad_(), mask)
    gradient = torch.autograd.grad(trace.word_gates["s1"][-1].sum(), inputs)[0]
    assert gradient[mask].abs().sum() > 0 and not gradient[~mask].any()


def test_no_words_and_bad_masks():
    encoder = slstm(transition="released")
    trace = encoder.trace(torch.zeros(2, 0, SIZE))
    assert trace.h.shape == (STEPS + 1, 2, 0, SIZE) and trace.f.shape == (STEPS, 2, 0, 1, SIZE)
    assert_close(trace.f_g, torch.ones(STEPS, 2, 1, SIZE))
    with pytest.raises(ValueError, match=r"mask\[0\] is False at 0 and True at 1"):
        encoder.trace(torch.zeros(1, 2, SIZE), torch.tensor([[False, True]]))
