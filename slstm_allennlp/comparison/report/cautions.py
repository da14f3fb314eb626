"""What a report says first: why its numbers may not be what they look like."""

from typing import Iterator, List, Sequence

from slstm_allennlp.comparison.document import Paragraph, Part
from slstm_allennlp.comparison.report.numbers import plural
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ENOUGH_SEEDS


def cautions(results: Results, failures: Sequence[Failure]) -> List[Part]:
    said = [*_missing_runs(results, failures)]
    if results.done:
        said += [*_nothing_learnt(results), *_seeds(results), *_conditions(results)]
    return [Paragraph(text, is_warning=True) for text in said]


def _missing_runs(results: Results, failures: Sequence[Failure]) -> Iterator[str]:
    missing = [run.name for run in results.missing]
    if missing:
        failed = {failure.run.name for failure in failures}
        each = ", ".join(f"{name} (failed)" if name in failed else name for name in missing)
        yield f"{plural(len(missing), 'run')} not in this report: {each}."
    if results.without_score:
        names = ", ".join(run.name for run in results.without_score)
        yield f"{names}: {results.plan.metric.name} on the test set is not a number; left out of all."
    if results.other_test:
        yield (
            f"{results.other_test}: unless they only split the words otherwise, differences between "
            "such runs say nothing of the systems."
        )


def _nothing_learnt(results: Results) -> Iterator[str]:
    """Such as an F1 that stays at zero until patience ends the training."""
    metric = results.plan.metric
    names = [
        system.name
        for system in results.systems
        if metric.higher_is_better and all(run.test_score == 0 for run in results.runs[system.name])
    ]
    if names:
        yield (
            f"With every seed {metric.name} is 0 for {', '.join(names)}: nothing can be said of them. "
            "Their training may have been too short or ended too early (by its patience?), or their "
            "labels may not be those that the metric expects."
        )


def _seeds(results: Results) -> Iterator[str]:
    if not results.runs[results.plan.baseline]:
        yield (
            f"No run of the baseline {results.plan.baseline} is done: there is nothing to compare the "
            "others to."
        )
    yield from _seeds_in_common(results)
    own = min(len(results.runs[system.name]) for system in results.systems)
    number = min([own, *(len(comparison.seeds) for comparison in results.comparisons)])
    some = " of some systems" if number == own else " in common with the baseline"
    which = "" if number == len(results.plan.seeds) else some
    if number < 2:
        yield (
            f"One seed{which}: there is no spread, and nothing can be said about the systems beyond "
            f"these trained models. Take {ENOUGH_SEEDS} seeds or more."
        )
    elif number < ENOUGH_SEEDS:
        yield (
            f"{number} seeds{which}: a t-test over so few has little power, so that only large "
            f"differences show, and standard deviations are rough. Take {ENOUGH_SEEDS} seeds or more."
        )


def _seeds_in_common(results: Results) -> Iterator[str]:
    """Where seeds of a system or of the baseline are passed over."""
    baseline = results.plan.baseline
    common = {comparison.system: len(comparison.seeds) for comparison in results.comparisons}
    done = len(results.runs[baseline])
    passed_over = [
        system.name
        for system in results.systems
        if done and system.name != baseline
        if common.get(system.name, 0) < max(done, len(results.runs[system.name]))
    ]
    if passed_over:
        each = ", ".join(f"{name} has {common.get(name, 'none')}" for name in passed_over)
        yield (
            f"A system is compared to {baseline} over the seeds that both have, and not at all if there "
            f"are none: {each}."
        )


def _conditions(results: Results) -> Iterator[str]:
    conditions = [each for run in results.done for each in run.conditions]
    at_a_time = max(each["runs_at_a_time"] for each in conditions)
    if at_a_time > 1:
        yield (
            f"Up to {at_a_time} runs were at work on a device at a time: the seconds are no fair "
            "comparison. Take them with --jobs 1, or a GPU for each job by --devices."
        )
    threads = sorted({each["threads"] for each in conditions})
    if len(threads) > 1:
        yield (
            f"Seconds were taken with different numbers of threads ({', '.join(map(str, threads))}): "
            "they are no fair comparison."
        )
    devices = {each["device"] for each in conditions}
    if len(devices) > 1:
        yield (
            f"The runs were on different devices ({', '.join(sorted(devices))}): seconds and memory "
            "are no comparison."
        )
