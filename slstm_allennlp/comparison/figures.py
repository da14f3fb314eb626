"""Pictures of a comparison. Systems also differ in marker and line style, for black-and-white print."""

import collections
import itertools
import math
import textwrap
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Counter, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy

from slstm_allennlp.common.extras import needs
from slstm_allennlp.comparison.significance import Spread

# One per line in a panel. Colour and dashes are both unique, because a level has no marker.
_STYLES: List[Dict[str, Any]] = [
    {"color": color, "linestyle": line, "marker": marker, "markersize": 4, "linewidth": 1.3}
    for color, line, marker in (
        ("#000000", "-", "o"),
        ("#0072b2", "--", "s"),
        ("#d55e00", "-.", "^"),
        ("#009e73", ":", "D"),
        ("#a0527f", (0, (10, 3)), "v"),
        ("#7a7a7a", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "P"),
    )
]
MOST_TOGETHER = len(_STYLES)  # lines in a panel; with more, each line has its own
_MAX_SHADED = 4  # lines in a panel; with more, the shaded ranges would hide each other
_MAX_LABELS = 20
_COLUMNS = 4  # of panels, if each line has its own
_LARGE, _SMALL = (5.2, 3.6), (2.6, 1.9)  # panel sizes in inches
_MAX_NUMBERED_LABELS = 12  # with more labels, cells are too narrow for numbers
_TITLE_WIDTH, _LEGEND_WIDTH, _LABEL_WIDTH = 34, 44, 20  # characters per line
_LINE_STYLE = {"color": "black", "marker": "o", "markersize": 3, "linewidth": 1.2}
_BASELINE_STYLE = {"color": "0.55", "linestyle": "--", "linewidth": 1.2}
OTHER = "(other)"


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
    def over_epochs(cls, seeds: List[List[Optional[float]]]) -> "Line":
        """
        Return the curve of the values of each seed after each epoch. It ends with the last epoch that
        all seeds have: the mean of the remaining seeds would jump. Epochs without validation have none.
        """
        values = list(map(list, itertools.zip_longest(*seeds)))
        return cls(list(range(1, len(values) + 1)), values, is_curve=True)

    def draw(self, axis: Any, factor: float, style: Dict[str, Any], among: int) -> None:
        """Draw the line. `among` is the number of lines in the panel; with 0, only the mean is drawn."""
        known = [number for number, values in enumerate(self.values) if None not in values]
        points = [_scaled(self.values[number], factor) for number in known]
        means, color = list(map(numpy.mean, points)), style["color"]
        if self.xs is None:
            axis.axhline(*means, **{**style, "marker": None})
            return
        xs = [self.xs[number] for number in known]
        axis.plot(xs, means, **style)
        if self.is_curve and 0 < among <= _MAX_SHADED:
            lowest, highest = list(map(min, points)), list(map(max, points))
            axis.fill_between(xs, lowest, highest, color=color, alpha=0.12, linewidth=0)
        elif among and not self.is_curve:
            errors = [Spread.of(values).std or 0.0 for values in points]
            axis.errorbar(xs, means, errors, fmt="none", ecolor=color, capsize=2, elinewidth=0.8)

    def numbers(self, factor: float) -> Dict[str, Any]:
        values = [_scaled(of_seeds, factor) for of_seeds in self.values]
        return {"values": values[0]} if self.xs is None else {"x": self.xs, "values": values}


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


@contextmanager
def drawing(
    path: Path, size: Tuple[float, float], rows: int = 1, columns: int = 1
) -> Iterator[numpy.ndarray]:
    """Yield axes of `size` (in inches) each, and save them. The file extension selects the format."""
    needs("matplotlib", "compare")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    path.parent.mkdir(parents=True, exist_ok=True)
    # The hash salt makes files reproducible. Dollar signs in a name are no formula. Text stays text:
    # a browser has a font for letters that Matplotlib's font lacks, such as Chinese ones.
    with (
        warnings.catch_warnings(),
        rc_context(
            {"svg.hashsalt": "compare", "font.size": 9, "text.parse_math": False, "svg.fonttype": "none"}
        ),
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
        yield figure.subplots(rows, columns, squeeze=False)
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=150, metadata=metadata)


def chart(path: Path, of: Chart) -> bool:
    """
    Draw a chart with one panel per quantity. If a panel would have more than six lines, each line gets
    its own panel, over the baseline's line, and the panels of a quantity share their axes. Returns
    whether each line has its own panel.
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator

    most = max(map(len, of.panels.values()))
    apart = most > MOST_TOGETHER
    rows = len(of.panels) * math.ceil(most / _COLUMNS) if apart else 1
    columns, size = (_COLUMNS, _SMALL) if apart else (len(of.panels), _LARGE)
    with drawing(path, size, rows, columns) as axes:
        blocks = numpy.split(axes, len(of.panels), axis=0 if apart else 1)
        for block, (scale, lines) in zip(blocks, of.panels.items()):
            (_draw_apart if apart else _draw_together)(block.ravel(), scale, lines, of)
        for axis in axes.flat:
            axis.grid(color="0.88", linewidth=0.6)
            ticks = MaxNLocator("auto", integer=True) if of.ticks is None else FixedLocator(of.ticks)
            axis.xaxis.set_major_locator(ticks)
            if of.from_zero:
                axis.set_ylim(bottom=0)
        handles, names = axes[0, 0].get_legend_handles_labels()
        if apart and names:
            axes[0, 0].figure.legend(handles, names, loc="outside upper left", fontsize=8)
    return apart


def _draw_together(axes: numpy.ndarray, scale: Scale, lines: Dict[str, Line], of: Chart) -> None:
    for (name, line), style in zip(lines.items(), _STYLES):
        line.draw(axes[0], scale.factor, {**style, "label": _wrapped(name, _LEGEND_WIDTH)}, len(lines))
    axes[0].set(xlabel=of.x, ylabel=scale.label)
    axes[0].legend(fontsize=8)


def _draw_apart(axes: numpy.ndarray, scale: Scale, lines: Dict[str, Line], of: Chart) -> None:
    label = _wrapped(f"in every panel: {of.baseline}", _COLUMNS * _TITLE_WIDTH)
    for number, (axis, (name, line)) in enumerate(zip(axes, lines.items())):
        axis.sharex(axes[0])
        axis.sharey(axes[0])
        if of.baseline in lines:
            lines[of.baseline].draw(axis, scale.factor, {**_BASELINE_STYLE, "label": label}, 0)
        line.draw(axis, scale.factor, _LINE_STYLE, 1)
        axis.set_title(_wrapped(name, _TITLE_WIDTH), fontsize=9)
        is_lowest, is_first = number + _COLUMNS >= len(lines), number % _COLUMNS == 0
        axis.tick_params(labelbottom=is_lowest, labelleft=is_first)
        axis.set_xlabel(of.x if is_lowest else "")
        axis.set_ylabel(scale.label if is_first else "", fontsize=8)
    for axis in axes[len(lines) :]:
        axis.set_visible(False)


def _wrapped(name: str, width: int) -> str:
    """Wrap the name of a system or a label, which can be wider than its place."""
    return textwrap.fill(name.replace(",", ", "), width) if len(name) > width else name


class Confusions(NamedTuple):
    labels: List[str]
    counts: numpy.ndarray  # words or sentences, by gold label (row) and predicted label (column)

    def numbers(self) -> Dict[str, Any]:
        return {"x": "predicted", "y": "gold", "labels": self.labels, "counts": self.counts.tolist()}


def confusions(of_systems: Mapping[str, Counter[Tuple[str, str]]]) -> Dict[str, Confusions]:
    """
    Compute each system's confusion matrix from its counts of (gold, predicted). With more than twenty
    labels, it has the twenty with the most confusions over all systems, and the others are merged.
    """
    labels = confused_labels(sum(of_systems.values(), collections.Counter()))
    index = {label: number for number, label in enumerate(labels)}
    found = {}
    for system, pairs in of_systems.items():
        counts = numpy.zeros((len(labels), len(labels)), dtype=int)
        for (gold, predicted), count in pairs.items():
            counts[index.get(gold, -1), index.get(predicted, -1)] += count
        found[system] = Confusions(labels, counts)
    return found


def confusion(path: Path, name: str, found: Confusions) -> None:
    """Draw a system's confusion matrix, as percentages of each gold label."""
    counts, labels = found.counts, [_wrapped(label, _LABEL_WIDTH) for label in found.labels]
    shares = 100 * counts / numpy.maximum(1, counts.sum(axis=1, keepdims=True))
    has_numbers = len(labels) <= _MAX_NUMBERED_LABELS
    longest = min(_LABEL_WIDTH, max(map(len, labels)))
    side = min(5.0, 2.2 + 0.3 * len(labels) + 0.05 * longest)  # two fit in a row
    with drawing(path, (side if has_numbers else side + 0.7, side)) as axes:
        axis = axes[0, 0]
        image = axis.imshow(shares, cmap="Greys", vmin=0, vmax=100)
        axis.set_xticks(range(len(labels)), labels, rotation=90, fontsize=7)
        axis.set_yticks(range(len(labels)), labels, fontsize=7)
        axis.set_title(_wrapped(name, _TITLE_WIDTH), fontsize=9)
        axis.set_xlabel("predicted (% of row, count)" if has_numbers else "predicted")
        axis.set_ylabel("gold")
        if has_numbers:
            for (row, column), share in numpy.ndenumerate(shares):
                style = {"ha": "center", "color": "white" if share > 55 else "black"}
                axis.text(column, row, f"{share:.0f}", va="bottom", fontsize=7, **style)
                axis.text(column, row, f"{counts[row, column]}", va="top", fontsize=5.5, **style)
        else:
            axis.figure.colorbar(image, label="share of the row (%)", shrink=0.8)


def confused_labels(pairs: Counter[Tuple[str, str]]) -> List[str]:
    """Return all labels, or those with the most confusions and `OTHER`."""
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) <= _MAX_LABELS:
        return labels
    errors: Counter[str] = collections.Counter()
    for (gold, predicted), count in pairs.items():
        if gold != predicted:
            errors.update({gold: count, predicted: count})
    most = sorted(labels, key=lambda label: (-errors[label], label))[:_MAX_LABELS]
    return [*sorted(most), OTHER]


def groups_by_length(lengths: Sequence[int], most: int = 10, least: int = 30) -> List[numpy.ndarray]:
    """
    Divide sentences into groups of about equal size, from the shortest to the longest sentences. There
    are at most `most` groups, of about `least` sentences or more, and sentences of equal length stay
    together. Returns the indices of each group.
    """
    order = numpy.argsort(lengths, kind="stable")
    ordered = numpy.asarray(lengths)[order]
    number = max(1, min(most, len(order) // least))
    bounds = numpy.ceil(len(order) * numpy.arange(1, number) / number).astype(int)
    # Move each bound back to the first sentence of the same length.
    starts = numpy.unique(numpy.searchsorted(ordered, ordered[bounds]))
    return [group for group in numpy.split(order, starts) if len(group)]
