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
        return f", did you mean {_visible(match)}?"
    return ", expected one of " + ", ".join(map(_visible, known))


def _visible(name: object) -> str:
    """Return a name in quotation marks, with escapes if it only looks as another one (NFD, not NFC)."""
    is_usual = unicodedata.is_normalized("NFC", str(name))
    return repr(name) if is_usual else ascii(name)
