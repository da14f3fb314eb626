"""
The verdict and the tables of a report. Each function returns its parts, such as a heading, the table and
notes, or nothing without data.
"""

import json
import statistics
from typing import Dict, Iterator, List, Sequence

from slstm_allennlp.common.training_keys import is_fitted
from slstm_allennlp.comparison.document import Heading, Link, Listing, Paragraph, Part, Row, Table
from slstm_allennlp.comparison.plan import System, common_settings, settings_of, varied_keys
from slstm_allennlp.comparison.report import numbers
from slstm_allennlp.comparison.report.numbers import NONE, p_value, plural, signed, spread
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import ALPHA, ENOUGH_SEEDS, TOO_FEW_SEEDS

_PEAK_MEMORY_OF = {
    "CPU": "the training process, libraries included",
    "GPU": "PyTorch's tensors on the GPU in the last epoch",
}
_CORRECTED = (
    "The larger p is corrected for {} comparisons (Benjamini–Hochberg false discovery rate); the table "
    "has uncorrected values. "
)


def verdict(results: Results) -> List[Part]:
    """Return the first paragraph: the scores, the best first, and which differences are significant."""
    if not results.done:
        return []
    scale, scores = numbers.scale_of(results.plan.metric.name), results.test_scores
    means = {system: statistics.mean(of_seeds) for system, of_seeds in scores.items()}
    ranked = sorted(scores, key=means.__getitem__, reverse=results.plan.metric.higher_is_better)
    text = f"Test {scale.label}: " + ", ".join(
        f"{name} {spread(scores[name], scale)}" for name in ranked
    )
    systems: Dict[str, List[str]] = {}
    for comparison in results.comparisons:
        systems.setdefault(comparison.verdict, []).append(comparison.system)
    if [*systems] == [TOO_FEW_SEEDS]:
        fewest = min(comparison.over_seeds.num_seeds for comparison in results.comparisons)
        text += f": too few seeds ({fewest}) to rank them"
    elif systems:
        groups = [f"{said}: {', '.join(names)}" for said, names in systems.items()]
        text += f". Against {results.plan.baseline}, {'; '.join(groups)}"
    return [Paragraph(f"{text}.", is_verdict=True)]


def results_table(results: Results) -> List[Part]:
    scale = numbers.scale_of(results.plan.metric.name)
    rows: List[Row] = []
    for system, scores in results.test_scores.items():
        runs = results.runs[system]
        measured = [run.measurements for run in runs]
        rows.append(
            {
                "system": f"{system} (baseline)" if system == results.plan.baseline else system,
                f"dev {scale.label}": spread([run.validation_score for run in runs], scale),
                f"test {scale.label}": spread(scores, scale),
                "parameters": numbers.in_thousands([each["parameters"] for each in measured]),
                "trained": numbers.in_thousands([each["trained_parameters"] for each in measured]),
                "s / epoch": spread([run.seconds_per_epoch for run in runs]),
                "test s": spread([each["test_seconds"] for each in measured]),
                "peak memory (MB)": spread([run.megabytes for run in runs], digits=0),
                "runs": [Link(str(run.run.seed), f"runs/{run.run.name}/") for run in runs],
            }
        )
    return [Heading("Results"), Table(rows), Paragraph(_how_it_was_measured(results))]


def _how_it_was_measured(results: Results) -> str:
    training = [run.training for run in results.done]
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
        f"{'; '.join(where)}; {' or '.join(map(str, results.conditions('threads')))} thread(s)."
    )


def differences(results: Results) -> List[Part]:
    """Return the significance tests, or nothing without comparisons."""
    baseline, scale = results.plan.baseline, numbers.scale_of(results.plan.metric.name)
    over_sentences = "95% over sentences"
    if results.disagreement:  # in another measure than the differences
        over_sentences += f", {results.sentence_score} (%)"
    rows = []
    for comparison in results.comparisons:
        seeds, sentences = comparison.over_seeds, comparison.over_sentences
        rows.append(
            {
                f"system − {baseline}": comparison.system,
                f"difference, test {scale.label}": signed(seeds.difference, scale),
                "seeds": str(seeds.num_seeds),
                "p (t-test over seeds)": p_value(seeds.p_value),
                "95% over seeds": numbers.interval(seeds.interval, scale),
                "p (randomisation over sentences)": p_value(sentences.p_value) if sentences else NONE,
                over_sentences: numbers.interval(sentences.interval) if sentences else NONE,
                "verdict": comparison.verdict,
            }
        )
    notes = map(Paragraph, _notes_on_differences(results))
    return [Heading(f"Differences to {baseline}"), Table(rows), *notes] if rows else []


def _notes_on_differences(results: Results) -> Iterator[str]:
    comparisons = results.comparisons
    for remark in dict.fromkeys(comparison.remark for comparison in comparisons if comparison.remark):
        systems = [comparison.system for comparison in comparisons if comparison.remark == remark]
        yield f"{', '.join(systems)}: {remark}."
    tests = numbers.given([comparison.over_sentences for comparison in comparisons])
    if tests:
        yield (
            "Over sentences: paired approximate randomisation and a percentile bootstrap, "
            f"{tests[0].num_resamples} resamples each, of the {results.sentence_score} on "
            f"{tests[0].num_sentences} test sentences. All seeds of a sentence are resampled "
            "together. They ask whether these trained models differ on other sentences. The t-test asks "
            "whether the systems differ with other seeds."
        )
    number = len(numbers.given([comparison.corrected_p_value for comparison in comparisons]))
    yield (
        f'"better" and "worse": p is below {ALPHA} in both tests (or in the only one), with differences '
        "in the same direction. "
        + (_CORRECTED.format(number) if number > 1 else "")
        + f'"{TOO_FEW_SEEDS}": neither of these, with fewer than {ENOUGH_SEEDS} seeds. "too close '
        'to call" does not mean that two systems are equal. "the same with every seed": their scores '
        "are equal."
    )
    if results.disagreement:
        yield results.disagreement


def differences_by_length(results: Results) -> List[Part]:
    """Return the differences on short and long sentences, or nothing without tests over sentences."""
    tests = {one.system: one.over_lengths for one in results.comparisons if one.over_lengths}
    if not tests:
        return []
    most_words = next(iter(tests.values())).most_words
    number = sum(length <= most_words for length in results.lengths)
    rows = [
        {
            f"system − {results.plan.baseline}": system,
            f"up to {plural(most_words, 'word')}": signed(test.shorter),
            "longer": signed(test.longer),
            "change": signed(test.longer - test.shorter),
            "p (permutation of lengths)": p_value(test.p_value),
        }
        for system, test in tests.items()
    ]
    note = (
        f"Differences of the {results.sentence_score} (%) on the shorter half ({number}) and the longer "
        f"half ({len(results.lengths) - number}) of the test sentences. p tests whether the difference "
        "depends on sentence length."
    )
    heading = Heading(f"Differences to {results.plan.baseline} by length")
    return [heading, Table(rows), Paragraph(note)]


def settings(results: Results) -> List[Part]:
    """
    Return what differs between the configs, with one row per system or per key, whichever table is
    narrower; and what is the same.
    """
    systems = results.all_systems
    # A fitted system's config has little in common with the others: it is described in a sentence.
    trained = [system for system in systems if not is_fitted(system.config)] or systems
    fitted = [system for system in systems if system not in trained]
    keys, common = varied_keys(trained), common_settings(trained)
    parts: List[Part] = [Heading("What differs")]
    if keys:
        of_systems = {system.name: _cells(system, keys) for system in systems}
        if len(systems) < len(keys):
            of_keys = {key: {name: cells[key] for name, cells in of_systems.items()} for key in keys}
            rows = [{"key of the config": key, **cells} for key, cells in of_keys.items()]
        else:
            rows = [{"system": name, **cells} for name, cells in of_systems.items()]
        note = f"{NONE}: the config does not have this key, so its default applies."
        parts += [Table(rows), Paragraph(note)]
    elif not fitted:
        parts.append(Paragraph("Nothing: there is one config."))
    parts += [Paragraph(_what_is_fitted(system, trained)) for system in fitted]
    names = [system.name for system in fitted]
    which = f"all systems but {', '.join(names)}" if fitted else "all systems"
    rows = [{"key of the config": key, which: json.dumps(value)} for key, value in common.items()]
    return [*parts, Heading("What is the same"), Table(rows)] if rows else parts


def _cells(system: System, keys: Sequence[str]) -> Dict[str, str]:
    own = settings_of(system)
    return {key: json.dumps(own[key]) if key in own else NONE for key in keys}


def _what_is_fitted(system: System, trained: Sequence[System]) -> str:
    """Describe a system without encoder and epochs, by the settings that only this system has."""
    others = [item for other in trained for item in settings_of(other).items()]
    own = [item for item in settings_of(system).items() if item not in others]
    only_here = ", ".join(f"{key} {json.dumps(value)}" for key, value in own)
    return f"{system.name} is fitted in one step, without encoder and epochs. Only here: {only_here}."


def runs_table(results: Results) -> List[Part]:
    scale = numbers.scale_of(results.plan.metric.name)
    rows: List[Row] = []
    for run in results.done:
        name, times = run.run.name, len(run.folder.recovered_from())
        files = ["config.json", "metrics.json", "measurements.json", "predictions.jsonl"]
        links = [Link(file, f"runs/{name}/{file}") for file in files]
        rows.append(
            {
                "run": [Link(name, f"runs/{name}/")],
                "dev": spread([run.validation_score], scale),
                "test": spread([run.test_score], scale),
                "best epoch": NONE if run.best_epoch is None else str(run.best_epoch),
                "epochs": str(len(run.epochs)),
                "s / epoch": spread([run.seconds_per_epoch]),
                "test s": spread([run.measurements["test_seconds"]]),
                "MB": spread([run.megabytes], digits=0),
                "files": [*links, Link("log", f"logs/{name}.log")],
                "": f"interrupted, resumed {plural(times, 'time')}" if times else "",
            }
        )
    note = (
        "A resumed run continues with the saved random state, except in `distributed` training. "
        "Interrupted epochs are left out of its seconds."
    )
    notes = [Paragraph(note)] if any(row[""] for row in rows) else []
    return [Heading("Runs"), Table(rows), *notes]


def failed_runs(failures: Sequence[Failure]) -> List[Part]:
    """Return the end of each failed run's log, or nothing without failures."""
    parts: List[Part] = [Heading("Failed runs")] if failures else []
    for failure in failures:
        name = failure.run.name
        links = [Link("the whole log", f"logs/{name}.log"), Link("its config", f"configs/{name}.json")]
        parts += [
            Paragraph(f"{name} {failure.reason}. The end of its log:"),
            Listing(failure.tail),
            Table([{"run": name, "files": links}]),
        ]
    return parts
