"""Results of the finished runs of a comparison."""

import math
import statistics
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, List, Optional, Sequence

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.training_keys import is_fitted
from slstm_allennlp.comparison import significance
from slstm_allennlp.comparison.folders import Checkpoint, ComparisonFolder, RunFolder, damaged, read_json
from slstm_allennlp.comparison.plan import Metric, Plan, Run, System
from slstm_allennlp.predictors.predictions import Labels, Prediction, read_predictions

_SPAN_F1 = "f1-measure-overall"  # of AllenNLP's SpanBasedF1Measure
_TOLERANCE = 1e-4
_TEST = "test_data_path"
OTHER_DATA = "tested on other data"
"""The verdict on a system whose test set has other sentences or labels than that of the baseline."""


class RunResult:
    """
    The results of a finished run; `ConfigurationError` if the test metrics lack the metric (but for a
    run of an earlier comparison), or if a file is missing or incomplete.
    """

    def __init__(self, run: Run, folder: RunFolder, metric: Metric, is_earlier: bool = False) -> None:
        self.run = run
        self.folder = folder
        self.epochs: List[Dict[str, Any]] = folder.epochs()
        self.measurements: Dict[str, Any] = read_json(folder.measurements)
        self.training: Dict[str, Any] = read_json(folder.training)
        timed = read_json(folder.time_over_length) if folder.time_over_length.exists() else {}
        test_metrics = self.measurements["test_metrics"]
        if metric.name not in test_metrics and not is_earlier:
            raise ConfigurationError(
                f"{folder.measurements}: the metric {metric.name} is not there, expected by --metric "
                f"one of {', '.join(test_metrics)}"
            )
        self.test_score = float(test_metrics.get(metric.name, math.nan))
        last_epoch = self.epochs[-1] if self.epochs else {}  # a trainer may have none, such as `no_op`
        self.validation_score: Optional[float] = last_epoch.get(f"best_validation_{metric.name}")
        best: Optional[int] = last_epoch.get("best_epoch")
        self.best_epoch = None if best is None else best + 1  # AllenNLP counts from 0
        # The groups of `TrainedRun.time_over_length`, if they were measured.
        self.time_over_length: Optional[List[Dict[str, float]]] = timed.get("groups")
        # The conditions of its timings, which may differ between training and later steps.
        later = [part["conditions"] for part in (self.measurements, timed) if "conditions" in part]
        self.conditions: List[Dict[str, Any]] = [self.training, *later]

    @property
    def seconds_per_epoch(self) -> Optional[float]:
        durations = [epoch["training_duration"] for epoch in self.epochs]
        seconds = epoch_seconds(durations, self.folder.recovered_from())
        return statistics.median(seconds) if seconds else None

    @property
    def megabytes(self) -> Optional[float]:
        """The peak memory, or None if it is not known."""
        size = self.training["peak_memory_bytes"]
        return None if size is None else size / 1024**2

    @cached_property
    def predictions(self) -> List[Prediction]:
        try:
            return read_predictions(self.folder.predictions)
        except (OSError, TypeError, ValueError) as error:
            raise damaged(self.folder.predictions, error) from None

    @cached_property
    def gold(self) -> List[Optional[Labels]]:
        return [prediction.gold for prediction in self.predictions]


def epoch_seconds(durations: Sequence[str], recovered_from: Sequence[Checkpoint]) -> List[float]:
    """
    Return the seconds of each epoch, validation included, without epochs that were interrupted, from
    AllenNLP's `training_duration` after each epoch. It restarts from zero when training resumes.
    """
    restarts = {checkpoint.epochs for checkpoint in recovered_from} | {0}
    interrupted = {checkpoint.epochs for checkpoint in recovered_from if checkpoint.batches}
    totals = [_seconds(duration) for duration in durations]
    return [
        total if number in restarts else total - totals[number - 1]
        for number, total in enumerate(totals)
        if number not in interrupted
    ]


def _seconds(duration: str) -> float:
    days, _, clock = duration.rpartition(", ")  # "1 day, 2:03:04.5"
    hours, minutes, seconds = map(float, clock.split(":"))
    return ((int(days.partition(" ")[0] or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


@dataclass
class Comparison:  # with the baseline on the test set
    system: str
    seeds: List[int]  # common to both
    over_seeds: significance.SeedTest
    over_sentences: Optional[significance.SentenceTest] = None  # if not possible, as `remark` says
    over_lengths: Optional[significance.LengthTest] = None  # also if all sentences have one length
    corrected_p_value: Optional[float] = None  # of both tests, for multiple comparisons
    remark: str = ""
    verdict: str = ""


class Results:
    """
    Results of a comparison's finished runs, and of the others that earlier comparisons in the folder
    have, with `num_resamples` in the tests over sentences. `without_score` has the runs whose score is
    not there or not finite, and `outdated` those of earlier comparisons with a config or data that have
    changed since, or that differ from each other; they are left out.
    """

    def __init__(self, plan: Plan, folder: ComparisonFolder, *, num_resamples: int = 9999) -> None:
        self.plan = plan
        self.folder = folder
        self.num_resamples = num_resamples
        planned = plan.runs()
        earlier = folder.earlier_runs(planned)
        fresh = [run for run in earlier if not folder.is_outdated(run, planned)]
        fresh = [run for run in fresh if not folder.is_outdated(run, fresh)]
        self.outdated = [run for run in earlier if run not in fresh]
        systems = {system.name: system for system in plan.systems}
        for run in fresh:
            systems.setdefault(run.system, System(run.system, run.config))
        self.all_systems = list(systems.values())
        self.runs: Dict[str, List[RunResult]] = {system.name: [] for system in self.all_systems}
        self.without_score: List[Run] = []
        for run in [*planned, *fresh]:
            if folder.run(run).is_done():
                result = RunResult(run, folder.run(run), plan.metric, run in fresh)
                if math.isfinite(result.test_score):
                    self.runs[run.system].append(result)
                else:
                    self.without_score.append(run)

    @property
    def done(self) -> List[RunResult]:
        return [run for runs in self.runs.values() for run in runs]

    @property
    def missing(self) -> List[Run]:
        return [run for run in self.plan.runs() if not self.folder.run(run).is_done()]

    @property
    def systems(self) -> List[System]:
        """The systems with a result."""
        return [system for system in self.all_systems if self.runs[system.name]]

    @property
    def test_scores(self) -> Dict[str, List[float]]:
        """The score with each seed, for the systems with a result."""
        return {name: [run.test_score for run in runs] for name, runs in self.runs.items() if runs}

    def conditions(self, key: str) -> List[Any]:
        """Return the different values of a condition of the timings, such as `threads`, in order."""
        return sorted({each[key] for run in self.done for each in run.conditions})

    @property
    def fitted(self) -> List[str]:
        """The systems with a result whose model is fitted in one step, without epochs."""
        return [system.name for system in self.systems if is_fitted(system.config)]

    @cached_property
    def unpaired(self) -> Optional[str]:
        """The reason why the runs' predictions cannot be paired by sentence, or None if they can."""
        return unpaired(self.done)

    def encoding_of(self, run: Run) -> Optional[str]:
        """Return the tag encoding of a run, if the metric is span F1."""
        is_span_f1 = self.plan.metric.name == _SPAN_F1
        return run.config["model"].get("label_encoding") if is_span_f1 else None

    @property
    def sentence_score(self) -> str:
        """The name of the score of the tests over sentences."""
        first = next(iter(self.runs[self.plan.baseline]), self.done[0])
        if self.encoding_of(first.run):
            return "span F1"
        is_tagged = isinstance(first.predictions[0].gold, list)
        return "accuracy of the tags" if is_tagged else "accuracy"

    @cached_property
    def lengths(self) -> List[int]:
        """The number of words in each test sentence, by the baseline's tokenization."""
        first = next(iter(self.runs[self.plan.baseline]), self.done[0])
        return [prediction.length for prediction in first.predictions]

    def counts(self, runs: Sequence[RunResult]) -> significance.Counts:
        """Count a system's predictions on the test sentences, with each seed."""
        predictions = [run.predictions for run in runs]
        return significance.counts_of(predictions, self.encoding_of(runs[0].run))

    @cached_property
    def disagreement(self) -> Optional[str]:
        """A note if the score of the counts differs from the metric, or None."""
        for run in self.done:
            (score,) = [math.nan] if without_labels([run]) else self.counts([run]).scores()
            if abs(run.test_score - score) > _TOLERANCE:
                return (
                    f"The {self.sentence_score} that is counted sentence by sentence is {score:.4f} for "
                    f"{run.run.name}, but {self.plan.metric.name} is {run.test_score:.4f}. These are "
                    "different measures, and the tests over sentences use the former."
                )
        return None

    @cached_property
    def comparisons(self) -> List[Comparison]:
        """The comparisons of the systems that have seeds in common with the baseline."""
        of_baseline = {run.run.seed: run for run in self.runs[self.plan.baseline]}
        tested = []
        for system, runs in self.runs.items():
            common = [run for run in runs if run.run.seed in of_baseline]
            if common and system != self.plan.baseline:
                tested.append(self._test(common, [of_baseline[run.run.seed] for run in common]))
        p_values = [significance.p_value_of_both(one.over_seeds, one.over_sentences) for one in tested]
        for one, p in zip(tested, significance.corrected(p_values)):
            one.corrected_p_value = p
            if not one.verdict:
                one.verdict = significance.verdict(
                    one.over_seeds, one.over_sentences, p, self.plan.metric.higher_is_better
                )
        return tested

    def _test(self, runs: List[RunResult], of_baseline: List[RunResult]) -> Comparison:
        """Test runs against the baseline's with the same seeds, without correction."""
        scores = ([run.test_score for run in each] for each in (runs, of_baseline))
        over_seeds = significance.paired_t_test(*scores)
        compared = Comparison(runs[0].run.system, [run.run.seed for run in runs], over_seeds)
        if not all(map(_have_the_same_test, runs, of_baseline)):
            compared.over_seeds = significance.SeedTest(over_seeds.difference, over_seeds.num_seeds)
            compared.verdict = compared.remark = OTHER_DATA
            return compared
        remarks = [over_seeds.remark] if over_seeds.remark else []
        if reason := unpaired([*of_baseline, *runs]):
            remarks.append(f"no test over sentences: {reason}")
        else:
            both, number = (self.counts(runs), self.counts(of_baseline)), self.num_resamples
            compared.over_sentences = significance.sentence_test(*both, num_resamples=number)
            compared.over_lengths = significance.length_test(*both, self.lengths, num_resamples=number)
        compared.remark = "; ".join(remarks)
        return compared


def without_labels(runs: Sequence[RunResult]) -> Optional[str]:
    """Return the reason why predictions cannot be compared with gold labels, or None if they can."""
    for result in runs:
        if not result.predictions or None in result.gold:
            return f"{result.run.system} gives no labels that can be compared"
    return None if runs else "no run is done"


def other_test(runs: Sequence[RunResult]) -> Optional[str]:
    """Return a sentence on a run whose gold labels differ from those of the first run, or None."""
    for run in runs[1:]:
        if run.gold != runs[0].gold:
            first = runs[0].run.name
            return f"{run.run.name} was tested on other sentences or labels than {first}"
    return None


def unpaired(runs: Sequence[RunResult]) -> Optional[str]:
    """Return the reason why the runs' predictions cannot be paired by sentence, or None if they can."""
    if reason := without_labels(runs) or other_test(runs):
        return reason
    return "there is one test sentence" if len(runs[0].predictions) == 1 else None


def _have_the_same_test(run: RunResult, other: RunResult) -> bool:
    """Return whether two runs have the same test sentences and labels, as far as both have labels."""
    both = run.predictions, other.predictions
    is_one_path = run.run.config[_TEST] == other.run.config[_TEST]
    return len(both[0]) == len(both[1]) and all(_is_the_same(a, b, is_one_path) for a, b in zip(*both))


def _is_the_same(a: Prediction, b: Prediction, is_one_path: bool) -> bool:
    if a.gold == b.gold and is_one_path:
        return True
    # Other tags may be those of other words, or in another encoding.
    may_be = a.gold == b.gold or not (isinstance(a.gold, str) and isinstance(b.gold, str))
    texts = ("".join(" ".join(each.texts.values()).split()).casefold() for each in (a, b))
    return may_be and len(set(texts)) == 1
