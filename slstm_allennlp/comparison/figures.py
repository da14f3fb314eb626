"""The pictures of a comparison, readable in black and white: systems differ in marker and line, too."""

import collections
import itertools
import math
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy

from slstm_allennlp.comparison.lines import Line, Scale

_COLORS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#a0527f", "#7a7a7a")
_LINES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_MOST_LABELS = 20
_MOST_TOGETHER = 6  # lines in a panel, which are as many colours
_COLUMNS = 4  # of panels, where each line has its own
_LARGE, _SMALL = (5.2, 3.6), (2.6, 1.9)  # panels, in inches
_MOST_NUMBERS = 12  # labels with which the cells are wide enough for numbers
_OVER = {"color": "black", "marker": "o", "markersize": 3, "linewidth": 1.2}
_BENEATH = {"color": "0.55", "linestyle": "--", "linewidth": 1.2}
OTHER = "(other)"


@contextmanager
def _drawing(
    path: Path, size: Tuple[float, float], rows: int = 1, columns: int = 1
) -> Iterator[numpy.ndarray]:
    """Axes of that size in rows and columns; the file's ending chooses its form."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    # The same input gives the same file.
    with pyplot.rc_context({"svg.hashsalt": "compare", "font.size": 9}):
        figure, axes = pyplot.subplots(
            rows,
            columns,
            figsize=(size[0] * columns, size[1] * rows),
            squeeze=False,
            constrained_layout=True,
        )
        yield axes
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


def lines(
    path: Path,
    panels: Dict[Scale, Dict[str, Line]],
    x: str,
    baseline: str,
    ticks: Optional[Sequence[int]] = None,
    from_zero: bool = False,
) -> bool:
    """
    A panel for each quantity, with its lines. Where these are more than six, each has a panel of its own
    for each quantity, over the baseline's, and the panels of a quantity have the same axes.

    # Parameters

    path : `Path`
    panels : `Dict[Scale, Dict[str, Line]]`
    x : `str`
        What the lines go over, with its unit.
    baseline : `str`
        Which of the lines is beneath the others; if there is none of this name, nothing is.
    ticks : `Sequence[int]`, optional (default = `None`)
        Those of the x axis; whole numbers that fit if it is None.
    from_zero : `bool`, optional (default = `False`)
        Whether the quantities' axes begin there.

    # Returns

    `bool`
        Whether each line has a panel of its own.
    """
    apart = are_apart(max(map(len, panels.values())))
    rows = sum(map(_rows, panels.values())) if apart else 1
    columns, size = (_COLUMNS, _SMALL) if apart else (len(panels), _LARGE)
    with _drawing(path, size, rows, columns) as axes:
        if apart:
            _draw_apart(axes, panels, x, baseline)
        else:
            _draw_together(axes, panels, x)
        for axis in axes.flat:
            _finish(axis, ticks, from_zero)
    return apart


def are_apart(number: int) -> bool:
    """Whether so many lines have panels of their own."""
    return number > _MOST_TOGETHER


def _draw_together(axes: numpy.ndarray, panels: Dict[Scale, Dict[str, Line]], x: str) -> None:
    for axis, (scale, systems) in zip(axes.flat, panels.items()):
        for (name, line), style in zip(systems.items(), _styles()):
            line.draw(axis, scale.factor, {**style, "label": name}, len(systems))
        axis.set_xlabel(x)
        axis.set_ylabel(scale.label)
        axis.legend(fontsize=8)


def _draw_apart(
    axes: numpy.ndarray, panels: Dict[Scale, Dict[str, Line]], x: str, baseline: str
) -> None:
    """In rows, first all panels of the first quantity."""
    top = 0
    for scale, systems in panels.items():
        bottom = top + _rows(systems)
        _draw_block(axes[top:bottom].ravel(), scale, systems, x, baseline)
        top = bottom
    handles, names = axes[0, 0].get_legend_handles_labels()
    if names:
        axes[0, 0].figure.legend(handles, names, loc="outside upper left", fontsize=8)


def _draw_block(
    axes: numpy.ndarray, scale: Scale, systems: Dict[str, Line], x: str, baseline: str
) -> None:
    """The panels of one quantity."""
    for axis, (name, line) in zip(axes, systems.items()):
        axis.sharex(axes[0])
        axis.sharey(axes[0])
        if baseline in systems:
            systems[baseline].outline(
                axis, scale.factor, {**_BENEATH, "label": f"in every panel: {baseline}"}
            )
        line.draw(axis, scale.factor, _OVER, 1)
        axis.set_title(name, fontsize=9)
    for number, axis in enumerate(axes):
        axis.set_visible(number < len(systems))
        is_lowest = number + _COLUMNS >= len(systems)
        axis.tick_params(labelbottom=is_lowest, labelleft=number % _COLUMNS == 0)
        axis.set_xlabel(x if is_lowest else "")
        axis.set_ylabel(scale.label if number % _COLUMNS == 0 else "")


def _rows(systems: Dict[str, Line]) -> int:
    return math.ceil(len(systems) / _COLUMNS)


def _finish(axis: Any, ticks: Optional[Sequence[int]], from_zero: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.grid(color="0.88", linewidth=0.6)
    axis.set_axisbelow(True)
    if ticks is None:
        axis.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    else:
        axis.set_xticks(ticks)
    if from_zero:
        axis.set_ylim(bottom=0)


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
    with _drawing(path, (side + 1.0, side)) as axes:
        axis = axes[0, 0]
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
