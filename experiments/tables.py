"""
Prints a Markdown table of RESULTS.md from the reports of `allennlp compare`:

    python experiments/tables.py FOLDER [FOLDER ...] [--baselines SYSTEM ...]

FOLDER is an --output-dir of compare. Of one, each system's scores on dev and test, and its difference to
each baseline with p of a paired t-test over the seeds. Of several, each system's test scores in all of
them, and its mean difference to each baseline (over how many folders) with p of Wilcoxon's signed-rank
test over them, alone and corrected for there being so many systems (Benjamini and Hochberg). Runs that
are missing are named below the table.
"""

import argparse
import json
import pathlib
import statistics
from typing import Dict, List, Optional, Sequence

from scipy import stats

from slstm_allennlp.comparison.report.numbers import NONE, p_value, scale_of, signed, spread
from slstm_allennlp.comparison.significance import corrected, paired_t_test

Scores = Dict[str, Dict[int, float]]  # of each system, by seed


class Report:
    """What compare wrote into a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        path = folder / "report.json"
        if not path.exists():
            raise SystemExit(
                f"{folder}: there is no report.json, expected the --output-dir of a comparison"
            )
        report = json.loads(path.read_text(encoding="utf-8"))
        if not report["metric"]["higher_is_better"]:
            raise SystemExit(
                f"{folder}: lower is better by its metric, expected one of which more is better"
            )
        self.name = folder.name
        self.missing: List[str] = report["missing"]
        self.scale = scale_of(report["metric"]["name"])
        runs = [run for system in report["systems"].values() for run in system["runs"]]
        self.versions = {
            key: sorted({run[key] for run in runs if key in run}) for key in ("torch", "slstm_allennlp")
        }
        self.dev, self.test = (
            {
                name: {run["seed"]: run[part] for run in system["runs"]}
                for name, system in report["systems"].items()
                if system["runs"]
            }
            for part in ("validation", "test")
        )

    def cells(self, scores: Scores) -> Dict[str, str]:
        """Mean ± standard deviation, the best in bold."""
        best = max(scores, key=lambda system: mean(scores[system]))
        written = {name: spread(list(scores[name].values()), self.scale) for name in scores}
        return {**written, best: f"**{written[best]}**"}

    def to_baseline(self, system: str, baseline: str) -> List[str]:
        """The difference on test, and p."""
        if system == baseline:
            return ["", ""]
        ours, theirs = self.test[system], self.test[baseline]
        seeds = [seed for seed in ours if seed in theirs]
        test = paired_t_test([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
        return [signed(test.difference, self.scale), p_value(test.p_value)]


def mean(of_seeds: Dict[int, float]) -> float:
    return statistics.fmean(of_seeds.values())


def table_of_one(report: Report, baselines: Sequence[str]) -> List[List[str]]:
    dev, test = report.cells(report.dev), report.cells(report.test)
    return [
        [f"`{name}`", dev[name], test[name]]
        + [cell for baseline in baselines for cell in report.to_baseline(name, baseline)]
        for name in sorted(test, key=lambda name: -mean(report.test[name]))
    ]


def table_of_all(reports: Sequence[Report], baselines: Sequence[str]) -> List[List[str]]:
    """The systems by their mean difference to the last baseline."""
    names = list(dict.fromkeys(name for report in reports for name in report.test))
    rows = {name: [f"`{name}`"] for name in names}
    for of_report in (report.cells(report.test) for report in reports):
        for name in names:
            rows[name].append(of_report.get(name, NONE))
    for baseline in baselines:
        differences = {name: differences_of(name, baseline, reports) for name in names}
        p_values = [wilcoxon(of_name) for of_name in differences.values()]
        for name, p, corrected_p in zip(names, p_values, corrected(p_values)):
            rows[name] += over_reports(differences[name], p, corrected_p)
    return [
        rows[name]
        for name in sorted(names, key=lambda name: -statistics.fmean(differences[name] or [0]))
    ]


def differences_of(system: str, baseline: str, reports: Sequence[Report]) -> List[float]:
    """Those of the reports that have both; none for the baseline itself."""
    return [
        report.scale.factor * (mean(report.test[system]) - mean(report.test[baseline]))
        for report in reports
        if system != baseline and system in report.test and baseline in report.test
    ]


def wilcoxon(differences: Sequence[float]) -> Optional[float]:
    """None where there is nothing to test."""
    return float(stats.wilcoxon(differences).pvalue) if any(differences) else None


def over_reports(differences: Sequence[float], *p_values: Optional[float]) -> List[str]:
    """The mean (of how many), and the p values."""
    if not differences:
        return ["", *("" for _ in p_values)]
    mean_of_all = f"{statistics.fmean(differences):+.2f} ({len(differences)})"
    return [mean_of_all, *map(p_value, p_values)]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--baselines", nargs="+", default=["slstm", "bilstm"], metavar="SYSTEM")
    arguments = parser.parse_args()
    baselines = arguments.baselines
    reports = [Report(folder) for folder in arguments.folders]
    systems = {name for report in reports for name in report.test}
    for baseline in baselines:
        if baseline not in systems:
            raise SystemExit(
                f"no report has the baseline {baseline}, expected one of {', '.join(sorted(systems))}"
            )
    one, *others = reports
    columns = [report.name for report in reports] if others else ["dev", "test"]
    titles = ["p", "corrected"] if others else ["p"]
    differences = [title for baseline in baselines for title in (f"to `{baseline}`", *titles)]
    rows = table_of_all(reports, baselines) if others else table_of_one(one, baselines)
    print(markdown(["system", *columns, *differences], rows))
    for report in reports:
        if report.missing:
            print(f"\n{report.name} without {', '.join(report.missing)}")


if __name__ == "__main__":
    main()
