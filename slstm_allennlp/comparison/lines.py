"""The kinds of lines in a picture: their numbers, and how they are drawn."""

import itertools
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy

from slstm_allennlp.comparison.significance import Spread

Style = Dict[str, Any]
_MAX_SHADED = 4  # lines in a panel; with more, the shaded ranges would hide each other


class Scale(NamedTuple):
    """A score's name with its unit, and the factor that converts the score to this unit."""

    label: str
    factor: float = 1.0


@dataclass(frozen=True)
class Points:
    """Means over the seeds, with error bars for the standard deviation."""

    xs: List[float]
    # For each x, one per seed. If a seed's value is None, the point is not drawn.
    values: Sequence[Sequence[Optional[float]]]

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Draw the line. `among` is the number of lines in the panel."""
        points = self._points(factor)
        errors = [Spread.of(values).std or 0.0 for values in points]
        axis.errorbar(self.xs, _means(points), yerr=errors, capsize=2, elinewidth=0.8, **style)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """Draw the mean alone, as a background for another line."""
        means = _means(self._points(factor))
        axis.plot(self.xs[: len(means)], means, **style)

    def numbers(self, factor: float) -> Dict[str, Any]:
        """Return the numbers of the line, for `report.json`."""
        return {"x": self.xs, "values": [_scaled(values, factor) for values in self.values]}

    def _points(self, factor: float) -> List[List[float]]:
        return [_scaled(values, factor) for values in self.values if None not in values]


class Curves(Points):
    """
    The mean over the seeds after each epoch, up to the last epoch that all seeds have: the mean of the
    remaining seeds would jump. For up to four lines in a panel, the range from minimum to maximum is
    shaded.

    # Parameters

    seeds : `List[List[float]]`
        For each seed, the values after each epoch.
    """

    def __init__(self, seeds: List[List[float]]) -> None:
        values = list(map(list, itertools.zip_longest(*seeds)))
        super().__init__(list(range(1, len(values) + 1)), values)

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        self.outline(axis, factor, style)
        if among <= _MAX_SHADED:
            points = self._points(factor)
            bounds = list(map(min, points)), list(map(max, points))
            epochs = self.xs[: len(points)]
            axis.fill_between(epochs, *bounds, color=style["color"], alpha=0.12, linewidth=0)


@dataclass(frozen=True)
class Level:
    """The mean over the seeds, as a horizontal line."""

    values: List[float]  # one per seed

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
    x: str  # label of the x axis, with its unit
    baseline: str  # name of the baseline's line, which may be missing
    ticks: Optional[List[int]] = None  # of the x axis; if None, automatic whole numbers
    from_zero: bool = False  # whether the y axes begin at zero

    def numbers(self) -> Dict[str, Any]:
        """Return the numbers of all panels in the axes' units, for `report.json`."""
        panels = [
            {"y": scale.label, "lines": {name: line.numbers(scale.factor) for name, line in of.items()}}
            for scale, of in self.panels.items()
        ]
        return {"x": self.x, "panels": panels}


def _scaled(values: Sequence[Optional[float]], factor: float) -> List[Any]:
    return [None if value is None else factor * value for value in values]


def _means(points: Sequence[Sequence[float]]) -> List[float]:
    return [float(numpy.mean(values)) for values in points]
