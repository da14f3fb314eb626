"""A report as a list of parts, written as Markdown or as one HTML page that needs nothing beside it."""

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence, Union

import jinja2


class Link(NamedTuple):
    """To a file or folder, relative to the report's own."""

    text: str
    target: str


Cell = Union[str, Sequence[Link]]


@dataclass(frozen=True)
class Heading:
    text: str
    kind: str = "heading"


@dataclass(frozen=True)
class Paragraph:
    text: str
    is_warning: bool = False
    is_verdict: bool = False
    kind: str = "paragraph"


@dataclass(frozen=True)
class Table:
    """The first column names the row."""

    columns: List[str]
    rows: List[List[Cell]]
    kind: str = "table"


@dataclass(frozen=True)
class Picture:
    """
    An SVG file relative to the report's folder, what it shows, and the numbers in it, for JSON. One of
    several panels has a file of each, too: where it is narrow, a page puts them below each other.
    """

    path: str
    title: str
    numbers: Dict[str, Any] = field(default_factory=dict)
    panels: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pictures:
    """One, or several that are read alike, which stand side by side as far as they fit."""

    title: str
    caption: str
    pictures: List[Picture]
    kind: str = "pictures"


@dataclass(frozen=True)
class Listing:
    """Lines of a log."""

    lines: List[str]
    kind: str = "listing"


Part = Union[Heading, Paragraph, Table, Pictures, Listing]


def write(folder: Path, title: str, parts: Sequence[Part]) -> None:
    """`report.md` and `report.html` in the folder, where the pictures are."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["markdown"] = _markdown
    templates.filters["data_uri"] = lambda path: _data_uri(folder / path)
    for name in ("report.md", "report.html"):
        text = templates.get_template(f"{name}.jinja").render(title=title, parts=parts)
        (folder / name).write_text(text, encoding="utf-8")


def _markdown(text: str) -> str:
    """Within a line or a table's cell."""
    return re.sub(r"([\\|*_`<])", r"\\\1", text)


def _data_uri(path: Path) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
