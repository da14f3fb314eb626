"""The pictures of a comparison, readable in black and white: systems differ in marker and line, too."""

import collections
import itertools
import math
import textwrap
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Counter, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import numpy

from slstm_allennlp.comparison.lines import Chart, Line, Scale

# Of the lines in a panel: each has its own colour, dashes and marker, and a level has no marker.
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
_MOST_LABELS = 20
_COLUMNS = 4  # of panels, where each line has its own
_LARGE, _SMALL = (5.2, 3.6), (2.6, 1.9)  # panels, in inches
_MOST_NUMBERS = 12  # labels with which the cells are wide enough for numbers
_LONGEST_LABEL = 20  # letters, beyond which a label's middle is left out
_TITLE_WIDTH, _LEGEND_WIDTH = 34, 44  # letters in a line
_OVER = {"color": "black", "marker": "o", "markersize": 3, "linewidth": 1.2}
_BENEATH = {"color": "0.55", "linestyle": "--", "linewidth": 1.2}
OTHER = "(other)"


@contextmanager
def drawing(
    path: Path, size: Tuple[float, float], rows: int = 1, columns: int = 1
) -> Iterator[numpy.ndarray]:
    """Axes of that size in rows and columns; the file's ending chooses its form."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    path.parent.mkdir(parents=True, exist_ok=True)
    # The same input gives the same file.
    with rc_context({"svg.hashsalt": "compare", "font.size": 9}):
        figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
        yield figure.subplots(rows, columns, squeeze=False)
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=150, metadata=metadata)


def chart(path: Path, of: Chart) -> bool:
    """
    Where a panel has more than six lines, each has one of its own for each quantity instead, over the
    baseline's, and the panels of a quantity have the same axes. Returns whether that is so.
    """
    apart = are_apart(max(map(len, of.panels.values())))
    rows = sum(map(_rows, of.panels.values())) if apart else 1
    columns, size = (_COLUMNS, _SMALL) if apart else (len(of.panels), _LARGE)
    names = [of.baseline, *(name for lines in of.panels.values() for name in lines)]
    with _letters_of(names), drawing(path, size, rows, columns) as axes:
        draw = _draw_apart if apart else _draw_together
        draw(axes, of)
        for axis in axes.flat:
            _finish(axis, of)
    return apart


def are_apart(number: int) -> bool:
    """Whether so many lines have panels of their own."""
    return number > len(_STYLES)


def _draw_together(axes: numpy.ndarray, of: Chart) -> None:
    for axis, (scale, systems) in zip(axes.flat, of.panels.items()):
        for (name, line), style in zip(systems.items(), _STYLES):
            label = _in_lines(name, _LEGEND_WIDTH)
            line.draw(axis, scale.factor, {**style, "label": label}, len(systems))
        axis.set_xlabel(of.x)
        axis.set_ylabel(scale.label)
        axis.legend(fontsize=8)


def _draw_apart(axes: numpy.ndarray, of: Chart) -> None:
    """In rows, first all panels of the first quantity."""
    top = 0
    for scale, systems in of.panels.items():
        bottom = top + _rows(systems)
        _draw_block(axes[top:bottom].ravel(), scale, systems, of)
        top = bottom
    handles, names = axes[0, 0].get_legend_handles_labels()
    if names:
        axes[0, 0].figure.legend(handles, names, loc="outside upper left", fontsize=8)


def _draw_block(axes: numpy.ndarray, scale: Scale, systems: Dict[str, Line], of: Chart) -> None:
    """The panels of one quantity."""
    baseline = systems.get(of.baseline)
    for axis, (name, line) in zip(axes, systems.items()):
        axis.sharex(axes[0])
        axis.sharey(axes[0])
        if baseline is not None:
            label = _in_lines(f"in every panel: {of.baseline}", _COLUMNS * _TITLE_WIDTH)
            style = {**_BENEATH, "label": label}
            baseline.outline(axis, scale.factor, style)
        line.draw(axis, scale.factor, _OVER, 1)
        axis.set_title(_in_lines(name, _TITLE_WIDTH), fontsize=9)
    for number, axis in enumerate(axes):
        axis.set_visible(number < len(systems))
        is_lowest = number + _COLUMNS >= len(systems)
        axis.tick_params(labelbottom=is_lowest, labelleft=number % _COLUMNS == 0)
        axis.set_xlabel(of.x if is_lowest else "")
        axis.set_ylabel(scale.label if number % _COLUMNS == 0 else "", fontsize=8)


def _in_lines(name: str, width: int) -> str:
    """Of a variant or of a sweep, a system's name can be longer than its panel is wide."""
    name = name.replace("$", r"\$")  # no mathematics of Matplotlib's
    parts = textwrap.wrap(name.replace(",", ", "), width) if len(name) > width else [name]
    return "\n".join(parts)


def _rows(systems: Dict[str, Line]) -> int:
    return math.ceil(len(systems) / _COLUMNS)


def _finish(axis: Any, of: Chart) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.grid(color="0.88", linewidth=0.6)
    axis.set_axisbelow(True)
    if of.ticks is None:
        axis.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    else:
        axis.set_xticks(of.ticks)
    if of.from_zero:
        axis.set_ylim(bottom=0)


class Confusions(NamedTuple):
    labels: List[str]
    counts: numpy.ndarray  # words or sentences with the label of the row that were given the column's
    was_cut: bool  # whether labels were put together as `OTHER`

    def numbers(self) -> Dict[str, Any]:
        """For programs."""
        return {"x": "predicted", "y": "gold", "labels": self.labels, "counts": self.counts.tolist()}


def confusions(of_systems: Mapping[str, Counter[Tuple[str, str]]]) -> Dict[str, Confusions]:
    """
    Of all labels, or of the twenty with the most confusions, those of all systems counted together; the
    rest is one. For each system, the pairs (gold, predicted) are counted.
    """
    labels, was_cut = confused_labels(sum(of_systems.values(), collections.Counter()))
    index = {label: number for number, label in enumerate(labels)}
    found = {}
    for system, pairs in of_systems.items():
        counts = numpy.zeros((len(labels), len(labels)), dtype=int)
        for (gold, predicted), count in pairs.items():
            counts[index.get(gold, -1), index.get(predicted, -1)] += count
        found[system] = Confusions(labels, counts, was_cut)
    return found


def confusion(path: Path, name: str, found: Confusions) -> None:
    """Of a system, the share of each label's instances that were given each label."""
    counts, labels = found.counts, short_labels(found.labels)
    shares = 100 * counts / numpy.maximum(1, counts.sum(axis=1, keepdims=True))
    has_numbers = len(labels) <= _MOST_NUMBERS
    longest = max(map(len, labels))
    side = min(5.0, 2.2 + 0.3 * len(labels) + 0.05 * longest)  # two in a row of the page, at least
    size = (side if has_numbers else side + 0.7, side)
    with _letters_of([name, *labels]), drawing(path, size) as axes:
        axis = axes[0, 0]
        image = axis.imshow(shares, cmap="Greys", vmin=0, vmax=100)
        ticks = range(len(labels))
        shown = [label.replace("$", r"\$") for label in labels]  # a tag, not Matplotlib's mathematics
        axis.set_xticks(ticks, shown, rotation=90, fontsize=7)
        axis.set_yticks(ticks, shown, fontsize=7)
        if has_numbers:
            for row, column in itertools.product(ticks, ticks):
                share = shares[row, column]
                color = "white" if share > 55 else "black"
                axis.text(column, row, f"{share:.0f}", ha="center", va="bottom", color=color, fontsize=7)
                count = f"{counts[row, column]}"
                axis.text(column, row, count, ha="center", va="top", color=color, fontsize=5.5)
        else:
            axis.figure.colorbar(image, label="share of the row (%)", shrink=0.8)
        axis.set_title(_in_lines(name, _TITLE_WIDTH), fontsize=9)
        axis.set_xlabel("predicted (% of row, count)" if has_numbers else "predicted")
        axis.set_ylabel("gold")


def short_labels(labels: Sequence[str]) -> List[str]:
    """Long ones without their middle; where that makes two of them equal, all with their numbers."""
    head, tail = _LONGEST_LABEL // 2, (_LONGEST_LABEL - 1) // 2
    shown = [
        label if len(label) <= _LONGEST_LABEL else f"{label[:head]}…{label[-tail:]}" for label in labels
    ]
    if len(set(shown)) == len(shown):
        return shown
    return [f"{number}. {label}" for number, label in enumerate(shown, 1)]


@contextmanager
def _letters_of(texts: Sequence[str]) -> Iterator[None]:
    """
    Letters that Matplotlib's font lacks, such as Chinese, stay text, for which a browser has a font; it
    draws all others as shapes, so that they look the same everywhere.
    """
    from matplotlib import font_manager, rc_context

    known = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    has_all = all(ord(letter) in known for text in texts for letter in text)
    with rc_context({} if has_all else {"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def confused_labels(pairs: Counter[Tuple[str, str]]) -> Tuple[List[str], bool]:
    """All labels, or those in most confusions and `OTHER`; and which of the two it is."""
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) <= _MOST_LABELS:
        return labels, False
    errors: Counter[str] = collections.Counter()
    for (gold, predicted), count in pairs.items():
        if gold != predicted:
            errors.update({gold: count, predicted: count})
    most = sorted(labels, key=lambda label: (-errors[label], label))[:_MOST_LABELS]
    return [*sorted(most), OTHER], True


def groups_by_length(lengths: Sequence[int], most: int = 10, least: int = 30) -> List[numpy.ndarray]:
    """
    The numbers of the sentences in groups of about equal size, from the shortest sentences to the
    longest: at most so many groups, with at least so many sentences each, as far as there are as many.
    Sentences of one length stay together.
    """
    order = numpy.argsort(lengths, kind="stable")
    number = max(1, min(most, len(order) // least))
    bounds = [math.ceil(len(order) * end / number) for end in range(1, number)]
    ordered = numpy.asarray(lengths)[order]
    # A bound goes back to where its sentence's length begins.
    starts = sorted({int(numpy.searchsorted(ordered, ordered[bound])) for bound in bounds} - {0})
    return numpy.split(order, starts)
