"""
Writes docs/reference.md: every name that the plugin registers with AllenNLP, with its arguments and what
its docstring says of them.

    python tools/reference.py [FOLDER]
"""

import argparse
import inspect
import pathlib
import re
import sys
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Type

from allennlp.commands import Subcommand
from allennlp.common import Registrable
from allennlp.common.plugins import import_plugins

from slstm_allennlp import modules
from slstm_allennlp.ops.slstm import Transition

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = "slstm_allennlp"
# By role, in the order in which one meets them; what is not named here comes after.
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
    """What the plugin registered, by role and name."""
    found = [
        Entry(base.__name__, name, subject)
        for base, names in Registrable._registry.items()
        for name, (subject, _) in names.items()
        if subject.__module__.split(".")[0] == PACKAGE
    ]
    roles = list(ROLES)
    place = {role: index for index, role in enumerate(roles)}
    return iter(sorted(found, key=lambda entry: (place.get(entry.role, len(roles)), *entry[:2])))


def shared_bases(subject: type) -> List[type]:
    """The classes of ours with documented parameters that it builds on, nearest first."""
    return [
        base
        for base in subject.__mro__[1:]
        if base.__module__.split(".")[0] == PACKAGE and "# Parameters" in (base.__doc__ or "")
    ]


def documentation(subject: type) -> str:
    """
    The docstring in Markdown: its headings as bold words, so that they do not become the page's own, and
    a list of its parameters, each of which is a line with its type or with an indented text under it.
    """
    text = inspect.cleandoc(subject.__doc__ or "")
    text = re.sub(r"^(\w[^\n]*)\n    (?=\S)", r"- \1\n    ", text, flags=re.MULTILINE)
    text = re.sub(r"^(?=\w+ : `)", "- ", text, flags=re.MULTILINE)
    return re.sub(r"^#+ (.*)\n+", r"**\1**\n\n", text, flags=re.MULTILINE)


def signature(subject: Any) -> str:
    """The arguments with their types and defaults, one a line; `**kwargs` and the like left out."""
    lines = []
    for parameter in list(inspect.signature(subject.__init__).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        annotation = re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(parameter.annotation))
        default = "" if parameter.default is parameter.empty else f" = {_literal(parameter.default)}"
        lines.append(f"{parameter.name}: {annotation}{default}")
    return "\n".join(lines)


def command_line(subject: Type[Subcommand]) -> Iterator[str]:
    """A command's arguments and options with their help, as Markdown's list."""
    parser = subject().add_subparser(argparse.ArgumentParser().add_subparsers())
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction):
            needed = "" if action.required or not action.option_strings else ", optional"
            yield f"- `{', '.join(action.option_strings) or action.dest}`{needed}: {action.help}"


def _literal(value: Any) -> str:
    """As it is written, without an address where it is an object."""
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
    """With a link from every class that is named to where it stands on the page."""
    names = "|".join(re.findall(r"^### (\w+)$", text, flags=re.MULTILINE))
    return re.sub(f"`({names})`", lambda found: f"[`{found[1]}`](#{found[1].lower()})", text)


def main(folder: pathlib.Path = ROOT / "docs") -> None:
    warnings.simplefilter("ignore")
    import_plugins()
    text = linked("\n".join([HEAD, *sections()]))
    (folder / "reference.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
