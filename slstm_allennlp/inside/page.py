import json
import pathlib
from typing import Any, Dict

_TEMPLATE = pathlib.Path(__file__).with_name("page.html")


def page(report: Dict[str, Any]) -> str:
    """Return an HTML page that shows the report. It needs no other file."""
    # Only "<" could end the script element.
    data = json.dumps(report, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return _TEMPLATE.read_text(encoding="utf-8").replace("{{ report }}", data)
