"""A report as a list of parts, written as Markdown and as one self-contained HTML page."""

import base64
import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Union

import jinja2


class Link(NamedTuple):
    text: str
    target: str  # a file or folder, relative to the report's folder


class Heading(NamedTuple):
    text: str


class Paragraph(NamedTuple):
    text: str
    is_warning: bool = False
    is_verdict: bool = False


Row = Mapping[str, Union[str, Sequence[Link]]]


class Table(NamedTuple):
    """Rows with the same columns, by their names. The first column names the row."""

    rows: Sequence[Row]


class Picture(NamedTuple):
    path: str  # of an SVG file, relative to the report's folder
    title: str
    numbers: Dict[str, Any]  # for `report.json`


class Pictures(NamedTuple):
    """Pictures of the same kind with one caption, placed side by side if they fit."""

    title: str
    caption: str
    pictures: List[Picture]


class Listing(NamedTuple):
    lines: List[str]  # of a log


Part = Union[Heading, Paragraph, Table, Pictures, Listing]


def write(folder: Path, title: str, parts: Sequence[Part]) -> None:
    """Write `report.md` and `report.html` to the folder, which has the pictures."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    # Escape text for a Markdown line or table cell.
    templates.filters["markdown"] = lambda text: re.sub(r"([\\|*_`<\[\]&~])", r"\\\1", text)
    templates.filters["base64"] = lambda path: base64.b64encode((folder / path).read_bytes()).decode()
    for name in ("report.md", "report.html"):
        text = templates.get_template(f"{name}.jinja").render(title=title, parts=parts)
        (folder / name).write_text(text, encoding="utf-8")
