"""
Write reference.html, one page with a search field: every name that the plugin registers with AllenNLP,
with its arguments and its docstring. `make docs` writes it into output/docs.

    python tools/reference.py FOLDER
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
from markdown_it import MarkdownIt

from slstm_allennlp import modules
from slstm_allennlp.ops.slstm import Transition

PACKAGE = "slstm_allennlp"
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>slstm-allennlp: every registered name</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 50em; margin: auto; padding: 0 1em }
pre, code { background: #f2f2f2; overflow-x: auto; overflow-wrap: anywhere }
input { position: sticky; top: 0; width: 100%; font: inherit }
</style>
<h1>Every registered name</h1>
<p>The name is what a config says under <code>"type"</code>; the arguments are its keys.
Where AllenNLP has the same name, loading the plugin replaces AllenNLP's.</p>
<input type="search" placeholder="Search" aria-label="Search" autofocus>
"""
FOOT = """<script>
const entries = [...document.querySelectorAll("section")];
document.querySelector("input").addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\\s+/);
  for (const entry of entries)
    entry.hidden = !words.every((word) => entry.textContent.toLowerCase().includes(word));
});
</script></html>
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
    return iter(sorted(found, key=lambda entry: entry[:2]))


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
    """Generate the page's sections, one for each name, in Markdown."""
    seen: Dict[str, type] = {}
    for entry in entries():
        if issubclass(entry.subject, Subcommand):
            arguments = "\n".join(command_line(entry.subject))
        else:
            arguments = f"```text\n{signature(entry.subject)}\n```"
        yield section(f"{entry.role}: `{entry.name}`", entry.subject, arguments)
        seen.update((base.__qualname__, base) for base in shared_bases(entry.subject))
    for name in sorted(seen):
        yield section(f"What several of them share: `{name}`", seen[name])
    for subject in (*(getattr(modules, name) for name in modules.__all__), Transition):
        title = f"For PyTorch alone: `{subject.__qualname__}`"
        yield section(title, subject, f"```text\n{signature(subject)}\n```")


def section(title: str, subject: type, arguments: str = "") -> str:
    name = f"`{subject.__module__}.{subject.__qualname__}`"
    return f"## {title}\n\n{name}\n\n{documentation(subject)}\n\n{arguments}\n"


def main(folder: pathlib.Path) -> None:
    warnings.simplefilter("ignore")
    import_plugins()
    body = "".join(f"<section>\n{MarkdownIt().render(text)}</section>\n" for text in sections())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "reference.html").write_text(HEAD + body + FOOT, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
