"""The README and the documents under docs/: links lead somewhere, commands name what is there."""

import re

import pytest

from tests.conftest import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link.split("#")[0]).exists()]
    assert not missing
    for path, _, anchor in (link.partition("#") for link in links):
        if anchor:
            assert anchor in anchors(document.parent / path if path else document)


def anchors(document):
    """What a document's headings are called in links, as GitHub has it."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named_are_there(document):
    """Configs, scripts and tools in the commands and in the text."""
    text = document.read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:training_config|experiments|tools)/[\w/.]+\w", text))
    assert not {name for name in named if not (ROOT / name).exists()}
    configs = set(re.findall(r"`(\w+)\.jsonnet`", text))
    assert not {name for name in configs if not (ROOT / f"training_config/{name}.jsonnet").exists()}
