"""Pictures of a report, in figures/. Each function returns the picture's part, or none without data."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Tuple

from slstm_allennlp.comparison import figures
from slstm_allennlp.comparison.document import Heading, Paragraph, Part, Picture, Pictures
from slstm_allennlp.comparison.figures import MOST_TOGETHER, OTHER, Chart, Line, Scale
from slstm_allennlp.comparison.report.numbers import given, scale_of
from slstm_allennlp.comparison.results import Results, without_labels
from slstm_allennlp.comparison.sweeps import AXES, find_sweep

_LENGTH = "words in the sentence"

_NO_SPANS = " A group without gold or predicted spans has no point."
_CUT = " The twenty labels with the most confusions over all systems; the others are merged."
_OTHERS = " Horizontal lines are systems without this setting, or with other differences."


def pictures(results: Results, folder: Path) -> List[Part]:
    """Write the pictures into the folder and return their parts."""
    return [
        Heading("Pictures"),
        *_sweep(results, folder),
        *_learning_curves(results, folder),
        *_lengths(results, folder),
        *_times(results, folder),
        *_confusions(results, folder),
    ]


def _charted(folder: Path, name: str, title: str, caption: str, chart: Chart) -> List[Part]:
    path = f"figures/{name}.svg"
    if figures.chart(folder / path, chart):
        has_baseline = any(chart.baseline in lines for lines in chart.panels.values())
        over = f", over {chart.baseline} in grey dashes" if has_baseline else ""
        caption += f" Each line has its own panel, black{over}; panels of the same quantity share axes."
    return [Pictures(title, caption, [Picture(path, title, chart.numbers())])]


def _sweep(results: Results, folder: Path) -> List[Part]:
    sweep = find_sweep(results.systems)
    if sweep is None:
        return []
    metric = results.plan.metric.name
    dev = {name: given([run.validation_score for run in runs]) for name, runs in results.runs.items()}
    panels: Dict[Scale, Dict[str, Line]] = {}
    for part, scores in (("dev", dev), ("test", results.test_scores)):
        if all(scores[system.name] for system in results.systems):  # otherwise no validation set
            lines = panels[scale_of(f"{part} {metric}")] = {
                label: Line([float(x) for x, _ in points], [scores[name] for _, name in points])
                for label, points in sweep.lines.items()
            }
            lines.update({name: Line(None, [scores[name]]) for name in sweep.others})
    ticks = sorted({x for points in sweep.lines.values() for x, _ in points})
    return _charted(
        folder,
        "sweep",
        f"{metric} over {AXES[sweep.key]}",
        "Means over the seeds, with error bars for the standard deviation (as in Figures 2 and 3 of the "
        "S-LSTM paper)." + (_OTHERS if sweep.others else ""),
        Chart(panels, AXES[sweep.key], sweep.line_of(results.plan.baseline), ticks=ticks),
    )


def _learning_curves(results: Results, folder: Path) -> List[Part]:
    metric, fitted = results.plan.metric.name, results.fitted
    scales = {f"validation_{metric}": scale_of(f"dev {metric}"), "training_loss": Scale("training loss")}
    panels: Dict[Scale, Dict[str, Line]] = {}
    for key, scale in scales.items():
        curves = {
            name: [[epoch.get(key) for epoch in run.epochs] for run in results.runs[name]]
            for name in results.test_scores
        }
        if all(given(curve) for of_system in curves.values() for curve in of_system):
            panels[scale] = {
                name: Line(None, [list(itertools.chain(*of_system))])
                if name in fitted
                else Line.over_epochs(of_system)
                for name, of_system in curves.items()
            }
    if not panels or len(fitted) == len(results.systems):
        return []
    levels = f" Horizontal, because they have no epochs: {', '.join(fitted)}." if fitted else ""
    return _charted(
        folder,
        "learning_curves",
        "Learning curves",
        "Means over the seeds after each epoch. For up to four systems in a panel, the range of the "
        "seeds is shaded. A line ends where the first of its runs stopped early." + levels,
        Chart(panels, "epoch", results.plan.baseline),
    )


def _lengths(results: Results, folder: Path) -> List[Part]:
    if results.unpaired:
        return [Paragraph(f"No accuracy over sentence length: {results.unpaired}.")]
    lengths = results.lengths
    # Fewer groups in small panels, so that their error bars do not touch.
    groups = figures.groups_by_length(lengths, 5 if len(results.systems) > MOST_TOGETHER else 10)
    if len(groups) < 2:
        return []
    lines: Dict[str, Line] = {}
    for system in results.systems:
        counts = results.counts(results.runs[system.name])
        # The groups go from short to long, so that the middle sentence has the median length.
        points = {
            float(lengths[group[len(group) // 2]]): counts.of(group).known_scores() for group in groups
        }
        known = {middle: scores for middle, scores in points.items() if scores}
        lines[system.name] = Line(list(known), list(known.values()))
    return _charted(
        folder,
        "length",
        f"Test {results.sentence_score} over sentence length",
        f"The {len(lengths)} test sentences in {len(groups)} groups of about equal size by length, each "
        "at its median length. Means over the seeds, with error bars for the standard deviation (as in "
        "Figure 4 of the S-LSTM paper)." + (_NO_SPANS if results.sentence_score == "span F1" else ""),
        Chart({Scale(f"{results.sentence_score} (%)", 100): lines}, _LENGTH, results.plan.baseline),
    )


def _times(results: Results, folder: Path) -> List[Part]:
    lines: Dict[str, Line] = {}
    for system in results.systems:
        of_runs = given([run.time_over_length for run in results.runs[system.name]])
        if of_runs and system.name not in results.fitted:
            lines[system.name] = Line(
                [group["length"] for group in of_runs[0]],
                [[group["seconds_per_sentence"] for group in groups] for groups in zip(*of_runs)],
            )
    if not lines:
        return []
    left_out = f" Without {', '.join(results.fitted)}: no training steps." if results.fitted else ""
    panels = {Scale("ms per training sentence", 1000): lines}
    return _charted(
        folder,
        "time_over_length",
        "Training time over sentence length",
        "Forward and backward pass in batches of the config's size, without the optimizer step and "
        "without reading data. Measured after training, on up to five batches of each tenth of the "
        "training sentences by length, each at its median length. Means over the seeds, with error bars "
        "for the standard deviation (Figure 5 of the S-LSTM paper has the time of an epoch)." + left_out,
        Chart(panels, _LENGTH, results.plan.baseline, from_zero=True),
    )


def _confusions(results: Results, folder: Path) -> List[Part]:
    if reason := without_labels(results.done):
        return [Paragraph(f"No confusion matrices: {reason}.")]
    pairs: Dict[str, Counter[Tuple[str, str]]] = {name: Counter() for name in results.test_scores}
    for run in results.done:
        for prediction in run.predictions:
            both: Any = (prediction.gold, prediction.predicted)
            pairs[run.run.system].update(zip(*both) if isinstance(both[0], list) else [both])
    drawn = []
    confusions = figures.confusions(pairs)
    for name, found in confusions.items():
        path = f"figures/confusion_{name}.svg"
        figures.confusion(folder / path, name, found)
        drawn.append(Picture(path, f"Confusion matrix of {name}", found.numbers()))
    caption = (
        "Each row is the test set's words or sentences with one gold label, over all seeds, by their "
        f"predicted label.{_CUT if OTHER in found.labels else ''}"  # all have the same labels
    )
    return [Pictures("Confusion matrices", caption, drawn)]
