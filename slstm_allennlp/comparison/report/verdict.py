"""First paragraph of a report: which system is better."""

from typing import Dict, List

from slstm_allennlp.comparison.document import Paragraph, Part
from slstm_allennlp.comparison.report.numbers import plural, scale_of, spread
from slstm_allennlp.comparison.results import Comparison, Results

_MAX_SENTENCES = 3  # with more systems, one sentence summarises them
_TEXTS = {
    "better": "{system} is better than {baseline}",
    "worse": "{system} is worse than {baseline}",
    "too few seeds to say": "Too few seeds ({seeds}) to say whether {system} or {baseline} is better",
    "too close to call": "{system} and {baseline} are too close to call",
    "the same with every seed": "{system} and {baseline} score the same with every seed",
}


def verdict(results: Results) -> List[Part]:
    """Return the paragraph, or nothing if no run is done."""
    if not results.done:
        return []
    comparisons = results.comparisons
    if not comparisons:
        sentences = [_score(results, system.name) + "." for system in results.systems]
    elif len(comparisons) <= _MAX_SENTENCES:
        sentences = [_sentence(results, comparison) for comparison in comparisons]
    else:
        sentences = [_summary(results, comparisons)]
    return [Paragraph(" ".join(sentences), is_verdict=True)]


def _sentence(results: Results, comparison: Comparison) -> str:
    baseline = results.plan.baseline
    said = _TEXTS[comparison.verdict].format(
        system=comparison.system, baseline=baseline, seeds=plural(len(comparison.seeds), "seed")
    )
    return f"{said}: {_score(results, comparison.system)}; {_score(results, baseline)}."


def _summary(results: Results, comparisons: List[Comparison]) -> str:
    systems: Dict[str, List[str]] = {}
    for comparison in comparisons:
        systems.setdefault(comparison.verdict, []).append(comparison.system)
    parts = [f"{said}: {', '.join(systems[said])}" for said in _TEXTS if said in systems]
    return f"Against {results.plan.baseline}, {'; '.join(parts)}."


def _score(results: Results, system: str) -> str:
    scale = scale_of(results.plan.metric.name)
    score = spread([run.test_score for run in results.runs[system]], scale)
    return f"{system} has a test {scale.label} of {score}"
