"""Pictures of a comparison. Systems also differ in marker and line style, for black-and-white print."""

import collections
import itertools
import math
import textwrap
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Counter, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import numpy

from slstm_allennlp.common.extras import needs
from slstm_allennlp.comparison.lines import Chart, Line, Scale

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
_MAX_LABELS = 20
_COLUMNS = 4  # of panels, if each line has its own
_LARGE, _SMALL = (5.2, 3.6), (2.6, 1.9)  # panel sizes in inches
_MAX_NUMBERED_LABELS = 12  # with more labels, cells are too narrow for numbers
_MAX_LABEL_LENGTH = 20  # characters; longer labels are abbreviated
_TITLE_WIDTH, _LEGEND_WIDTH = 34, 44  # characters per line
_LINE_STYLE = {"color": "black", "marker": "o", "markersize": 3, "linewidth": 1.2}
_BASELINE_STYLE = {"color": "0.55", "linestyle": "--", "linewidth": 1.2}
OTHER = "(other)"


@contextmanager
def drawing(
    path: Path, size: Tuple[float, float], rows: int = 1, columns: int = 1
) -> Iterator[numpy.ndarray]:
    """Yield axes of `size` (in inches) each, and save them. The file extension selects the format."""
    needs("matplotlib", "compare")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    path.parent.mkdir(parents=True, exist_ok=True)
    # The hash salt makes files reproducible. Dollar signs in a name are no formula.
    with rc_context({"svg.hashsalt": "compare", "font.size": 9, "text.parse_math": False}):
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
    most = max(map(len, of.panels.values()))
    apart = are_apart(most)
    rows = len(of.panels) * math.ceil(most / _COLUMNS) if apart else 1
    columns, size = (_COLUMNS, _SMALL) if apart else (len(of.panels), _LARGE)
    names = [of.baseline, *(name for lines in of.panels.values() for name in lines)]
    with _font_settings(names), drawing(path, size, rows, columns) as axes:
        (_draw_apart if apart else _draw_together)(axes, of)
        for axis in axes.flat:
            _format_axis(axis, of)
    return apart


def are_apart(number: int) -> bool:
    """Return whether this number of lines needs one panel per line."""
    return number > len(_STYLES)


def _draw_together(axes: numpy.ndarray, of: Chart) -> None:
    for axis, (scale, systems) in zip(axes.flat, of.panels.items()):
        for (name, line), style in zip(systems.items(), _STYLES):
            label = _wrapped(name, _LEGEND_WIDTH)
            line.draw(axis, scale.factor, {**style, "label": label}, len(systems))
        axis.set_xlabel(of.x)
        axis.set_ylabel(scale.label)
        axis.legend(fontsize=8)


def _draw_apart(axes: numpy.ndarray, of: Chart) -> None:
    """Draw one panel per line, quantity after quantity."""
    for block, (scale, systems) in zip(numpy.split(axes, len(of.panels)), of.panels.items()):
        _draw_block(block.ravel(), scale, systems, of)
    handles, names = axes[0, 0].get_legend_handles_labels()
    if names:
        axes[0, 0].figure.legend(handles, names, loc="outside upper left", fontsize=8)


def _draw_block(axes: numpy.ndarray, scale: Scale, systems: Dict[str, Line], of: Chart) -> None:
    """Draw the panels of one quantity."""
    baseline = systems.get(of.baseline)
    for axis, (name, line) in zip(axes, systems.items()):
        axis.sharex(axes[0])
        axis.sharey(axes[0])
        if baseline is not None:
            label = _wrapped(f"in every panel: {of.baseline}", _COLUMNS * _TITLE_WIDTH)
            style = {**_BASELINE_STYLE, "label": label}
            baseline.outline(axis, scale.factor, style)
        line.draw(axis, scale.factor, _LINE_STYLE, 1)
        axis.set_title(_wrapped(name, _TITLE_WIDTH), fontsize=9)
    for number, axis in enumerate(axes):
        axis.set_visible(number < len(systems))
        is_lowest = number + _COLUMNS >= len(systems)
        axis.tick_params(labelbottom=is_lowest, labelleft=number % _COLUMNS == 0)
        axis.set_xlabel(of.x if is_lowest else "")
        axis.set_ylabel(scale.label if number % _COLUMNS == 0 else "", fontsize=8)


def _wrapped(name: str, width: int) -> str:
    """Wrap a system's name, which can be wider than its panel."""
    parts = textwrap.wrap(name.replace(",", ", "), width) if len(name) > width else [name]
    return "\n".join(parts)


def _format_axis(axis: Any, of: Chart) -> None:
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
    counts: numpy.ndarray  # words or sentences, by gold label (row) and predicted label (column)
    was_cut: bool  # whether labels were merged into `OTHER`

    def numbers(self) -> Dict[str, Any]:
        """Return the numbers of the matrix, for `report.json`."""
        return {"x": "predicted", "y": "gold", "labels": self.labels, "counts": self.counts.tolist()}


def confusions(of_systems: Mapping[str, Counter[Tuple[str, str]]]) -> Dict[str, Confusions]:
    """
    Compute each system's confusion matrix from its counts of (gold, predicted). With more than twenty
    labels, it has the twenty with the most confusions over all systems, and the others are merged.
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
    """Draw a system's confusion matrix, as percentages of each gold label."""
    counts, labels = found.counts, short_labels(found.labels)
    shares = 100 * counts / numpy.maximum(1, counts.sum(axis=1, keepdims=True))
    has_numbers = len(labels) <= _MAX_NUMBERED_LABELS
    longest = max(map(len, labels))
    side = min(5.0, 2.2 + 0.3 * len(labels) + 0.05 * longest)  # two fit in a row of the page
    size = (side if has_numbers else side + 0.7, side)
    with _font_settings([name, *labels]), drawing(path, size) as axes:
        axis = axes[0, 0]
        image = axis.imshow(shares, cmap="Greys", vmin=0, vmax=100)
        ticks = range(len(labels))
        axis.set_xticks(ticks, labels, rotation=90, fontsize=7)
        axis.set_yticks(ticks, labels, fontsize=7)
        if has_numbers:
            for row, column in itertools.product(ticks, ticks):
                share = shares[row, column]
                color = "white" if share > 55 else "black"
                axis.text(column, row, f"{share:.0f}", ha="center", va="bottom", color=color, fontsize=7)
                count = f"{counts[row, column]}"
                axis.text(column, row, count, ha="center", va="top", color=color, fontsize=5.5)
        else:
            axis.figure.colorbar(image, label="share of the row (%)", shrink=0.8)
        axis.set_title(_wrapped(name, _TITLE_WIDTH), fontsize=9)
        axis.set_xlabel("predicted (% of row, count)" if has_numbers else "predicted")
        axis.set_ylabel("gold")


def short_labels(labels: Sequence[str]) -> List[str]:
    """Abbreviate long labels in the middle. If labels become equal, number all of them."""
    head, tail = _MAX_LABEL_LENGTH // 2, (_MAX_LABEL_LENGTH - 1) // 2
    shown = [
        label if len(label) <= _MAX_LABEL_LENGTH else f"{label[:head]}…{label[-tail:]}"
        for label in labels
    ]
    if len(set(shown)) == len(shown):
        return shown
    return [f"{number}. {label}" for number, label in enumerate(shown, 1)]


@contextmanager
def _font_settings(texts: Sequence[str]) -> Iterator[None]:
    """
    Keep the text of an SVG as text if Matplotlib's font lacks one of its characters, such as Chinese,
    because a browser has a font for it. Otherwise, text is drawn as paths and looks the same everywhere.
    """
    from matplotlib import font_manager, rc_context

    known = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    has_all = all(ord(letter) in known for text in texts for letter in text)
    with rc_context({} if has_all else {"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def confused_labels(pairs: Counter[Tuple[str, str]]) -> Tuple[List[str], bool]:
    """Return all labels, or those with the most confusions and `OTHER`; and whether any were merged."""
    labels = sorted({label for pair in pairs for label in pair})
    if len(labels) <= _MAX_LABELS:
        return labels, False
    errors: Counter[str] = collections.Counter()
    for (gold, predicted), count in pairs.items():
        if gold != predicted:
            errors.update({gold: count, predicted: count})
    most = sorted(labels, key=lambda label: (-errors[label], label))[:_MAX_LABELS]
    return [*sorted(most), OTHER], True


def groups_by_length(lengths: Sequence[int], most: int = 10, least: int = 30) -> List[numpy.ndarray]:
    """
    Divide sentences into groups of about equal size, from the shortest to the longest sentences. There
    are at most `most` groups, of about `least` sentences or more, and sentences of equal length stay
    together. Returns the indices of each group.
    """
    order = numpy.argsort(lengths, kind="stable")
    number = max(1, min(most, len(order) // least))
    bounds = [math.ceil(len(order) * end / number) for end in range(1, number)]
    ordered = numpy.asarray(lengths)[order]
    # Move each bound back to the first sentence of the same length.
    starts = sorted({int(numpy.searchsorted(ordered, ordered[bound])) for bound in bounds} - {0})
    return numpy.split(order, starts)
