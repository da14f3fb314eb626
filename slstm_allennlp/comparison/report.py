"""The report of a comparison: report.md, report.html and report.json, with its pictures in figures/."""

import dataclasses
import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from slstm_allennlp.comparison import document, figures
from slstm_allennlp.comparison.counts import Counts
from slstm_allennlp.comparison.document import (
    Cell,
    Heading,
    Link,
    Listing,
    Paragraph,
    Part,
    Picture,
    Table,
)
from slstm_allennlp.comparison.figures import Points, Scale
from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.comparison.plan import varied_settings
from slstm_allennlp.comparison.results import Comparison, Results, RunResult
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ENOUGH_SEEDS, Spread
from slstm_allennlp.comparison.sweeps import AXES, find_sweep

_SHARES = ("accuracy", "f1", "precision", "recall", "bleu")  # metrics from 0 to 1, shown in per cent
_NONE = "–"
_MEGABYTE = 1024 * 1024
_PLAIN = Scale("")


def write_report(results: Results, failures: Sequence[Failure] = ()) -> Path:
    """
    # Parameters

    results : `Results`
        With one run or more.
    failures : `Sequence[Failure]`, optional (default = `()`)

    # Returns

    `Path`
        Of the Markdown file.
    """
    folder = results.folder.path
    reporter = _Reporter(results, failures)
    metric = results.plan.metric.name
    document.write(
        folder, f"{_plural(len(results.plan.systems), 'system')} by {metric}", reporter.parts()
    )
    write_json(folder / "report.json", reporter.as_dict())
    return folder / "report.md"


def summary(results: Results) -> List[str]:
    """A line for each system, for the screen."""
    reporter = _Reporter(results, ())
    verdicts = {comparison.system: comparison.verdict for comparison in results.comparisons}
    lines = []
    for system in results.systems:
        runs = results.runs[system.name]
        score = reporter.spread([run.test_score for run in runs])
        said = verdicts.get(system.name)
        against = f" ({said}, against {results.plan.baseline})" if said else ""
        lines.append(
            f"{system.name}: test {reporter.scale.label} {score}, {_plural(len(runs), 'seed')}{against}"
        )
    return lines


class _Reporter:
    def __init__(self, results: Results, failures: Sequence[Failure]) -> None:
        self._results = results
        self._failures = failures
        self._plan = results.plan
        self._folder = results.folder
        self.scale = _scale(results.plan.metric.name)
        self._runs: List[RunResult] = [run for runs in results.runs.values() for run in runs]

    def parts(self) -> List[Part]:
        return [
            *self._what_is_missing(),
            Heading("Results"),
            *self._results_table(),
            *self._differences(),
            Heading("What differs"),
            *self._settings(),
            Heading("Pictures"),
            *self._pictures(),
            Heading("Runs"),
            *self._runs_table(),
            *self._failed(),
        ]

    def as_dict(self) -> Dict[str, Any]:
        """All numbers, for programs."""
        results = self._results
        return {
            "metric": self._plan.metric._asdict(),
            "baseline": self._plan.baseline,
            "seeds": self._plan.seeds,
            "systems": {
                system.name: {
                    "test": _spread_dict([run.test_score for run in results.runs[system.name]]),
                    "validation": _spread_dict(
                        _given([run.validation_score for run in results.runs[system.name]])
                    ),
                    "runs": [self._run_dict(run) for run in results.runs[system.name]],
                }
                for system in self._plan.systems
            },
            "sentence_score": None if results.without_labels else results.sentence_score,
            "comparisons": [dataclasses.asdict(comparison) for comparison in results.comparisons],
            "missing": [run.name for run in results.missing],
            "failed": {failure.run.name: failure.reason for failure in self._failures},
        }

    def spread(self, values: Sequence[float]) -> str:
        """Mean ± standard deviation, in the metric's unit."""
        return _spread(values, self.scale)

    # What the report says first, and its tables.

    def _what_is_missing(self) -> List[Part]:
        parts: List[Part] = []
        missing = [run.name for run in self._results.missing]
        if missing:
            failed = {failure.run.name for failure in self._failures}
            each = ", ".join(f"{name} (failed)" if name in failed else name for name in missing)
            parts.append(
                Paragraph(f"{_plural(len(missing), 'run')} not in this report: {each}.", is_warning=True)
            )
        if self._results.other_test:
            parts.append(
                Paragraph(
                    f"{self._results.other_test}: unless they only split the words otherwise, "
                    "differences between such runs say nothing of the systems.",
                    is_warning=True,
                )
            )
        number = len(self._plan.seeds)
        if number < 2:
            parts.append(
                Paragraph(
                    "One seed: there is no spread, and nothing can be said about the systems beyond "
                    f"these trained models. Take {ENOUGH_SEEDS} seeds or more.",
                    is_warning=True,
                )
            )
        elif number < ENOUGH_SEEDS:
            parts.append(
                Paragraph(
                    f"{number} seeds: a t-test over so few has little power, so that only large "
                    f"differences show, and standard deviations are rough. Take {ENOUGH_SEEDS} seeds "
                    "or more.",
                    is_warning=True,
                )
            )
        at_a_time = max(run.training["runs_at_a_time"] for run in self._runs)
        if at_a_time > 1:
            parts.append(
                Paragraph(
                    f"Up to {at_a_time} runs were at work at a time: the seconds are no fair "
                    "comparison. Take them with --jobs 1, or a device for each job.",
                    is_warning=True,
                )
            )
        devices = {run.training["device"] for run in self._runs}
        if len(devices) > 1:
            parts.append(
                Paragraph(
                    f"The runs were on different devices ({', '.join(sorted(devices))}): seconds and "
                    "memory are no comparison.",
                    is_warning=True,
                )
            )
        return parts

    def _results_table(self) -> List[Part]:
        columns = [
            "system",
            f"dev {self.scale.label}",
            f"test {self.scale.label}",
            "parameters",
            "trained",
            "s / epoch",
            "test s",
            "peak memory (MB)",
            "runs",
        ]
        rows: List[List[Cell]] = []
        for system in self._results.systems:
            runs = self._results.runs[system.name]
            name = f"{system.name} (baseline)" if system.name == self._plan.baseline else system.name
            rows.append(
                [
                    name,
                    self.spread(_given([run.validation_score for run in runs])),
                    self.spread([run.test_score for run in runs]),
                    _common([run.measurements["parameters"] for run in runs]),
                    _common([run.measurements["trained_parameters"] for run in runs]),
                    _spread(_given([run.seconds_per_epoch for run in runs])),
                    _spread([run.measurements["test_seconds"] for run in runs]),
                    _spread([run.training["peak_memory_bytes"] / _MEGABYTE for run in runs], digits=0),
                    [self._link(run, str(run.run.seed)) for run in runs],
                ]
            )
        threads = sorted({run.training["threads"] for run in self._runs})
        kinds = sorted({run.training["peak_memory_of"] for run in self._runs})
        where = sorted(
            {f"{run.training['device']}, PyTorch {run.training['torch']}" for run in self._runs}
        )
        note = (
            "Means ± standard deviations over the seeds. The test set was given to the model of the "
            "epoch that was best on the validation set. Seconds per epoch are each run's median over "
            "its epochs, validation included; test seconds are those of AllenNLP's evaluation, "
            "reading the corpus left out. Peak memory is that of the whole training process "
            f"({' and '.join(kinds)}), libraries included on a CPU. {'; '.join(where)}; "
            f"{' or '.join(map(str, threads))} thread(s)."
        )
        return [Table(columns, rows), Paragraph(note)]

    def _differences(self) -> List[Part]:
        comparisons = self._results.comparisons
        if not comparisons:
            return []
        columns = [
            f"system − {self._plan.baseline}",
            f"difference, test {self.scale.label}",
            "seeds",
            "p (t-test over seeds)",
            "95% over seeds",
            "p (randomisation over sentences)",
            "95% over sentences",
            "in words",
        ]
        rows: List[List[Cell]] = [self._difference_row(comparison) for comparison in comparisons]
        parts: List[Part] = [Heading(f"Differences to {self._plan.baseline}"), Table(columns, rows)]
        remarks: Dict[str, List[str]] = {}
        for comparison in comparisons:
            remarks.setdefault(comparison.remark, []).append(comparison.system)
        notes = [f"{', '.join(systems)}: {remark}." for remark, systems in remarks.items() if remark]
        sentences = next(
            (one.over_sentences for one in comparisons if one.over_sentences is not None), None
        )
        if sentences is not None:
            notes.append(
                f"Over sentences: paired approximate randomisation ({sentences.num_resamples} times) "
                f"and bootstrap percentiles of the {self._results.sentence_score} on "
                f"{sentences.num_sentences} test sentences, all seeds of a sentence together; it asks "
                "whether these trained models differ on other sentences, the t-test whether the "
                "systems do with other seeds."
            )
        notes.append(
            '"better" and "worse" are for p below 0.05 in both tests (or in the t-test, where there '
            "is no other)."
        )
        if len(comparisons) > 1:
            notes.append(
                f"The p values are not corrected for there being {len(comparisons)} comparisons "
                f"(Bonferroni: below {0.05 / len(comparisons):.2g})."
            )
        disagreement = self._results.disagreement
        if disagreement:
            notes.append(disagreement)
        return [*parts, *map(Paragraph, notes)]

    def _difference_row(self, comparison: Comparison) -> List[Cell]:
        seeds, sentences = comparison.over_seeds, comparison.over_sentences
        return [
            comparison.system,
            _signed(seeds.difference, self.scale),
            str(seeds.num_seeds),
            _p_value(seeds.p_value),
            _interval(seeds.interval, self.scale),
            _p_value(sentences.p_value if sentences else None),
            _interval(sentences.interval if sentences else None, self._sentence_scale),
            comparison.verdict,
        ]

    @property
    def _sentence_scale(self) -> Scale:
        return Scale(f"{self._results.sentence_score} (%)", 100)

    def _settings(self) -> List[Part]:
        varied = varied_settings(self._plan.systems)
        if not varied:
            return [Paragraph("Nothing: there is one config.")]
        columns = ["key of the config", *(system.name for system in self._plan.systems)]
        rows: List[List[Cell]] = [
            [key, *(_NONE if value is None else json.dumps(value) for value in values)]
            for key, values in varied.items()
        ]
        return [Table(columns, rows), Paragraph("All other keys are the same.")]

    def _runs_table(self) -> List[Part]:
        columns = [
            "run",
            "dev",
            "test",
            "best epoch",
            "epochs",
            "s / epoch",
            "test s",
            "MB",
            "files",
            "",
        ]
        rows: List[List[Cell]] = []
        for run in self._runs:
            folder = f"runs/{run.run.name}"
            files = ["config.json", "metrics.json", "measurements.json", "predictions.jsonl"]
            links = [Link(name, f"{folder}/{name}") for name in files]
            recoveries = run.folder.recovered_from()
            rows.append(
                [
                    [self._link(run, run.run.name)],
                    self.spread(_given([run.validation_score])),
                    self.spread([run.test_score]),
                    str(run.best_epoch),
                    str(len(run.epochs)),
                    _spread(_given([run.seconds_per_epoch])),
                    _spread([run.measurements["test_seconds"]]),
                    f"{run.training['peak_memory_bytes'] / _MEGABYTE:.0f}",
                    [*links, Link("log", f"logs/{run.run.name}.log")],
                    f"interrupted, went on {_plural(len(recoveries), 'time')}" if recoveries else "",
                ]
            )
        parts: List[Part] = [Table(columns, rows)]
        if any(run.folder.recovered_from() for run in self._runs):
            parts.append(
                Paragraph(
                    "A run that went on after an interruption has drawn other random numbers from "
                    "there on than it would have without; epochs that were cut in two are left out of "
                    "its seconds."
                )
            )
        return parts

    def _failed(self) -> List[Part]:
        parts: List[Part] = [Heading("Failed runs")] if self._failures else []
        for failure in self._failures:
            parts.append(Paragraph(f"{failure.run.name} {failure.reason}. The end of its log:"))
            parts.append(Listing(failure.tail))
            links: Cell = [Link("the whole log", f"logs/{failure.run.name}.log")]
            links = [*links, Link("its config", f"configs/{failure.run.name}.json")]
            parts.append(Table(["run", "files"], [[failure.run.name, links]]))
        return parts

    # The pictures.

    def _pictures(self) -> List[Part]:
        return [*self._sweep(), *self._curves(), *self._lengths(), *self._times(), *self._confusions()]

    def _picture(self, name: str, title: str, caption: str) -> Tuple[Path, Picture]:
        path = f"figures/{name}.svg"
        return self._folder.path / path, Picture(path, title, caption)

    def _sweep(self) -> List[Part]:
        sweep = find_sweep(self._results.systems)
        if sweep is None:
            return []
        panels: Dict[Scale, Dict[str, Points]] = {}
        levels: Dict[Scale, Dict[str, List[float]]] = {}
        for part in ("dev", "test"):
            values = {
                name: _given([run.validation_score if part == "dev" else run.test_score for run in runs])
                for name, runs in self._results.runs.items()
            }
            if not all(values[system.name] for system in self._results.systems):
                continue  # no validation set
            scale = Scale(f"{part} {self.scale.label}", self.scale.factor)
            panels[scale] = {
                label: Points([float(x) for x, _ in points], [values[name] for _, name in points])
                for label, points in sweep.lines.items()
            }
            levels[scale] = {name: values[name] for name in sweep.others}
        path, picture = self._picture(
            "sweep",
            f"{self._plan.metric.name} over {AXES[sweep.key]}",
            "Means over the seeds, bars for their standard deviation (as Figures 2 and 3 of the "
            "S-LSTM paper)."
            + (
                " Lines right across are systems without such a setting, or with others."
                if sweep.others
                else ""
            ),
        )
        figures.lines(path, panels, AXES[sweep.key], levels)
        return [picture]

    def _curves(self) -> List[Part]:
        metric = self._plan.metric.name
        panels: Dict[Scale, Dict[str, List[List[float]]]] = {}
        for key, scale in (
            (f"validation_{metric}", Scale(f"dev {self.scale.label}", self.scale.factor)),
            ("training_loss", Scale("training loss")),
        ):
            curves = {
                system.name: [
                    _given([epoch.get(key) for epoch in run.epochs])
                    for run in self._results.runs[system.name]
                ]
                for system in self._results.systems
            }
            if all(curve for of_system in curves.values() for curve in of_system):
                panels[scale] = curves
        if not panels:
            return []
        path, picture = self._picture(
            "learning_curves",
            "Learning curves",
            "Means over the seeds after each epoch, for up to four systems the shade from the least "
            "to the most; where a run stopped early, the mean is that of the others.",
        )
        figures.learning_curves(path, panels)
        return [picture]

    def _lengths(self) -> List[Part]:
        if self._results.without_labels:
            return [
                Paragraph(
                    "No accuracy over sentence length and no confusions: "
                    f"{self._results.without_labels}."
                )
            ]
        lengths = [prediction.length for prediction in self._runs[0].predictions]
        groups = figures.groups_by_length(lengths)
        if len(groups) < 2:
            return []
        middles = [
            float(sorted(lengths[number] for number in group)[len(group) // 2]) for group in groups
        ]
        lines = {}
        for system in self._results.systems:
            counts: Counts = self._results.counts(system.name)
            lines[system.name] = Points(middles, [list(counts.of(group).scores()) for group in groups])
        path, picture = self._picture(
            "length",
            f"Test {self._results.sentence_score} over sentence length",
            f"The {len(lengths)} test sentences in {len(groups)} groups of about equal size by their "
            "length, each at its median; means over the seeds, bars for their standard deviation (as "
            "Figure 4 of the S-LSTM paper).",
        )
        figures.lines(path, {self._sentence_scale: lines}, "words in the sentence")
        return [picture]

    def _times(self) -> List[Part]:
        times = {
            system.name: _given([run.time_over_length for run in self._results.runs[system.name]])
            for system in self._results.systems
        }
        lines = {}
        for name, of_runs in times.items():
            if of_runs:
                xs = [group["length"] for group in of_runs[0]]
                lines[name] = Points(
                    xs, [[g["seconds_per_sentence"] for g in groups] for groups in zip(*of_runs)]
                )
        if not lines:
            return []
        path, picture = self._picture(
            "time_over_length",
            "Training time over sentence length",
            "Forward and backward pass in batches of the config's size, without the optimizer's step "
            "and without reading, taken after training on up to five batches of each tenth of the "
            "training sentences by length, each at its median length; means over the seeds, bars for "
            "their standard deviation (the S-LSTM paper's Figure 5 has the time of an epoch).",
        )
        scale = Scale("ms per training sentence", 1000)
        figures.lines(path, {scale: lines}, "words in the sentence", from_zero=True)
        return [picture]

    def _confusions(self) -> List[Part]:
        if self._results.without_labels:
            return []
        parts: List[Part] = []
        for system in self._results.systems:
            pairs = [
                pair
                for run in self._results.runs[system.name]
                for prediction in run.predictions
                for pair in _label_pairs(prediction.gold, prediction.predicted)
            ]
            path, picture = self._picture(
                f"confusion_{system.name}",
                f"Confusions of {system.name}",
                "Each row is the test set's words or sentences of one label, over all seeds, and how "
                "they were labelled.",
            )
            if figures.confusion(path, system.name, pairs):
                more = " The twenty labels with the most confusions; the others are put together."
                picture = dataclasses.replace(picture, caption=picture.caption + more)
            parts.append(picture)
        return parts

    # Small pieces.

    def _link(self, run: RunResult, text: str) -> Link:
        return Link(text, f"runs/{run.run.name}/")

    def _run_dict(self, run: RunResult) -> Dict[str, Any]:
        return {
            "seed": run.run.seed,
            "folder": f"runs/{run.run.name}",
            "test": run.test_score,
            "validation": run.validation_score,
            "best_epoch": run.best_epoch,
            "epochs": len(run.epochs),
            "seconds_per_epoch": run.seconds_per_epoch,
            "recovered": len(run.folder.recovered_from()),
            **run.measurements,
            **run.training,
        }


def _label_pairs(gold: Any, predicted: Any) -> List[Tuple[str, str]]:
    return list(zip(gold, predicted)) if isinstance(gold, list) else [(gold, predicted)]


def _scale(metric: str) -> Scale:
    is_share = any(name in metric.lower() for name in _SHARES)
    return Scale(f"{metric} (%)", 100) if is_share else Scale(metric)


def _given(values: Sequence[Optional[Any]]) -> List[Any]:
    return [value for value in values if value is not None]


def _spread(values: Sequence[float], scale: Scale = _PLAIN, digits: Optional[int] = None) -> str:
    if not values:
        return _NONE
    spread = Spread.of([scale.factor * value for value in values])
    if digits is None:
        digits = 2 if scale.factor == 100 else _digits(spread.mean)
    std = "" if spread.std is None else f" ± {spread.std:.{digits}f}"
    return f"{spread.mean:.{digits}f}{std}"


def _digits(value: float) -> int:
    return 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3


def _spread_dict(values: Sequence[float]) -> Optional[Dict[str, Any]]:
    return dataclasses.asdict(Spread.of(values)) if values else None


def _common(values: Sequence[int]) -> str:
    """Runs of a system may differ in their vocabulary, if that is made from a random part."""
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _signed(value: float, scale: Scale) -> str:
    digits = 2 if scale.factor == 100 else 4
    return f"{scale.factor * value:+.{digits}f}"


def _interval(interval: Optional[Tuple[float, float]], scale: Scale) -> str:
    return _NONE if interval is None else " to ".join(_signed(bound, scale) for bound in interval)


def _p_value(value: Optional[float]) -> str:
    return _NONE if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
