"""Report of a comparison: report.md, report.html and report.json, with pictures in figures/."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from slstm_allennlp.common.atomic_write import atomic_write_in
from slstm_allennlp.comparison import document
from slstm_allennlp.comparison.document import Part, Pictures
from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.comparison.plan import common_settings
from slstm_allennlp.comparison.report import tables
from slstm_allennlp.comparison.report.cautions import cautions
from slstm_allennlp.comparison.report.numbers import given, plural, scale_of, spread
from slstm_allennlp.comparison.report.pictures import pictures
from slstm_allennlp.comparison.results import Results, RunResult
from slstm_allennlp.comparison.runner import Failure
from slstm_allennlp.comparison.significance import Spread

__all__ = ["cautions", "summary", "write_report"]


def write_report(results: Results, failures: Sequence[Failure] = ()) -> Path:
    """
    Write the report of one or more runs, or of failures. Returns the path of the Markdown file.
    `NotWritten` if the disk is full; the previous report is unchanged.
    """
    with atomic_write_in(results.folder.path) as folder:
        parts: List[Part] = [*tables.verdict(results), *cautions(results, failures)]
        if results.done:
            parts += [
                *tables.results_table(results),
                *pictures(results, folder),
                *tables.differences(results),
                *tables.differences_by_length(results),
                *tables.settings(results),
                *tables.runs_table(results),
            ]
        parts += tables.failed_runs(failures)
        document.write(folder, _title(results), parts)
        contents = json.dumps(_as_dict(results, failures, parts))
        # JSON has no NaN and no infinity.
        write_json(folder / "report.json", json.loads(contents, parse_constant=lambda _: None))
    return results.folder.path / "report.md"


def _title(results: Results) -> str:
    systems = results.systems or results.all_systems
    title = f"{plural(len(systems), 'system')} by {results.plan.metric.name}"
    corpus = common_settings(systems).get("test_data_path")
    return f"{title} on {Path(corpus).name}" if isinstance(corpus, str) else title


def summary(results: Results) -> List[str]:
    """Return one line per system, for the terminal."""
    scale = scale_of(results.plan.metric.name)
    verdicts = {
        comparison.system: f" ({comparison.verdict}, against {results.plan.baseline})"
        for comparison in results.comparisons
    }
    return [
        f"{system}: test {scale.label} {spread(scores, scale)}, {plural(len(scores), 'seed')}"
        + verdicts.get(system, "")
        for system, scores in results.test_scores.items()
    ]


def _as_dict(results: Results, failures: Sequence[Failure], parts: Sequence[Part]) -> Dict[str, Any]:
    drawn = [picture for part in parts if isinstance(part, Pictures) for picture in part.pictures]
    is_scored = not results.unpaired or any(one.over_sentences for one in results.comparisons)
    return {
        "metric": results.plan.metric._asdict(),
        "baseline": results.plan.baseline,
        "seeds": sorted({run.run.seed for run in results.done} | set(results.plan.seeds)),
        "systems": {
            system: {
                "test": _spread_dict([run.test_score for run in runs]),
                "validation": _spread_dict(given([run.validation_score for run in runs])),
                "runs": [_run_dict(run) for run in runs],
            }
            for system, runs in results.runs.items()
        },
        "sentence_score": results.sentence_score if is_scored else None,
        "comparisons": [asdict(comparison) for comparison in results.comparisons],
        "missing": [run.name for run in results.missing],
        "failed": {failure.run.name: failure.reason for failure in failures},
        "pictures": {Path(picture.path).name: picture.numbers for picture in drawn},
    }


def _spread_dict(values: Sequence[float]) -> Optional[Dict[str, Any]]:
    return Spread.of(values)._asdict() if values else None


def _run_dict(run: RunResult) -> Dict[str, Any]:
    return {
        "seed": run.run.seed,
        "folder": f"runs/{run.run.name}",
        "test": run.test_score,
        "validation": run.validation_score,
        "best_epoch": run.best_epoch,
        "epochs": len(run.epochs),
        "seconds_per_epoch": run.seconds_per_epoch,
        "recovered": len(run.folder.recovered_from()),
        **run.measurements,
        **run.training,
    }
