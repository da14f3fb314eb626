"""A report's tables: each gives parts, beginning with what it is a table of."""

import json
from typing import Dict, Iterable, Iterator, List, Sequence

from slstm_allennlp.comparison.document import Cell, Heading, Link, Listing, Paragraph, Part, Table
from slstm_allennlp.comparison.lines import Scale
from slstm_allennlp.comparison.plan import (
    Plan,
    System,
    common_settings,
    is_fitted,
    settings_of,
    varied_keys,
)
from slstm_allennlp.comparison.report.numbers import (
    NONE,
    given,
    in_thousands,
    interval,
    p_value,
    plural,
    scale_of,
    signed,
    spread,
)
from slstm_allennlp.comparison.results import Comparison, Results, RunResult
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ALPHA, ENOUGH_SEEDS

_MEGABYTE = 1024 * 1024
_PEAK_MEMORY_OF = {
    "CPU": "the training process, libraries included",
    "GPU": "PyTorch's tensors on the GPU in the last epoch",
}
_OF_SENTENCES = Scale("", 100)  # a share of the words, sentences or spans, whatever the metric


def results_table(results: Results) -> List[Part]:
    scale = scale_of(results.plan.metric.name)
    columns = [
        "system",
        f"dev {scale.label}",
        f"test {scale.label}",
        "parameters",
        "trained",
        "s / epoch",
        "test s",
        "peak memory (MB)",
        "runs",
    ]
    rows: List[List[Cell]] = []
    for system in results.systems:
        runs = results.runs[system.name]
        is_baseline = system.name == results.plan.baseline
        rows.append(
            [
                f"{system.name} (baseline)" if is_baseline else system.name,
                spread(given([run.validation_score for run in runs]), scale),
                spread([run.test_score for run in runs], scale),
                in_thousands([run.measurements["parameters"] for run in runs]),
                in_thousands([run.measurements["trained_parameters"] for run in runs]),
                spread(given([run.seconds_per_epoch for run in runs])),
                spread([run.measurements["test_seconds"] for run in runs]),
                spread(_megabytes(runs), digits=0),
                [_link(run, str(run.run.seed)) for run in runs],
            ]
        )
    return [Heading("Results"), Table(columns, rows), Paragraph(_how_it_was_measured(results))]


def _megabytes(runs: Sequence[RunResult]) -> List[float]:
    """Peak memory, without runs that were interrupted where it was to be taken."""
    return [size / _MEGABYTE for size in given([run.training["peak_memory_bytes"] for run in runs])]


def _how_it_was_measured(results: Results) -> str:
    training = [run.training for run in results.done]
    threads = sorted({each["threads"] for run in results.done for each in run.conditions})
    kinds = [
        _PEAK_MEMORY_OF[kind]
        for kind in sorted({conditions["peak_memory_of"] for conditions in training})
    ]
    is_chosen = any(run.validation_score is not None for run in results.done)
    chosen = "the epoch that was best on the validation set" if is_chosen else "the last epoch"
    fitted = f", and of {', '.join(results.fitted)} the whole fit" if results.fitted else ""
    where = sorted({f"{one['device']}, PyTorch {one['torch']}" for one in training})
    return (
        f"Means ± standard deviations over the seeds. The test set was given to the model of {chosen}. "
        "Seconds per epoch are each run's median over its epochs, "
        f"validation included{fitted}; test seconds are those of AllenNLP's "
        f"evaluation, reading the corpus left out. Peak memory is that of {' and '.join(kinds)}. "
        f"{'; '.join(where)}; {' or '.join(map(str, threads))} thread(s)."
    )


def differences(results: Results) -> List[Part]:
    """Nothing where there is nothing to compare."""
    comparisons, baseline = results.comparisons, results.plan.baseline
    if not comparisons:
        return []
    columns = [
        f"system − {baseline}",
        f"difference, test {scale_of(results.plan.metric.name).label}",
        "seeds",
        "p (t-test over seeds)",
        "95% over seeds",
        "p (randomisation over sentences)",
        "95% over sentences",
        "in words",
    ]
    rows = [_difference_row(results, comparison) for comparison in comparisons]
    notes = map(Paragraph, _notes_on_differences(results))
    return [Heading(f"Differences to {baseline}"), Table(columns, rows), *notes]


def _difference_row(results: Results, comparison: Comparison) -> List[Cell]:
    seeds, sentences = comparison.over_seeds, comparison.over_sentences
    scale = scale_of(results.plan.metric.name)
    return [
        comparison.system,
        signed(seeds.difference, scale),
        str(seeds.num_seeds),
        p_value(seeds.p_value),
        interval(seeds.interval, scale),
        p_value(sentences.p_value if sentences else None),
        interval(sentences.interval if sentences else None, _OF_SENTENCES),
        comparison.verdict,
    ]


def _notes_on_differences(results: Results) -> Iterator[str]:
    comparisons = results.comparisons
    remarks: Dict[str, List[str]] = {}
    for comparison in comparisons:
        remarks.setdefault(comparison.remark, []).append(comparison.system)
    for remark, systems in remarks.items():
        if remark:
            yield f"{', '.join(systems)}: {remark}."
    over_sentences = given([comparison.over_sentences for comparison in comparisons])
    if over_sentences:
        yield (
            "Over sentences: paired approximate randomisation "
            f"({over_sentences[0].num_resamples} times) and bootstrap percentiles of the "
            f"{results.sentence_score} on {over_sentences[0].num_sentences} test sentences, all seeds "
            "of a sentence together; it asks whether these trained models differ on other sentences, "
            "the t-test whether the systems do with other seeds."
        )
    several = (
        f", the larger one corrected for there being {len(comparisons)} comparisons, as those of the "
        "table are not (Benjamini and Hochberg's false discovery rate)"
        if len(comparisons) > 1
        else ""
    )
    yield (
        f'"better" and "worse" are for p below {ALPHA} in both tests, or the only one{several}, and '
        "differences in one direction; "
        f'"too few seeds to say" is for fewer than {ENOUGH_SEEDS} seeds where they are not; '
        '"too close to call" does not say that two systems are equal, and "the same with every seed" is '
        "said of their scores."
    )
    if results.disagreement:
        yield results.disagreement


def differences_by_length(results: Results) -> List[Part]:
    """Nothing where there is nothing to compare, or sentences cannot be."""
    tests = {one.system: one.over_lengths for one in results.comparisons if one.over_lengths}
    if not tests:
        return []
    baseline, most_words = results.plan.baseline, next(iter(tests.values())).most_words
    number = sum(length <= most_words for length in results.lengths)
    columns = [
        f"system − {baseline}",
        f"up to {plural(most_words, 'word')}",
        "longer",
        "change",
        "p (permutation of lengths)",
    ]
    rows: List[List[Cell]] = [
        [
            system,
            signed(test.shorter, _OF_SENTENCES),
            signed(test.longer, _OF_SENTENCES),
            signed(test.longer - test.shorter, _OF_SENTENCES),
            p_value(test.p_value),
        ]
        for system, test in tests.items()
    ]
    note = (
        f"Of the {results.sentence_score} (%), on the shorter half ({number}) and the longer half "
        f"({len(results.lengths) - number}) of the test sentences; p asks whether the difference is "
        "another one on longer sentences."
    )
    return [Heading(f"Differences to {baseline} by length"), Table(columns, rows), Paragraph(note)]


def varied(results: Results) -> List[Part]:
    """A row for each system or for each key, whichever makes the narrower table."""
    heading = Heading("What differs")
    systems = [system.name for system in results.plan.systems]
    trained = _trained(results.plan)
    of_fitted = [
        Paragraph(_what_is_fitted(system, trained))
        for system in results.plan.systems
        if system not in trained
    ]
    keys = varied_keys(trained)
    if not keys:
        return [heading, *(of_fitted or [Paragraph("Nothing: there is one config.")])]
    settings = [settings_of(system) for system in results.plan.systems]
    columns = [[json.dumps(own[key]) if key in own else NONE for own in settings] for key in keys]
    if len(systems) < len(keys):
        table = Table(["key of the config", *systems], _rows(keys, *zip(*columns)))
    else:
        table = Table(["system", *keys], _rows(systems, *columns))
    note = f"{NONE} stands for a key that is not there: it has its default."
    return [heading, table, Paragraph(note), *of_fitted]


def _trained(plan: Plan) -> List[System]:
    """The systems that are trained by gradients; all, if none is."""
    return [system for system in plan.systems if not is_fitted(system.config)] or plan.systems


def _what_is_fitted(system: System, trained: Sequence[System]) -> str:
    """Of a system that has no encoder and no epochs, what it has of its own."""
    others = [settings_of(other) for other in trained]
    own = [
        f"{key} {json.dumps(value)}"
        for key, value in settings_of(system).items()
        if not any(key in other and other[key] == value for other in others)
    ]
    return f"{system.name} is fitted at once, without encoder and epochs. Its own: {', '.join(own)}."


def _rows(*columns: Iterable[Cell]) -> List[List[Cell]]:
    return [list(row) for row in zip(*columns)]


def common_to_all(results: Results) -> List[Part]:
    trained = _trained(results.plan)
    settings = common_settings(trained)
    fitted = [system.name for system in results.plan.systems if system not in trained]
    which = f"all systems but {', '.join(fitted)}" if fitted else "all systems"
    table = Table(["key of the config", which], _rows(settings, map(json.dumps, settings.values())))
    return [Heading("What is the same"), table]


def runs_table(results: Results) -> List[Part]:
    columns = ["run", "dev", "test", "best epoch", "epochs", "s / epoch", "test s", "MB", "files", ""]
    scale = scale_of(results.plan.metric.name)
    rows: List[List[Cell]] = []
    for run in results.done:
        recoveries = run.folder.recovered_from()
        rows.append(
            [
                [_link(run, run.run.name)],
                spread(given([run.validation_score]), scale),
                spread([run.test_score], scale),
                NONE if run.best_epoch is None else str(run.best_epoch),
                str(len(run.epochs)),
                spread(given([run.seconds_per_epoch])),
                spread([run.measurements["test_seconds"]]),
                spread(_megabytes([run]), digits=0),
                _files(run),
                f"interrupted, went on {plural(len(recoveries), 'time')}" if recoveries else "",
            ]
        )
    parts: List[Part] = [Heading("Runs"), Table(columns, rows)]
    if any(run.folder.recovered_from() for run in results.done):
        parts.append(
            Paragraph(
                "A run that went on after an interruption has drawn other random numbers from there on "
                "than it would have without; epochs that were cut in two are left out of its seconds."
            )
        )
    return parts


def failed_runs(failures: Sequence[Failure]) -> List[Part]:
    """Nothing where none failed."""
    parts: List[Part] = [Heading("Failed runs")] if failures else []
    for failure in failures:
        parts.append(Paragraph(f"{failure.run.name} {failure.reason}. The end of its log:"))
        parts.append(Listing(failure.tail))
        links = [
            Link("the whole log", f"logs/{failure.run.name}.log"),
            Link("its config", f"configs/{failure.run.name}.json"),
        ]
        parts.append(Table(["run", "files"], [[failure.run.name, links]]))
    return parts


def _link(run: RunResult, text: str) -> Link:
    return Link(text, f"runs/{run.run.name}/")


def _files(run: RunResult) -> List[Link]:
    names = ["config.json", "metrics.json", "measurements.json", "predictions.jsonl"]
    links = [Link(name, f"runs/{run.run.name}/{name}") for name in names]
    return [*links, Link("log", f"logs/{run.run.name}.log")]
