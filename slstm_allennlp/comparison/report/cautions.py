"""Warnings at the beginning of a report."""

from typing import Iterator, List, Sequence

from slstm_allennlp.comparison.document import Paragraph
from slstm_allennlp.comparison.report.numbers import plural
from slstm_allennlp.comparison.results import Results, other_test
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ENOUGH_SEEDS

_ONE_SEED = "there is no standard deviation, and conclusions are limited to these trained models"
_FEW_SEEDS = (
    "a t-test over so few has little power, so that only large differences are significant, and "
    "standard deviations are imprecise"
)


def cautions(results: Results, failures: Sequence[Failure]) -> List[Paragraph]:
    warnings = [*_of_scores(results, failures)]
    if results.done:
        warnings += [*_of_seeds(results), *_of_conditions(results)]
    return [Paragraph(text, is_warning=True) for text in warnings]


def _of_scores(results: Results, failures: Sequence[Failure]) -> Iterator[str]:
    failed = [failure.run.name for failure in failures]
    missing = [f"{run.name} (failed)" if run.name in failed else run.name for run in results.missing]
    metric = results.plan.metric
    if missing:
        yield f"{plural(len(missing), 'run')} not in this report: {', '.join(missing)}."
    if results.without_score:
        names = ", ".join(run.name for run in results.without_score)
        yield f"{names}: left out, because the test {metric.name} is not there, or not a finite number."
    if results.outdated:
        names = ", ".join(run.name for run in results.outdated)
        yield f"{names}: left out, because the config or the data have changed since."
    if reason := other_test(results.done):
        yield (
            f"{reason}: unless only the tokenization differs, differences between such runs are not "
            "differences between systems."
        )
    # Such as an F1 that is zero until `patience` stops the training.
    zero = [system for system, scores in results.test_scores.items() if not any(scores)]
    if zero and metric.higher_is_better:
        yield (
            f"With every seed, {metric.name} is 0 for {', '.join(zero)}: no conclusions are possible. "
            "Training may have been too short, or stopped too early (by `patience`?), or the labels may "
            "not be those that the metric expects."
        )


def _of_seeds(results: Results) -> Iterator[str]:
    baseline = results.plan.baseline
    done = {system: len(scores) for system, scores in results.test_scores.items()}
    common = {comparison.system: len(comparison.seeds) for comparison in results.comparisons}
    if baseline not in done:
        yield f"No run of the baseline {baseline} is done, so there are no comparisons."
    else:
        incomplete = [
            f"{system} has {common.get(system, 'none')}"
            for system, number in done.items()
            if system != baseline and common.get(system, 0) < max(number, done[baseline])
        ]
        if incomplete:
            yield (
                f"A system is compared to {baseline} only over the seeds that both have: "
                f"{', '.join(incomplete)}."
            )
    fewest = min([*done.values(), *common.values()])
    which = ""
    if fewest < max(len(results.plan.seeds), *done.values()):
        which = " of some systems" if fewest in done.values() else " in common with the baseline"
    if fewest < ENOUGH_SEEDS:
        what = "One seed" if fewest < 2 else f"{fewest} seeds"
        why = _ONE_SEED if fewest < 2 else _FEW_SEEDS
        yield f"{what}{which}: {why}. Use {ENOUGH_SEEDS} seeds or more."


def _of_conditions(results: Results) -> Iterator[str]:
    *_, at_a_time = results.conditions("runs_at_a_time")
    threads, devices = results.conditions("threads"), results.conditions("device")
    if at_a_time > 1:
        yield (
            f"Up to {at_a_time} runs shared a device: their times are not comparable. To compare times, "
            "use --jobs 1, or --devices with one GPU per job."
        )
    if len(threads) > 1:
        yield (
            f"Times were measured with different numbers of threads ({', '.join(map(str, threads))}): "
            "they are not comparable."
        )
    if len(devices) > 1:
        yield (
            f"The runs used different devices ({', '.join(devices)}): times and memory are not "
            "comparable."
        )
