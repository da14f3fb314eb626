"""What the lines of a picture are made of: their numbers, and how each kind is drawn."""

import itertools
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy

from slstm_allennlp.comparison.significance import Spread

Style = Dict[str, Any]
_MOST_SHADES = 4  # lines in a panel, beyond which their shades hide each other


class Scale(NamedTuple):
    """A score's name with its unit, and by what it is multiplied for that."""

    label: str
    factor: float = 1.0


@dataclass(frozen=True)
class Points:
    """Means over the seeds, with bars for their standard deviation."""

    xs: List[float]
    # At each x, with each seed; no point where a seed has none.
    values: Sequence[Sequence[Optional[float]]]

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Among so many lines in the panel."""
        points = self._points(factor)
        errors = [Spread.of(values).std or 0.0 for values in points]
        axis.errorbar(self.xs, _means(points), yerr=errors, capsize=2, elinewidth=0.8, **style)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """The line alone, for others to be seen over it."""
        means = _means(self._points(factor))
        axis.plot(self.xs[: len(means)], means, **style)

    def numbers(self, factor: float) -> Dict[str, Any]:
        """For programs."""
        return {"x": self.xs, "values": [_scaled(values, factor) for values in self.values]}

    def _points(self, factor: float) -> List[List[float]]:
        return [_scaled(values, factor) for values in self.values if None not in values]


class Curves(Points):
    """
    A mean over the seeds after each epoch, as far as all of them go: the mean of those that are left
    would bend where another one stops. For up to four lines in a panel, the shade from the least to the
    most. Made of the values after each epoch, for each seed.
    """

    def __init__(self, seeds: List[List[float]]) -> None:
        values = list(map(list, itertools.zip_longest(*seeds)))
        super().__init__(list(range(1, len(values) + 1)), values)

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        self.outline(axis, factor, style)
        if among <= _MOST_SHADES:
            points = self._points(factor)
            bounds = list(map(min, points)), list(map(max, points))
            epochs = self.xs[: len(points)]
            axis.fill_between(epochs, *bounds, color=style["color"], alpha=0.12, linewidth=0)


@dataclass(frozen=True)
class Level:
    """One value, as a line right across: the mean over the seeds."""

    values: List[float]  # with each seed

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        self.outline(axis, factor, style)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        axis.axhline(*_means([_scaled(self.values, factor)]), **{**style, "marker": None})

    def numbers(self, factor: float) -> Dict[str, Any]:
        return {"values": _scaled(self.values, factor)}


Line = Union[Points, Level]


@dataclass(frozen=True)
class Chart:
    """A panel for each quantity, with its lines."""

    panels: Dict[Scale, Dict[str, Line]]
    x: str  # what the lines go over, with its unit
    baseline: str  # the line with which the others are compared; there may be none of this name
    ticks: Optional[List[int]] = None  # of the x axis; whole numbers that fit if it is None
    from_zero: bool = False  # whether the quantities' axes begin there

    def numbers(self) -> Dict[str, Any]:
        """For programs, in the axes' units."""
        panels = [
            {"y": scale.label, "lines": {name: line.numbers(scale.factor) for name, line in of.items()}}
            for scale, of in self.panels.items()
        ]
        return {"x": self.x, "panels": panels}


def _scaled(values: Sequence[Optional[float]], factor: float) -> List[Any]:
    return [None if value is None else factor * value for value in values]


def _means(points: Sequence[Sequence[float]]) -> List[float]:
    return [float(numpy.mean(values)) for values in points]
