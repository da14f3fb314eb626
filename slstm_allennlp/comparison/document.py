"""A report as a list of parts, written as Markdown and as one self-contained HTML page."""

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Union

from slstm_allennlp.common.extras import needs


class Link(NamedTuple):
    """A link to a file or folder, relative to the report's folder."""

    text: str
    target: str


Cell = Union[str, Sequence[Link]]


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str
    is_warning: bool = False
    is_verdict: bool = False


@dataclass(frozen=True)
class Table:
    """A table whose first column names the row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Picture:
    """An SVG file relative to the report's folder, its title, and its numbers for `report.json`."""

    path: str
    title: str
    numbers: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pictures:
    """Pictures of the same kind with one caption, placed side by side if they fit."""

    title: str
    caption: str
    pictures: List[Picture]


@dataclass(frozen=True)
class Listing:
    """Lines of a log."""

    lines: List[str]


Part = Union[Heading, Paragraph, Table, Pictures, Listing]


def write(folder: Path, title: str, parts: Sequence[Part]) -> None:
    """Write `report.md` and `report.html` to the folder, which has the pictures."""
    jinja2 = needs("jinja2", "compare")
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["markdown"] = _markdown
    templates.filters["base64"] = lambda path: base64.b64encode((folder / path).read_bytes()).decode()
    for name in ("report.md", "report.html"):
        text = templates.get_template(f"{name}.jinja").render(title=title, parts=parts)
        (folder / name).write_text(text, encoding="utf-8")


def _markdown(text: str) -> str:
    """Escape text for a Markdown line or table cell."""
    return re.sub(r"([\\|*_`<])", r"\\\1", text)
