"""experiments/today.py reads the corpora of the systems that have no reader of this package."""

import runpy

import pytest

from tests.conftest import ROOT

TREES = """(3 (2 It) (3 (3 shines) (2 .)))
(2 (2 It) (2 plays))
(0 (2 It) (0 drags))
"""


@pytest.fixture
def script():
    return runpy.run_path(str(ROOT / "experiments/today.py"))


def test_reviews(script):
    train, dev, test = script["read"](ROOT / "fixtures/mtl", "books")
    assert [len(part) for part, _ in (dev, test)] == [200, 100]
    assert len(train[0]) == len(train[1]) and {*train[1]} == {0, 1}
    assert script["few"](train, 8, seed=13)[1] == [0] * 8 + [1] * 8


def test_sentences_that_are_not_neutral(script, tmp_path):
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.txt").write_text(TREES)
    train, _, _ = script["read"](tmp_path, "sst2")
    assert train == (["It shines .", "It drags"], [1, 0])
