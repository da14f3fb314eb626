"""The lines in a picture: their numbers, and how they are drawn."""

import itertools
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy

from slstm_allennlp.comparison.significance import Spread

Style = Dict[str, Any]
_MAX_SHADED = 4  # lines in a panel; with more, the shaded ranges would hide each other


class Scale(NamedTuple):
    """A score's name with its unit, and the factor that converts the score to this unit."""

    label: str
    factor: float = 1.0


@dataclass(frozen=True)
class Line:
    """Means over the seeds: points with error bars for the standard deviation, a curve or a level."""

    xs: Optional[List[float]]  # None for a level, a horizontal line
    # For each x, or for the level, one per seed. If a seed's value is None, the point is not drawn.
    values: Sequence[Sequence[Optional[float]]]
    is_curve: bool = False  # its range from minimum to maximum is shaded

    @classmethod
    def over_epochs(cls, seeds: List[List[float]]) -> "Line":
        """
        Return the curve of the values of each seed after each epoch. It ends with the last epoch that
        all seeds have: the mean of the remaining seeds would jump.
        """
        values = list(map(list, itertools.zip_longest(*seeds)))
        return cls(list(range(1, len(values) + 1)), values, is_curve=True)

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Draw the line. `among` is the number of lines in the panel."""
        self.outline(axis, factor, style)
        points = self._points(factor)
        if self.xs is None or (self.is_curve and among > _MAX_SHADED):
            return
        xs, color = self.xs[: len(points)], style["color"]
        if self.is_curve:
            lowest, highest = list(map(min, points)), list(map(max, points))
            axis.fill_between(xs, lowest, highest, color=color, alpha=0.12, linewidth=0)
        else:
            means = list(map(numpy.mean, points))
            errors = [Spread.of(values).std or 0.0 for values in points]
            axis.errorbar(xs, means, errors, fmt="none", ecolor=color, capsize=2, elinewidth=0.8)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """Draw the mean alone, as a background for another line."""
        means = list(map(numpy.mean, self._points(factor)))
        if self.xs is None:
            axis.axhline(*means, **{**style, "marker": None})
        else:
            axis.plot(self.xs[: len(means)], means, **style)

    def numbers(self, factor: float) -> Dict[str, Any]:
        """Return the numbers of the line, for `report.json`."""
        values = [_scaled(of_seeds, factor) for of_seeds in self.values]
        return {"values": values[0]} if self.xs is None else {"x": self.xs, "values": values}

    def _points(self, factor: float) -> List[List[float]]:
        return [_scaled(values, factor) for values in self.values if None not in values]


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
