"""First paragraph of a report: which system is better."""

from typing import List

from slstm_allennlp.comparison.document import Paragraph, Part
from slstm_allennlp.comparison.report.numbers import scale_of, spread
from slstm_allennlp.comparison.results import Results

_ORDER = ("better", "worse", "too close to call", "the same with every seed", "too few seeds to say")


def verdict(results: Results) -> List[Part]:
    """Return the paragraph, or nothing if no run is done."""
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
