"""
Write docs/reference.md: every name that the plugin registers with AllenNLP, with its arguments and its
docstring.

    python tools/reference.py [FOLDER]
"""

import argparse
import inspect
import pathlib
import re
import sys
import textwrap
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Type

from allennlp.commands import Subcommand
from allennlp.common import Registrable
from allennlp.common.plugins import import_plugins

from slstm_allennlp import modules
from slstm_allennlp.ops.slstm import Transition

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = "slstm_allennlp"
_WIDTH = 99
# Headings of the roles, in the order of the page. Roles that are missing here come after them.
ROLES = {
    "Seq2SeqEncoder": "Sequence encoders",
    "Seq2VecEncoder": "Vector encoders",
    "Model": "Models",
    "DecoderNet": "Decoders",
    "DatasetReader": "Dataset readers",
    "Tokenizer": "Tokenizers",
    "TokenIndexer": "Token indexers",
    "Predictor": "Predictors",
    "Subcommand": "Commands",
    "Metric": "Metrics",
    "Interpreter": "Interpreters",
    "Attacker": "Attackers",
}
HEAD = """# Every registered name

Written by `python tools/reference.py` from the docstrings; a test keeps it up to date.
The name is what a config says under `"type"`; the arguments are its keys.
Where AllenNLP has the same name, loading the plugin replaces AllenNLP's.
"""


class Entry(NamedTuple):
    role: str
    name: str
    subject: type


def entries() -> Iterator[Entry]:
    """Iterate over the plugin's registered classes, sorted by role and name."""
    found = [
        Entry(base.__name__, name, subject)
        for base, names in Registrable._registry.items()
        for name, (subject, _) in names.items()
        if subject.__module__.split(".")[0] == PACKAGE
    ]
    place = {role: index for index, role in enumerate(ROLES)}
    return iter(sorted(found, key=lambda entry: (place.get(entry.role, len(ROLES)), *entry[:2])))


def shared_bases(subject: type) -> List[type]:
    """Return the plugin's base classes with documented parameters, nearest first."""
    return [
        base
        for base in subject.__mro__[1:]
        if base.__module__.split(".")[0] == PACKAGE and "# Parameters" in (base.__doc__ or "")
    ]


def documentation(subject: type) -> str:
    """
    Convert the docstring to Markdown. Headings become bold, so that they are not headings of the page.
    Parameters become a list; a parameter is a line with its type, or a line with indented text under it.
    """
    text = inspect.cleandoc(subject.__doc__ or "")
    text = re.sub(r"^(\w[^\n]*)\n    (?=\S)", r"- \1\n    ", text, flags=re.MULTILINE)
    text = re.sub(r"^(?=\w+ : `)", "- ", text, flags=re.MULTILINE)
    return re.sub(r"^#+ (.*)\n+", r"**\1**\n\n", text, flags=re.MULTILINE)


def signature(subject: Any) -> str:
    """Format the arguments with types and defaults, one per line, without `*args` and `**kwargs`."""
    lines = []
    for parameter in list(inspect.signature(subject.__init__).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(parameter.annotation))
        default = "" if parameter.default is parameter.empty else f" = {_literal(parameter.default)}"
        lines.append(f"{parameter.name}: {annotation}{default}")
    return "\n".join(lines)


def command_line(subject: Type[Subcommand]) -> Iterator[str]:
    """Format a command's arguments and options with their help, as a Markdown list."""
    parser = subject().add_subparser(argparse.ArgumentParser().add_subparsers())
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction):
            needed = "" if action.required or not action.option_strings else ", optional"
            yield f"- `{', '.join(action.option_strings) or action.dest}`{needed}: {action.help}"


def _literal(value: Any) -> str:
    """Format a default value, without the address of an object."""
    return re.sub(r" object at 0x[0-9a-f]+", "", repr(value))


def sections() -> Iterator[str]:
    seen: Dict[str, type] = {}
    role = None
    for entry in entries():
        if entry.role != role:
            role = entry.role
            yield f"## {ROLES.get(role, f'In the place of the stock {role}')}\n"
        yield f"### `{entry.name}`\n\n`{entry.subject.__module__}.{entry.subject.__qualname__}`\n"
        yield documentation(entry.subject) + "\n"
        if issubclass(entry.subject, Subcommand):
            yield "\n".join(command_line(entry.subject)) + "\n"
        elif arguments := signature(entry.subject):
            yield f"```text\n{arguments}\n```\n"
        seen.update((base.__qualname__, base) for base in shared_bases(entry.subject))
    yield "## What several of them share\n"
    for name in sorted(seen):
        yield f"### {name}\n\n{documentation(seen[name])}\n"
    yield "## For PyTorch alone\n"
    for subject in (*(getattr(modules, name) for name in modules.__all__), Transition):
        yield f"### {subject.__qualname__}\n\n`{subject.__module__}.{subject.__qualname__}`\n"
        yield f"{documentation(subject)}\n\n```text\n{signature(subject)}\n```\n"


def linked(text: str) -> str:
    """Link every mention of a class to its section of the page."""
    names = "|".join(re.findall(r"^### (\w+)$", text, flags=re.MULTILINE))
    return re.sub(f"`({names})`", lambda found: f"[`{found[1]}`](#{found[1].lower()})", text)


def wrapped(text: str) -> str:
    """Wrap paragraphs with a long line, such as one that a link has made longer."""
    # Code blocks are parts with an odd number.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    # Lines with the same indent, that are not aligned as formulas are.
    paragraph = re.compile(r"^( *)(?:- )?\S(?:(?!  ).)*(?:\n\1(?![ -])(?:(?!  ).)+)*$", re.MULTILINE)
    parts[::2] = [paragraph.sub(_wrapped_paragraph, part) for part in parts[::2]]
    return "".join(parts)


def _wrapped_paragraph(found: "re.Match[str]") -> str:
    lines = found[0].split("\n")
    if max(map(len, lines)) <= _WIDTH:
        return found[0]
    indent = " " * (len(found[1]) + (2 if lines[0].lstrip().startswith("- ") else 0))
    return textwrap.fill(
        " ".join([lines[0], *map(str.strip, lines[1:])]),
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def main(folder: pathlib.Path = ROOT / "docs") -> None:
    warnings.simplefilter("ignore")
    import_plugins()
    text = wrapped(linked("\n".join([HEAD, *sections()])))
    (folder / "reference.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
