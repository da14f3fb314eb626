"""
The verdict and the tables of a report. Each function returns its parts, such as a heading, the table and
notes, or nothing without data.
"""

import json
from typing import Dict, Iterator, List, Sequence

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

_ORDER = ("better", "worse", "too close to call", "the same with every seed", "too few seeds to say")
_MEGABYTE = 1024 * 1024
_PEAK_MEMORY_OF = {
    "CPU": "the training process, libraries included",
    "GPU": "PyTorch's tensors on the GPU in the last epoch",
}
_PERCENT = Scale("", 100)  # scores over sentences are from 0 to 1, whatever the metric


def verdict(results: Results) -> List[Part]:
    """Return the first paragraph: which system is better."""
    if not results.done:
        return []
    scale = scale_of(results.plan.metric.name)
    scores = {
        system.name: spread([run.test_score for run in results.runs[system.name]], scale)
        for system in results.systems
    }
    verdicts = {comparison.system: comparison.verdict for comparison in results.comparisons}
    sentences = [
        f"{name} has a test {scale.label} of {score}."
        for name, score in scores.items()
        if name not in verdicts  # above all the baseline
    ]
    groups = []
    for said in _ORDER:
        systems = [f"{name} ({scores[name]})" for name in verdicts if verdicts[name] == said]
        if systems:
            groups.append(f"{said}: {', '.join(systems)}")
    if groups:
        sentences.append(f"Against {results.plan.baseline}, {'; '.join(groups)}.")
    return [Paragraph(" ".join(sentences), is_verdict=True)]


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
    """Return the peak memory of the runs for which it is known."""
    return [size / _MEGABYTE for size in given([run.training["peak_memory_bytes"] for run in runs])]


def _how_it_was_measured(results: Results) -> str:
    training = [run.training for run in results.done]
    threads = sorted({each["threads"] for run in results.done for each in run.conditions})
    kinds = [_PEAK_MEMORY_OF[kind] for kind in sorted({each["peak_memory_of"] for each in training})]
    is_chosen = any(run.validation_score is not None for run in results.done)
    chosen = "the epoch that was best on the validation set" if is_chosen else "the last epoch"
    fitted = f"; for {', '.join(results.fitted)}, the time of the whole fit" if results.fitted else ""
    where = sorted({f"{one['device']}, PyTorch {one['torch']}" for one in training})
    return (
        "Means ± standard deviations over the seeds. The test set was evaluated with the model of "
        f"{chosen}. Seconds per epoch: each run's median over its epochs, validation included{fitted}. "
        "Test seconds: AllenNLP's evaluation, without reading the corpus. "
        f"Peak memory: {' and '.join(kinds)}. "
        f"{'; '.join(where)}; {' or '.join(map(str, threads))} thread(s)."
    )


def differences(results: Results) -> List[Part]:
    """Return the significance tests, or nothing without comparisons."""
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
        "verdict",
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
        interval(sentences.interval if sentences else None, _PERCENT),
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
            "Over sentences: paired approximate randomisation and a percentile bootstrap, "
            f"{over_sentences[0].num_resamples} resamples each, of the {results.sentence_score} on "
            f"{over_sentences[0].num_sentences} test sentences. All seeds of a sentence are resampled "
            "together. They ask whether these trained models differ on other sentences. The t-test asks "
            "whether the systems differ with other seeds."
        )
    several = (
        f"The larger p is corrected for {len(comparisons)} comparisons (Benjamini–Hochberg false "
        "discovery rate); the table has uncorrected values. "
        if len(comparisons) > 1
        else ""
    )
    yield (
        f'"better" and "worse": p is below {ALPHA} in both tests (or in the only one), with differences '
        f'in the same direction. {several}"too few seeds to say": neither of these, with fewer than '
        f'{ENOUGH_SEEDS} seeds. "too close to call" does not mean that two systems are equal. "the same '
        'with every seed": their scores are equal.'
    )
    if results.disagreement:
        yield results.disagreement


def differences_by_length(results: Results) -> List[Part]:
    """Return the differences on short and long sentences, or nothing without tests over sentences."""
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
    rows = [
        [
            system,
            signed(test.shorter, _PERCENT),
            signed(test.longer, _PERCENT),
            signed(test.longer - test.shorter, _PERCENT),
            p_value(test.p_value),
        ]
        for system, test in tests.items()
    ]
    note = (
        f"Differences of the {results.sentence_score} (%) on the shorter half ({number}) and the longer "
        f"half ({len(results.lengths) - number}) of the test sentences. p tests whether the difference "
        "depends on sentence length."
    )
    return [Heading(f"Differences to {baseline} by length"), Table(columns, rows), Paragraph(note)]


def varied(results: Results) -> List[Part]:
    """Return the keys that differ, with one row per system or per key, whichever table is narrower."""
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
        table = Table(["key of the config", *systems], list(zip(keys, *zip(*columns))))
    else:
        table = Table(["system", *keys], list(zip(systems, *columns)))
    note = f"{NONE}: the config does not have this key, so its default applies."
    return [heading, table, Paragraph(note), *of_fitted]


def _trained(plan: Plan) -> List[System]:
    """Return the systems that are trained by gradient descent, or all systems if there are none."""
    return [system for system in plan.systems if not is_fitted(system.config)] or plan.systems


def _what_is_fitted(system: System, trained: Sequence[System]) -> str:
    """Describe a system without encoder and epochs, by the settings that only this system has."""
    others = [settings_of(other) for other in trained]
    own = [
        f"{key} {json.dumps(value)}"
        for key, value in settings_of(system).items()
        if not any(key in other and other[key] == value for other in others)
    ]
    return (
        f"{system.name} is fitted in one step, without encoder and epochs. Only here: {', '.join(own)}."
    )


def common_to_all(results: Results) -> List[Part]:
    trained = _trained(results.plan)
    settings = common_settings(trained)
    fitted = [system.name for system in results.plan.systems if system not in trained]
    which = f"all systems but {', '.join(fitted)}" if fitted else "all systems"
    table = Table(["key of the config", which], list(zip(settings, map(json.dumps, settings.values()))))
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
                f"interrupted, resumed {plural(len(recoveries), 'time')}" if recoveries else "",
            ]
        )
    parts: List[Part] = [Heading("Runs"), Table(columns, rows)]
    if any(run.folder.recovered_from() for run in results.done):
        parts.append(
            Paragraph(
                "A resumed run continues with the saved random state, except in `distributed` training. "
                "Interrupted epochs are left out of its seconds."
            )
        )
    return parts


def failed_runs(failures: Sequence[Failure]) -> List[Part]:
    """Return the end of each failed run's log, or nothing without failures."""
    parts: List[Part] = [Heading("Failed runs")] if failures else []
    for failure in failures:
        name = failure.run.name
        links = [Link("the whole log", f"logs/{name}.log"), Link("its config", f"configs/{name}.json")]
        parts += [
            Paragraph(f"{name} {failure.reason}. The end of its log:"),
            Listing(failure.tail),
            Table(["run", "files"], [[name, links]]),
        ]
    return parts


def _link(run: RunResult, text: str) -> Link:
    return Link(text, f"runs/{run.run.name}/")


def _files(run: RunResult) -> List[Link]:
    names = ["config.json", "metrics.json", "measurements.json", "predictions.jsonl"]
    links = [Link(name, f"runs/{run.run.name}/{name}") for name in names]
    return [*links, Link("log", f"logs/{run.run.name}.log")]
