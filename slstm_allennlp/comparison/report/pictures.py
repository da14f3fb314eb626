"""A report's pictures, in figures/ beside it: each gives its part, or nothing with nothing to show."""

import dataclasses
from typing import Any, Dict, List, Optional, Sequence, Tuple

from slstm_allennlp.comparison import figures
from slstm_allennlp.comparison.document import Heading, Paragraph, Part, Picture
from slstm_allennlp.comparison.lines import Curves, Level, Line, Points, Scale
from slstm_allennlp.comparison.report.numbers import given, scale_of
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.sweeps import AXES, find_sweep

_LENGTH = "words in the sentence"


def pictures(results: Results) -> List[Part]:
    return [
        Heading("Pictures"),
        *_sweep(results),
        *_learning_curves(results),
        *_lengths(results),
        *_times(results),
        *_confusions(results),
    ]


def _of_lines(
    results: Results,
    picture: Picture,
    panels: Dict[Scale, Dict[str, Line]],
    x: str,
    baseline: Optional[str] = None,
    ticks: Optional[Sequence[int]] = None,
    from_zero: bool = False,
) -> Picture:
    """The picture, drawn; the baseline is that of the plan unless another line has it."""
    name = results.plan.baseline if baseline is None else baseline
    path = results.folder.path / picture.path
    if not figures.lines(path, panels, x, name, ticks, from_zero):
        return picture
    beneath = any(name in lines for lines in panels.values())
    over = f", over {name} in grey dashes" if beneath else ""
    more = f" Each has a panel, black{over}; the panels of a quantity have the same axes."
    return dataclasses.replace(picture, caption=picture.caption + more)


def _sweep(results: Results) -> List[Part]:
    sweep = find_sweep(results.systems)
    if sweep is None:
        return []
    metric = results.plan.metric.name
    panels: Dict[Scale, Dict[str, Line]] = {}
    for part in ("dev", "test"):
        values = {
            name: given([run.validation_score if part == "dev" else run.test_score for run in runs])
            for name, runs in results.runs.items()
        }
        if not all(values[system.name] for system in results.systems):
            continue  # no validation set
        lines: Dict[str, Line] = {
            label: Points([float(x) for x, _ in points], [values[name] for _, name in points])
            for label, points in sweep.lines.items()
        }
        panels[_named(part, metric)] = {**lines, **{name: Level(values[name]) for name in sweep.others}}
    others = " Lines right across are systems without such a setting, or with others."
    picture = Picture(
        "figures/sweep.svg",
        f"{metric} over {AXES[sweep.key]}",
        "Means over the seeds, bars for their standard deviation (as Figures 2 and 3 of the S-LSTM "
        "paper)." + (others if sweep.others else ""),
    )
    ticks = sorted({x for points in sweep.lines.values() for x, _ in points})
    baseline = sweep.line_of(results.plan.baseline)
    return [_of_lines(results, picture, panels, AXES[sweep.key], baseline=baseline, ticks=ticks)]


def _learning_curves(results: Results) -> List[Part]:
    metric = results.plan.metric.name
    panels: Dict[Scale, Dict[str, Line]] = {}
    for key, scale in (
        (f"validation_{metric}", _named("dev", metric)),
        ("training_loss", Scale("training loss")),
    ):
        curves = {
            system.name: [
                given([epoch.get(key) for epoch in run.epochs]) for run in results.runs[system.name]
            ]
            for system in results.systems
        }
        if all(curve for of_system in curves.values() for curve in of_system):
            panels[scale] = {name: Curves(of_system) for name, of_system in curves.items()}
    if not panels:
        return []
    picture = Picture(
        "figures/learning_curves.svg",
        "Learning curves",
        "Means over the seeds after each epoch, for up to four systems in a panel the shade from the "
        "least to the most; a line ends where the first of its runs stopped early.",
    )
    return [_of_lines(results, picture, panels, "epoch")]


def _lengths(results: Results) -> List[Part]:
    if results.unpaired:
        return [Paragraph(f"No accuracy over sentence length: {results.unpaired}.")]
    lengths = results.lengths
    # In the small panels the bars of more groups would touch.
    groups = figures.groups_by_length(lengths, 5 if figures.are_apart(len(results.systems)) else 10)
    if len(groups) < 2:
        return []
    middles = [float(sorted(lengths[number] for number in group)[len(group) // 2]) for group in groups]
    lines: Dict[str, Line] = {}
    for system in results.systems:
        counts = results.counts(system.name)
        lines[system.name] = Points(middles, [list(counts.of(group).scores()) for group in groups])
    picture = Picture(
        "figures/length.svg",
        f"Test {results.sentence_score} over sentence length",
        f"The {len(lengths)} test sentences in {len(groups)} groups of about equal size by their "
        "length, each at its median; means over the seeds, bars for their standard deviation (as "
        "Figure 4 of the S-LSTM paper).",
    )
    scale = Scale(f"{results.sentence_score} (%)", 100)
    return [_of_lines(results, picture, {scale: lines}, _LENGTH)]


def _times(results: Results) -> List[Part]:
    lines: Dict[str, Line] = {}
    for system in results.systems:
        of_runs = given([run.time_over_length for run in results.runs[system.name]])
        if of_runs:
            lines[system.name] = Points(
                [group["length"] for group in of_runs[0]],
                [[group["seconds_per_sentence"] for group in groups] for groups in zip(*of_runs)],
            )
    if not lines:
        return []
    picture = Picture(
        "figures/time_over_length.svg",
        "Training time over sentence length",
        "Forward and backward pass in batches of the config's size, without the optimizer's step and "
        "without reading, taken after training on up to five batches of each tenth of the training "
        "sentences by length, each at its median length; means over the seeds, bars for their standard "
        "deviation (the S-LSTM paper's Figure 5 has the time of an epoch).",
    )
    scale = Scale("ms per training sentence", 1000)
    return [_of_lines(results, picture, {scale: lines}, _LENGTH, from_zero=True)]


def _confusions(results: Results) -> List[Part]:
    if results.without_labels:
        return [Paragraph(f"No confusions: {results.without_labels}.")]
    parts: List[Part] = []
    for system in results.systems:
        pairs = [
            pair
            for run in results.runs[system.name]
            for prediction in run.predictions
            for pair in _label_pairs(prediction.gold, prediction.predicted)
        ]
        picture = Picture(
            f"figures/confusion_{system.name}.svg",
            f"Confusions of {system.name}",
            "Each row is the test set's words or sentences of one label, over all seeds, and how they "
            "were labelled.",
        )
        if figures.confusion(results.folder.path / picture.path, system.name, pairs):
            more = " The twenty labels with the most confusions; the others are put together."
            picture = dataclasses.replace(picture, caption=picture.caption + more)
        parts.append(picture)
    return parts


def _label_pairs(gold: Any, predicted: Any) -> List[Tuple[str, str]]:
    return list(zip(gold, predicted)) if isinstance(gold, list) else [(gold, predicted)]


def _named(part: str, metric: str) -> Scale:
    scale = scale_of(metric)
    return Scale(f"{part} {scale.label}", scale.factor)
