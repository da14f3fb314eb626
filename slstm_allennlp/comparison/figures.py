"""The pictures of a comparison, readable in black and white: systems differ in marker and line, too."""

import collections
import itertools
import math
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from slstm_allennlp.comparison.significance import Spread

_COLORS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#a0527f", "#7a7a7a")
_LINES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_MOST_LABELS = 20
_MOST_SHADES = 4  # systems, beyond which they hide each other
_MOST_NAMES = 6  # within a picture; more stand beside it
_MOST_NUMBERS = 12  # labels with which the cells are wide enough for numbers
OTHER = "(other)"


class Scale(NamedTuple):
    """A score's name with its unit, and by what it is multiplied for that."""

    label: str
    factor: float = 1.0


@contextmanager
def _drawing(
    path: Path, columns: int = 1, size: Tuple[float, float] = (5.2, 3.6)
) -> Iterator[Sequence[Any]]:
    """Axes side by side; the file's ending chooses its form."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    # The same input gives the same file.
    with pyplot.rc_context({"svg.hashsalt": "compare", "font.size": 9}):
        figure, axes = pyplot.subplots(
            1, columns, figsize=(size[0] * columns, size[1]), squeeze=False, constrained_layout=True
        )
        yield axes[0]
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=150, metadata=metadata)
        pyplot.close(figure)


def _styles() -> Iterator[Dict[str, Any]]:
    for number in itertools.count():
        yield {
            "color": _COLORS[number % len(_COLORS)],
            "linestyle": _LINES[number % len(_LINES)],
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 4,
            "linewidth": 1.3,
        }


def _finish(axis: Any, x: str, y: str) -> None:
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.grid(color="0.88", linewidth=0.6)
    axis.set_axisbelow(True)
    _, names = axis.get_legend_handles_labels()
    beside = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if len(names) > _MOST_NAMES else {}
    axis.legend(fontsize=8, **beside)


def learning_curves(
    path: Path,
    panels: Dict[Scale, Dict[str, List[List[float]]]],
) -> None:
    """
    A panel for each quantity: for each system the mean over seeds after each epoch, within the least
    and the most, for up to four systems; beyond the epoch where the first seed stops, the mean of the
    others.

    # Parameters

    path : `Path`
    panels : `Dict[Scale, Dict[str, List[List[float]]]]`
        A quantity to systems to a curve for each seed.
    """
    from matplotlib.ticker import MaxNLocator

    with _drawing(path, len(panels)) as axes:
        for axis, (scale, systems) in zip(axes, panels.items()):
            for (name, curves), style in zip(systems.items(), _styles()):
                points = [
                    [scale.factor * value for value in at_epoch if value is not None]
                    for at_epoch in itertools.zip_longest(*curves)
                ]
                epochs = range(1, len(points) + 1)
                axis.plot(epochs, [numpy.mean(values) for values in points], label=name, **style)
                if len(systems) <= _MOST_SHADES:
                    bounds = list(map(min, points)), list(map(max, points))
                    axis.fill_between(epochs, *bounds, color=style["color"], alpha=0.12, linewidth=0)
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            _finish(axis, "epoch", scale.label)


class Points(NamedTuple):
    """A line: where its points are, and their values with each seed."""

    xs: List[float]
    values: List[List[float]]


def lines(
    path: Path,
    panels: Dict[Scale, Dict[str, Points]],
    x: str,
    levels: Optional[Dict[Scale, Dict[str, List[float]]]] = None,
    from_zero: bool = False,
) -> None:
    """
    A panel for each quantity, a line for each system: means over the seeds, with the standard deviation.

    # Parameters

    path : `Path`
    panels : `Dict[Scale, Dict[str, Points]]`
    x : `str`
        What the lines go over, with its unit.
    levels : `Dict[Scale, Dict[str, List[float]]]`, optional (default = `None`)
        Systems with one value (with each seed): a line right across.
    from_zero : `bool`, optional (default = `False`)
        Whether the quantities' axes begin there.
    """
    with _drawing(path, len(panels)) as axes:
        for axis, (scale, systems) in zip(axes, panels.items()):
            styles = _styles()
            for (name, points), style in zip(systems.items(), styles):
                spreads = [
                    Spread.of([scale.factor * value for value in values]) for values in points.values
                ]
                errors = [spread.std or 0.0 for spread in spreads]
                means = [spread.mean for spread in spreads]
                axis.errorbar(
                    points.xs, means, yerr=errors, capsize=2, elinewidth=0.8, label=name, **style
                )
            for (name, values), style in zip((levels or {}).get(scale, {}).items(), styles):
                style = {**style, "marker": None}
                axis.axhline(scale.factor * float(numpy.mean(values)), label=name, **style)
            if from_zero:
                axis.set_ylim(bottom=0)
            _finish(axis, x, scale.label)


def confusion(path: Path, name: str, pairs: Sequence[Tuple[str, str]]) -> bool:
    """
    The share of each label's instances that were given each label, the diagonal for right ones. Of many
    labels, the twenty that are in most confusions, the rest as one.

    # Parameters

    path : `Path`
    name : `str`
        The system's.
    pairs : `Sequence[Tuple[str, str]]`
        Gold and predicted labels.

    # Returns

    `bool`
        Whether labels were put together.
    """
    labels, was_cut = confused_labels(pairs)
    index = {label: number for number, label in enumerate(labels)}
    counts = numpy.zeros((len(labels), len(labels)))
    for (gold, predicted), count in collections.Counter(pairs).items():
        counts[index.get(gold, -1), index.get(predicted, -1)] += count
    shares = 100 * counts / numpy.maximum(1, counts.sum(axis=1, keepdims=True))
    side = min(8.0, 2.2 + 0.3 * len(labels))
    with _drawing(path, size=(side + 1.0, side)) as (axis,):
        image = axis.imshow(shares, cmap="Greys", vmin=0, vmax=100)
        axis.figure.colorbar(image, label="share of the row (%)", shrink=0.8)
        ticks = range(len(labels))
        shown = [label.replace("$", r"\$") for label in labels]  # a tag, not Matplotlib's mathematics
        axis.set_xticks(ticks, shown, rotation=90, fontsize=7)
        axis.set_yticks(ticks, shown, fontsize=7)
        if len(labels) <= _MOST_NUMBERS:
            for row, column in itertools.product(ticks, ticks):
                share = shares[row, column]
                color = "white" if share > 55 else "black"
                axis.text(column, row, f"{share:.0f}", ha="center", va="center", color=color, fontsize=7)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("predicted")
        axis.set_ylabel("gold")
    return was_cut


def confused_labels(pairs: Sequence[Tuple[str, str]]) -> Tuple[List[str], bool]:
    """All labels, or those in most confusions and `OTHER`; and which of the two it is."""
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) <= _MOST_LABELS:
        return labels, False
    errors = collections.Counter(label for pair in pairs if pair[0] != pair[1] for label in pair)
    most = sorted(labels, key=lambda label: (-errors[label], label))[:_MOST_LABELS]
    return [*sorted(most), OTHER], True


def groups_by_length(lengths: Sequence[int], most: int = 10, least: int = 30) -> List[numpy.ndarray]:
    """
    The numbers of the sentences in groups of about equal size, from the shortest sentences to the
    longest; sentences of one length stay together.

    # Parameters

    lengths : `Sequence[int]`
    most : `int`, optional (default = `10`)
        Groups.
    least : `int`, optional (default = `30`)
        Sentences in a group, as far as there are as many.
    """
    order = numpy.argsort(lengths, kind="stable")
    number = max(1, min(most, len(order) // least))
    bounds = [math.ceil(len(order) * end / number) for end in range(1, number)]
    ordered = numpy.asarray(lengths)[order]
    # A bound goes back to where its sentence's length begins.
    starts = sorted({int(numpy.searchsorted(ordered, ordered[bound])) for bound in bounds} - {0})
    return numpy.split(order, starts)
