"""README: its blocks run in their order, and it and all pages are short."""

import os
import re
import sys

import pytest

from slstm_allennlp.vectors.packages import COPIES, place_of
from tests.conftest import ROOT, run_program


def test_the_first_pages_are_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900
    assert (ROOT / "RESULTS.md").read_text(encoding="utf-8").count("\n") <= 200


def test_the_pages_are_short():
    """Without tables of results, and without the pages that tools/paper_tables.py writes."""
    pages = [*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "RESULTS.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages if not page.stem.endswith("_tables")]
    own = re.sub(r"<!-- results: .*?<!-- end of results -->", "", "".join(texts), flags=re.DOTALL)
    assert len(own.split()) <= 25_000


@pytest.mark.slow
def test_the_readmes_blocks_run_in_their_order(tmp_path):
    """All but the first, which installs, and changes of a config. A block of text is what is printed."""
    if not all(map(place_of, COPIES)):
        pytest.skip("`make vectors` was not run")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    programs = {"sh": ["bash", "-euc"], "python": [sys.executable, "-c"]}
    output = ""
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[1:]:
        if language in programs:
            done = run_program([*programs[language], block], cwd=tmp_path, env=environment)
            assert done.returncode == 0, done.stderr
            output = done.stdout
        elif language == "text":
            assert output.endswith(block)
    assert (tmp_path / "output/inside/inside.html").exists()
