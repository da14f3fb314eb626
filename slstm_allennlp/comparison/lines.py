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
    """
    Means over the seeds, with bars for their standard deviation.

    # Parameters

    xs : `List[float]`
        Where the points are.
    values : `List[List[float]]`
        At each of them, with each seed.
    """

    xs: List[float]
    values: List[List[float]]

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Among so many lines in the panel."""
        errors = [Spread.of(_scaled(values, factor)).std or 0.0 for values in self.values]
        means = _means(self.values, factor)
        axis.errorbar(self.xs, means, yerr=errors, capsize=2, elinewidth=0.8, **style)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """The line alone, for others to be seen over it."""
        axis.plot(self.xs, _means(self.values, factor), **style)

    def numbers(self, factor: float) -> Dict[str, Any]:
        """For programs."""
        return {"x": self.xs, "values": [_scaled(values, factor) for values in self.values]}


@dataclass(frozen=True)
class Curves:
    """
    A mean over the seeds after each epoch, as far as all of them go: the mean of those that are left
    would bend where another one stops. For up to four lines in a panel, the shade from the least to the
    most.

    # Parameters

    seeds : `List[List[float]]`
        The values after each epoch, with each seed.
    """

    seeds: List[List[float]]

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Among so many lines in the panel."""
        self.outline(axis, factor, style)
        if among <= _MOST_SHADES:
            points = [_scaled(values, factor) for values in zip(*self.seeds)]
            bounds = list(map(min, points)), list(map(max, points))
            axis.fill_between(_epochs(points), *bounds, color=style["color"], alpha=0.12, linewidth=0)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """The line alone, for others to be seen over it."""
        points = list(zip(*self.seeds))
        axis.plot(_epochs(points), _means(points, factor), **style)

    def numbers(self, factor: float) -> Dict[str, Any]:
        """For programs: null after a seed's last epoch."""
        points = list(itertools.zip_longest(*self.seeds))
        return {"x": _epochs(points), "values": [_scaled(values, factor) for values in points]}


@dataclass(frozen=True)
class Level:
    """
    One value, as a line right across.

    # Parameters

    values : `List[float]`
        With each seed, of which it is the mean.
    """

    values: List[float]

    def draw(self, axis: Any, factor: float, style: Style, among: int) -> None:
        """Among so many lines in the panel."""
        self.outline(axis, factor, style)

    def outline(self, axis: Any, factor: float, style: Style) -> None:
        """The line alone, for others to be seen over it."""
        axis.axhline(*_means([self.values], factor), **{**style, "marker": None})

    def numbers(self, factor: float) -> Dict[str, Any]:
        """For programs."""
        return {"values": _scaled(self.values, factor)}


Line = Union[Points, Curves, Level]


@dataclass(frozen=True)
class Chart:
    """
    A panel for each quantity, with its lines.

    # Parameters

    panels : `Dict[Scale, Dict[str, Line]]`
    x : `str`
        What the lines go over, with its unit.
    baseline : `str`
        The line with which the others are compared; there may be none of this name.
    ticks : `List[int]`, optional (default = `None`)
        Those of the x axis; whole numbers that fit if it is None.
    from_zero : `bool`, optional (default = `False`)
        Whether the quantities' axes begin there.
    """

    panels: Dict[Scale, Dict[str, Line]]
    x: str
    baseline: str
    ticks: Optional[List[int]] = None
    from_zero: bool = False

    def numbers(self) -> Dict[str, Any]:
        """For programs, in the axes' units."""
        panels = [
            {"y": scale.label, "lines": {name: line.numbers(scale.factor) for name, line in of.items()}}
            for scale, of in self.panels.items()
        ]
        return {"x": self.x, "panels": panels}


def _scaled(values: Sequence[Optional[float]], factor: float) -> List[Any]:
    return [None if value is None else factor * value for value in values]


def _means(points: Sequence[Sequence[float]], factor: float) -> List[float]:
    return [factor * float(numpy.mean(values)) for values in points]


def _epochs(points: Sequence[Any]) -> List[int]:
    return list(range(1, len(points) + 1))
