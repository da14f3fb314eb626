"""README and docs/: links resolve, what they name exists, what they show is true, and they are short."""

import itertools
import os
import re
import runpy
import shlex
import sys

import pytest

from slstm_allennlp.console.main import _parser
from slstm_allennlp.training.own_data import with_data
from slstm_allennlp.vectors.packages import COPIES, place_of
from slstm_cli.bundled import whole_config
from tests.conftest import ROOT, run_program

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


def text_of(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_names_and_lines_of_prose(document):
    text = text_of(document)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link.split("#")[0]).exists()]
    assert not missing
    for path, _, anchor in (link.partition("#") for link in links):
        if anchor:
            assert anchor in anchors(document.parent / path if path else document)
    # Configs, scripts and tools, in commands and in the text
    named = set(re.findall(r"\b(?:training_config|experiments|tools)/[\w/.]+\w", text))
    assert not {name for name in named if not (ROOT / name).exists()}
    configs = set(re.findall(r"`(\w+)\.jsonnet`", text))
    assert not {name for name in configs if not (ROOT / f"training_config/{name}.jsonnet").exists()}
    # Tables and code may be longer than 100 characters.
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not [line for line in prose.splitlines() if len(line) >= 100 and not line.startswith("|")]


def test_private_interfaces_are_used_where_contributing_says():
    section = text_of(ROOT / "CONTRIBUTING.md").partition("## Private")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", section, re.MULTILINE)
    assert len(rows) > 15
    for interfaces, used_in in rows:
        paths = [ROOT / "slstm_allennlp" / name for name in re.findall("`(.*?)`", used_in)]
        files = [file for path in paths for file in ([path] if path.is_file() else path.glob("*.py"))]
        source = "".join(map(text_of, files))
        for name in re.findall("`(.*?)`", interfaces):
            pattern = name.rpartition(".")[2].replace("*", r"\w*")
            assert re.search(rf"\b{pattern}\b", source), (name, used_in)


def anchors(document):
    """Return the anchors that GitHub gives to a document's headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", ["README.md", "docs/pytorch.md"])
def test_what_pytorch_alone_can_run_runs(name, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", text_of(ROOT / name), re.DOTALL)
    (block,) = [block for block in blocks if "SentenceStateLSTM" in block]
    (tmp_path / "block.py").write_text(block)
    names = runpy.run_path(str(tmp_path / "block.py"))
    assert names["words"].shape == (2, 7, 300) and names["sentence"].shape == (2, 300)


@pytest.mark.parametrize("section", ["Classes", "Pairs", "Tags", "Entities"])
def test_the_commands_of_ones_own_data_read_the_data_beside_them(section, tmp_path, monkeypatch):
    page = text_of(ROOT / "docs/your_own_data.md")
    text = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    sample = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    config, file = re.search(r"slstm train (\w+) --data (\S+)", text).groups()
    header, rows = sample.split("\n", 1) if section == "Classes" else ("", sample)
    rows = "".join(re.sub(r"(broke|light|sings|runs|the|Ada)\b", rf"\g<1>{n}", rows) for n in range(10))
    (tmp_path / file).write_text(f"{header}\n".lstrip() + rows)
    monkeypatch.chdir(tmp_path)
    made = with_data(whole_config(config), file)
    assert made["train_data_path"] == f"{file}#train" and made["evaluate_on_test"]


def test_the_pages_are_short():
    """Without tables of results, and without the pages that tools/paper_tables.py writes."""
    results, readme = (text_of(ROOT / name) for name in ("RESULTS.md", "README.md"))
    assert len(readme.split()) <= 900 and results.count("\n") <= 200
    docs = [text_of(page) for page in ROOT.glob("docs/*.md") if not page.stem.endswith("_tables")]
    text = "".join([*docs, readme, results])
    own = re.sub(r"<!-- results: .*?<!-- end of results -->", "", text, flags=re.DOTALL)
    assert len(own.split()) <= 25_000


def commands_in(text):
    """Yield the arguments of every `slstm` and `allennlp` command in a document's blocks."""
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        block = re.sub(r" +# .*$", "", block, flags=re.MULTILINE).replace("\\\n", " ")
        words = shlex.shlex(block, posix=True, punctuation_chars=";|&<>()\n")
        words.whitespace, words.whitespace_split, words.commenters = " \t", True, ""
        for is_end, command in itertools.groupby(words, lambda word: set(word) <= set(";|&<>()\n")):
            command = list(command)
            names = [name for name in ("slstm", "allennlp") if name in command and not is_end]
            yield from (command[command.index(name) + 1 :] for name in names)


def test_every_command_is_one():
    """With options that it has; what they say is tested elsewhere."""
    commands = [(page.name, command) for page in DOCUMENTS for command in commands_in(text_of(page))]
    assert len(commands) > 100
    for page, command in commands:
        _, unknown = _parser().parse_known_args(command)
        assert not unknown, f"{page}: {command}"


@pytest.mark.slow
def test_the_readmes_blocks_run_in_their_order(tmp_path):
    """All but the first, which installs, and changes of a config. A block of text is what is printed."""
    if not all(map(place_of, COPIES)):
        pytest.skip("`make vectors` was not run")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    programs = {"sh": ["bash", "-euc"], "python": [sys.executable, "-c"]}
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", text_of(ROOT / "README.md"), re.DOTALL | re.MULTILINE)
    output = ""
    for language, block in blocks[1:]:
        if language in programs:
            done = run_program([*programs[language], block], cwd=tmp_path, env=environment)
            assert done.returncode == 0, done.stderr
            output = done.stdout
        elif language == "text":
            assert output.endswith(block)
    assert (tmp_path / "output/inside/inside.html").exists()


def test_plots_are_of_the_results(tmp_path):
    script = runpy.run_path(str(ROOT / "tools" / "pictures.py"))
    script["main"](tmp_path)
    for name in script["PICTURES"]:
        assert text_of(tmp_path / name).count("<path") > 10
        shown = text_of(ROOT / "docs" / "pictures" / name)
        assert script["drawn"]() in shown, f"{name}: run python tools/pictures.py"
