"""docs/pictures: the plots show the current results."""

import runpy

import pytest

from tests.conftest import ROOT

SCRIPT = runpy.run_path(str(ROOT / "tools" / "pictures.py"))


@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_plots_are_of_the_results(name):
    picture = (ROOT / "docs" / "pictures" / name).read_text(encoding="utf-8")
    assert SCRIPT["drawn"]() in picture, "run python tools/pictures.py"


def test_they_are_drawn(tmp_path):
    SCRIPT["main"](tmp_path)
    for name in SCRIPT["PICTURES"]:
        assert (tmp_path / name).read_text(encoding="utf-8").count("<path") > 10
