"""Formatting of numbers in a report."""

from typing import Any, List, Optional, Sequence, Tuple

from slstm_allennlp.comparison.figures import Scale
from slstm_allennlp.comparison.significance import Spread

_SHARES = ("accuracy", "f1", "precision", "recall", "bleu")  # metrics from 0 to 1, shown in per cent
NONE = "–"
PERCENT = Scale("", 100)
_PLAIN = Scale("")


def scale_of(metric: str) -> Scale:
    """Return the scale of a metric: per cent for metrics from 0 to 1."""
    is_share = any(name in metric.lower() for name in _SHARES)
    return Scale(f"{metric} (%)", 100) if is_share else Scale(metric)


def given(values: Sequence[Optional[Any]]) -> List[Any]:
    """Return the values that are not None."""
    return [value for value in values if value is not None]


def spread(
    values: Sequence[Optional[float]], scale: Scale = _PLAIN, digits: Optional[int] = None
) -> str:
    """Format mean ± standard deviation of the values that are not None."""
    known = [scale.factor * value for value in given(values)]
    if not known:
        return NONE
    mean, std = Spread.of(known)
    if digits is None:
        size = abs(mean)
        digits = 2 if scale.factor == 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{mean:.{digits}f}" if std is None else f"{mean:.{digits}f} ± {std:.{digits}f}"


def in_thousands(values: Sequence[int]) -> str:
    """Format a count, or the range of counts if runs differ, for example in their vocabulary."""
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def signed(value: float, scale: Scale = PERCENT) -> str:
    digits = 2 if scale.factor == 100 else 4
    return f"{scale.factor * value:+.{digits}f}"


def interval(bounds: Optional[Tuple[float, float]], scale: Scale = PERCENT) -> str:
    return NONE if bounds is None else " to ".join(signed(bound, scale) for bound in bounds)


def p_value(value: Optional[float]) -> str:
    return NONE if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
