"""The cache of packed weights in calls without gradients: it is never stale, however weights change."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
import torch
from allpairspy import AllPairs

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.compiled import load_kernels
from slstm_allennlp.ops.slstm import packed_weights
from tests.modules import common

needs_kernels = pytest.mark.skipif(load_kernels("slstm") is None, reason="no compiled kernels here")
pytestmark = [needs_kernels, pytest.mark.cpu, pytest.mark.usefixtures("onednn_is_faster")]
SIZE = 48
PRESETS = ("paper", "released", "fastnlp", "balanced")
LENGTHS = (29, 4, 1)  # 34 words, or 40 with ⟨s⟩ and ⟨/s⟩. For oneDNN, 34 rows are padded with zeros.


@pytest.fixture
def batch():
    return common.batch(SIZE, LENGTHS)


def encoder(size=SIZE, **settings):
    return SentenceStateLSTM(size, size, 3, **settings).eval()


def predicted(module, batch, **needs):
    with torch.no_grad():
        return module(*batch, **needs)


def assert_same(module, batch, tolerance=2e-6, **needs):
    """Compare with the results of a call with gradients, which does not use the cache."""
    for ours, exact in zip(predicted(module, batch, **needs), module(*batch, **needs)):
        assert (ours is None) == (exact is None)
        if exact is not None:
            assert exact.requires_grad
            torch.testing.assert_close(ours, exact.detach(), rtol=tolerance, atol=tolerance)


# The second size uses oneDNN. With one step, the first is the last, which skips what is not needed.
ALL = [(SIZE, 320), (1, 2, 3), (1, 2), (0, 1), (True, False), PRESETS]


@pytest.mark.parametrize("size, steps, window, nodes, boundary, preset", AllPairs(ALL))
def test_the_same_results(size, steps, window, nodes, boundary, preset):
    batch = common.batch(size, LENGTHS)
    module = SentenceStateLSTM(size, size, steps, window, nodes, boundary, preset).eval()
    for needs in ({}, {"need_words": False}, *([{"need_sentence": False}] if nodes else [])):
        assert_same(module, batch, **needs)
    assert_same(module.double(), (batch[0].double(), batch[1]), 1e-12)


@pytest.mark.parametrize("size", (SIZE, 320))
def test_in_bfloat16(size):
    batch = common.batch(size, LENGTHS)
    assert_same(encoder(size, bfloat16=True), batch, 2e-2)
    module = encoder(size)
    in_full = predicted(module, batch)
    with torch.autocast("cpu", torch.bfloat16):
        assert_same(module, batch, 2e-2)
        in_bfloat16 = predicted(module, batch)
    assert not torch.equal(in_full[0], in_bfloat16[0])
    torch.testing.assert_close(predicted(module, batch), in_full, rtol=0, atol=0)


def test_weights_are_packed_once(batch):
    module, weights = encoder(), packed_weights.StepWeights
    with mock.patch.object(weights, "of", side_effect=weights.of) as packing:
        for each in (batch, [part[:1] for part in batch], batch):
            predicted(module, each)
        with torch.inference_mode():
            module(*batch)
    packing.assert_called_once()


def step_of_an_optimizer(module):
    optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
    with torch.enable_grad():
        module(torch.randn(2, 3, SIZE))[1].sum().backward()
    optimizer.step()


def one_bit(module):
    module.sentence_U.data.view(torch.int32)[0, 1, SIZE - 1, SIZE - 1] ^= 1 << 22


CHANGES = {
    "optimizer": step_of_an_optimizer,
    "load_state_dict": lambda module: module.load_state_dict(encoder().state_dict()),
    "data": lambda module: module.word_W.data.mul_(1.5),
    "one number by data": lambda module: module.word_V.data[0, 3, 0].neg_(),
    "one bit": one_bit,
    "numbers that change places": lambda module: module.word_W.data.copy_(module.word_W.flip(1)),
    "data of another memory": lambda m: setattr(m.word_U, "data", torch.randn_like(m.word_U)),
    "copy_": lambda module: module.sentence_W.detach().copy_(torch.randn_like(module.sentence_W)),
    "numpy": lambda module: module.word_W.detach().numpy().__imul__(2),
    "another parameter": lambda m: setattr(m, "word_W", torch.nn.Parameter(torch.randn_like(m.word_W))),
    "a weight that is not cached": lambda module: module.word_b.data.add_(1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_never_stale(batch, change):
    module = encoder()
    before = predicted(module, batch)
    change(module)
    after = predicted(module, batch)
    assert not torch.allclose(after[1], before[1], rtol=1e-5, atol=1e-6)
    assert_same(module, batch)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("size", (15, 16, 31, 64, 100, 256))
def test_regular_changes_are_seen(dtype, size):
    """Signs and powers of two in rows, columns or everywhere: the same bits change in many words."""
    odd_columns, two = (..., slice(1, None, 2)), (0, slice(0, 2), 1)
    tensors = [torch.randn(6, size, size, dtype=dtype), torch.ones(6, size, size, dtype=dtype)]
    for where in (..., (..., 1), odd_columns, (slice(None), 3), 0, two):
        for weight in tensors[:2]:
            for factor in (-1, 2, 4, 0.25):
                tensors.append(weight.clone())
                tensors[-1][where] *= factor
    fingerprint = load_kernels("slstm").fingerprint
    assert len({fingerprint(tensors=[tensor]) for tensor in tensors}) == len(tensors) == 50


def test_copies_keep_nothing_of_each_other(batch):
    module = encoder()
    before = predicted(module, batch)
    other = copy.deepcopy(module)
    CHANGES["data"](other)
    assert_same(other, batch)
    torch.testing.assert_close(predicted(module, batch), before, rtol=0, atol=0)


def test_nothing_of_it_is_saved(batch):
    module = encoder()
    size, names = len(pickle.dumps(module)), list(module.state_dict())
    predicted(module, batch)
    assert len(pickle.dumps(module)) == size and list(module.state_dict()) == names
    again = pickle.loads(pickle.dumps(module))
    torch.testing.assert_close(predicted(again, batch), predicted(module, batch), rtol=0, atol=0)


def test_threads(batch):
    """Threads predict while another changes the weights. Afterwards, the last weights are used."""
    module = encoder()
    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(predicted, module, batch) for _ in range(20)]
        for _ in range(5):
            CHANGES["data"](module)
            running += [threads.submit(predicted, module, batch) for _ in range(4)]
        for future in running:
            future.result()
    assert_same(module, batch, 1e-5)
