import json
import pathlib
from typing import Any, Dict

_TEMPLATE = pathlib.Path(__file__).with_name("page.html")
_PLACE = "{{ report }}"


def page(report: Dict[str, Any]) -> str:
    """A page that shows the report, HTML that needs nothing beside itself."""
    # Within a script element, nothing but "<" could end it.
    data = json.dumps(report, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return _TEMPLATE.read_text(encoding="utf-8").replace(_PLACE, data)
