"""The sentence with which a report begins: which system is better."""

from typing import Dict, List

from slstm_allennlp.comparison.document import Paragraph, Part
from slstm_allennlp.comparison.report.numbers import plural, scale_of, spread
from slstm_allennlp.comparison.results import Comparison, Results

_MOST_APART = 3  # systems with a sentence each
_SAID = {
    "better": "{system} is better than {baseline}",
    "worse": "{system} is worse than {baseline}",
    "too few seeds to say": "Whether {system} or {baseline} is better, {seeds} cannot say",
    "too close to call": "{system} and {baseline} are too close to call",
    "the same with every seed": "{system} and {baseline} score the same with every seed",
}


def verdict(results: Results) -> List[Part]:
    """Nothing where no run is done."""
    if not results.done:
        return []
    comparisons = results.comparisons
    if not comparisons:
        sentences = [_score(results, system.name) + "." for system in results.systems]
    elif len(comparisons) <= _MOST_APART:
        sentences = [_sentence(results, comparison) for comparison in comparisons]
    else:
        sentences = [_together(results, comparisons)]
    return [Paragraph(" ".join(sentences), is_verdict=True)]


def _sentence(results: Results, comparison: Comparison) -> str:
    baseline = results.plan.baseline
    said = _SAID[comparison.verdict].format(
        system=comparison.system, baseline=baseline, seeds=plural(len(comparison.seeds), "seed")
    )
    return f"{said}: {_score(results, comparison.system)}; {_score(results, baseline)}."


def _together(results: Results, comparisons: List[Comparison]) -> str:
    systems: Dict[str, List[str]] = {}
    for comparison in comparisons:
        systems.setdefault(comparison.verdict, []).append(comparison.system)
    parts = [f"{said}: {', '.join(systems[said])}" for said in _SAID if said in systems]
    return f"Against {results.plan.baseline}, {'; '.join(parts)}."


def _score(results: Results, system: str) -> str:
    scale = scale_of(results.plan.metric.name)
    score = spread([run.test_score for run in results.runs[system]], scale)
    return f"{system} has a test {scale.label} of {score}"
