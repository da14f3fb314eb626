"""docs/reference.md is up to date, and docstrings describe every argument."""

import inspect
import re
import runpy
import sys

import pytest
from allennlp.common.plugins import import_plugins

from slstm_allennlp import modules
from tests.conftest import ROOT

KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
import_plugins()  # as the command line does
REFERENCE = runpy.run_path(str(ROOT / "tools" / "reference.py"), run_name="reference")


def test_the_document_is_what_its_script_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["reference.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "tools" / "reference.py"), run_name="__main__")
    written = (tmp_path / "reference.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "reference.md").read_text(encoding="utf-8") == written, (
        "run python tools/reference.py"
    )


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
