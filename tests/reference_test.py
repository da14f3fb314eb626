"""The reference has every registered name, and docstrings describe every argument."""

import html
import inspect
import re
import runpy
import sys

import pytest
from allennlp.common.plugins import import_plugins

from slstm_allennlp import modules
from tests.conftest import ROOT

KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
pytest.importorskip("markdown_it", reason="AllenNLP's own pins have no markdown-it-py")
import_plugins()  # as the command line does
REFERENCE = runpy.run_path(str(ROOT / "tools" / "reference.py"), run_name="reference")


def test_the_page_has_every_name_with_its_arguments(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["reference.py", str(tmp_path / "docs")])
    runpy.run_path(str(ROOT / "tools" / "reference.py"), run_name="__main__")
    page = html.unescape((tmp_path / "docs" / "reference.html").read_text(encoding="utf-8"))
    sections = page.split("<section>")[1:]
    for entry in REFERENCE["entries"]():
        class_name = f"<code>{entry.subject.__module__}.{entry.subject.__qualname__}</code>"
        heading = f"<code>{entry.name}</code></h2>\n<p>{class_name}"
        (section,) = [part for part in sections if heading in part]
        assert entry.role == "Subcommand" or REFERENCE["signature"](entry.subject) in section
    for name in modules.__all__:
        assert any(f"For PyTorch alone: <code>{name}</code>" in section for section in sections)


@pytest.mark.parametrize(
    "entry", list(REFERENCE["entries"]()), ids=lambda entry: f"{entry.role} {entry.name}"
)
def test_every_argument_is_documented(entry):
    """
    Each argument is in the docstring, or in that of one of our base classes, or of a module in
    `slstm_allennlp.modules` that it refers to.
    """
    if entry.role == "Subcommand":
        assert not [line for line in REFERENCE["command_line"](entry.subject) if line.endswith(": None")]
        return
    owner = next(base for base in entry.subject.__mro__ if "__init__" in vars(base))
    documents = [entry.subject, *REFERENCE["shared_bases"](entry.subject)]
    text = " ".join(" ".join(subject.__doc__ for subject in documents).split())
    for name in re.findall(r"as in `(\w+)`", text):
        text += getattr(modules, name).__doc__ if name in modules.__all__ else ""
    if not owner.__module__.startswith("slstm_allennlp") or "with its parameters" in text:
        return  # the arguments are AllenNLP's
    for argument in inspect.signature(owner.__init__).parameters.values():
        if argument.name != "self" and argument.kind in KINDS:
            assert re.search(rf"\b{argument.name}\b", text), argument.name
