"""README and docs/: links resolve, and the files that the text and commands name exist."""

import re
import runpy

import pytest

from slstm_allennlp.training.own_data import with_data
from slstm_cli.bundled import whole_config
from tests.conftest import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


each_document = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)


@each_document
def test_links_lead_somewhere(document):
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link.split("#")[0]).exists()]
    assert not missing
    for path, _, anchor in (link.partition("#") for link in links):
        if anchor:
            assert anchor in anchors(document.parent / path if path else document)


def anchors(document):
    """Return the anchors that GitHub gives to a document's headings."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_document
def test_files_that_are_named_are_there(document):
    """Configs, scripts and tools, in commands and in the text."""
    text = document.read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:training_config|experiments|tools)/[\w/.]+\w", text))
    assert not {name for name in named if not (ROOT / name).exists()}
    configs = set(re.findall(r"`(\w+)\.jsonnet`", text))
    assert not {name for name in configs if not (ROOT / f"training_config/{name}.jsonnet").exists()}


@each_document
def test_lines_of_prose_are_below_100_characters(document):
    """Tables and code may be longer."""
    text = re.sub(
        r"^ *```.*?^ *```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    assert not [line for line in text.splitlines() if len(line) >= 100 and not line.startswith("|")]


@pytest.mark.parametrize("name", ["README.md", "docs/pytorch.md"])
def test_what_pytorch_alone_can_run_runs(name, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if "SentenceStateLSTM" in block]
    (tmp_path / "block.py").write_text(block)
    names = runpy.run_path(str(tmp_path / "block.py"))
    assert names["words"].shape == (2, 7, 300) and names["sentence"].shape == (2, 300)


@pytest.mark.parametrize("section", ["Classes", "Pairs", "Tags", "Entities"])
def test_the_commands_of_ones_own_data_read_the_data_beside_them(section, tmp_path, monkeypatch):
    page = (ROOT / "docs/your_own_data.md").read_text(encoding="utf-8")
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    sample = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    config, file = re.search(r"slstm train (\w+) --data (\S+)", text).groups()
    header, rows = sample.split("\n", 1) if section == "Classes" else ("", sample)
    rows = "".join(re.sub(r"(broke|light|sings|runs|the|Ada)\b", rf"\g<1>{n}", rows) for n in range(10))
    (tmp_path / file).write_text(f"{header}\n".lstrip() + rows)
    monkeypatch.chdir(tmp_path)
    made = with_data(whole_config(config), file)
    assert made["train_data_path"] == f"{file}#train" and made["evaluate_on_test"]
