"""Suggest the closest known name for an unknown one."""

import difflib
import unicodedata
from typing import Iterable, Optional


def nearest(name: object, known: Iterable[object]) -> Optional[str]:
    """Return the known name that is closest to an unknown one, or `None` if none is similar."""
    found = difflib.get_close_matches(str(name), [str(each) for each in known], n=1)
    return found[0] if found else None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return `, did you mean 'num_steps'?`, or `, expected one of …` with all known names."""
    known = list(known)
    match = nearest(name, known)
    if match is not None:
        look_alike = _composed(match) == _composed(str(name))
        return f", did you mean {ascii(match) if look_alike else repr(match)}?"
    return ", expected one of " + ", ".join(map(repr, known))


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)
