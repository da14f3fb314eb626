"""Warnings at the beginning of a report."""

from typing import Iterator, List, Sequence

from slstm_allennlp.comparison.document import Paragraph, Part
from slstm_allennlp.comparison.report.numbers import plural
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ENOUGH_SEEDS


def cautions(results: Results, failures: Sequence[Failure]) -> List[Part]:
    warnings = [*_missing_runs(results, failures)]
    if results.done:
        warnings += [*_nothing_learnt(results), *_seeds(results), *_conditions(results)]
    return [Paragraph(text, is_warning=True) for text in warnings]


def _missing_runs(results: Results, failures: Sequence[Failure]) -> Iterator[str]:
    missing = [run.name for run in results.missing]
    if missing:
        failed = {failure.run.name for failure in failures}
        each = ", ".join(f"{name} (failed)" if name in failed else name for name in missing)
        yield f"{plural(len(missing), 'run')} not in this report: {each}."
    if results.without_score:
        names = ", ".join(run.name for run in results.without_score)
        yield f"{names}: left out, because the test {results.plan.metric.name} is not a finite number."
    if results.other_test:
        yield (
            f"{results.other_test}: unless only the tokenization differs, differences between such runs "
            "are not differences between systems."
        )


def _nothing_learnt(results: Results) -> Iterator[str]:
    """Warn of scores of zero, such as an F1 that is zero until `patience` stops the training."""
    metric = results.plan.metric
    names = [
        system.name
        for system in results.systems
        if metric.higher_is_better and all(run.test_score == 0 for run in results.runs[system.name])
    ]
    if names:
        yield (
            f"With every seed, {metric.name} is 0 for {', '.join(names)}: no conclusions are possible. "
            "Training may have been too short, or stopped too early (by `patience`?), or the labels may "
            "not be those that the metric expects."
        )


def _seeds(results: Results) -> Iterator[str]:
    if not results.runs[results.plan.baseline]:
        yield f"No run of the baseline {results.plan.baseline} is done, so there are no comparisons."
    yield from _seeds_in_common(results)
    own = min(len(results.runs[system.name]) for system in results.systems)
    number = min([own, *(len(comparison.seeds) for comparison in results.comparisons)])
    some = " of some systems" if number == own else " in common with the baseline"
    which = "" if number == len(results.plan.seeds) else some
    if number < 2:
        yield (
            f"One seed{which}: there is no standard deviation, and conclusions are limited to these "
            f"trained models. Use {ENOUGH_SEEDS} seeds or more."
        )
    elif number < ENOUGH_SEEDS:
        yield (
            f"{number} seeds{which}: a t-test over so few has little power, so that only large "
            "differences are significant, and standard deviations are imprecise. "
            f"Use {ENOUGH_SEEDS} seeds or more."
        )


def _seeds_in_common(results: Results) -> Iterator[str]:
    """Warn of seeds that are ignored because only the system or only the baseline has them."""
    baseline = results.plan.baseline
    common = {comparison.system: len(comparison.seeds) for comparison in results.comparisons}
    done = len(results.runs[baseline])
    incomplete = [
        system.name
        for system in results.systems
        if done and system.name != baseline
        if common.get(system.name, 0) < max(done, len(results.runs[system.name]))
    ]
    if incomplete:
        each = ", ".join(f"{name} has {common.get(name, 'none')}" for name in incomplete)
        yield f"A system is compared to {baseline} only over the seeds that both have: {each}."


def _conditions(results: Results) -> Iterator[str]:
    conditions = [each for run in results.done for each in run.conditions]
    at_a_time = max(each["runs_at_a_time"] for each in conditions)
    if at_a_time > 1:
        yield (
            f"Up to {at_a_time} runs shared a device: their times are not comparable. To compare times, "
            "use --jobs 1, or --devices with one GPU per job."
        )
    threads = sorted({each["threads"] for each in conditions})
    if len(threads) > 1:
        yield (
            f"Times were measured with different numbers of threads ({', '.join(map(str, threads))}): "
            "they are not comparable."
        )
    devices = {each["device"] for each in conditions}
    if len(devices) > 1:
        yield (
            f"The runs used different devices ({', '.join(sorted(devices))}): times and memory are not "
            "comparable."
        )
