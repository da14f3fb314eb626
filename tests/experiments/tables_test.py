"""The tables of RESULTS.md, from reports whose figures can be worked out by hand."""

import json
import runpy
import sys

import pytest

from tests.conftest import ROOT


def write_report(folder, systems, *, higher_is_better=True, missing=()):
    """`systems` has, for each, the scores on dev and on test of the seeds 1, 2, ..."""
    report = {
        "metric": {"name": "accuracy", "higher_is_better": higher_is_better},
        "missing": list(missing),
        "systems": {
            name: {
                "runs": [
                    {"seed": seed, "validation": dev, "test": test}
                    for seed, (dev, test) in enumerate(zip(*scores), start=1)
                ]
            }
            for name, scores in systems.items()
        },
    }
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    return str(folder)


@pytest.fixture
def table(monkeypatch, capsys):
    """The cells of what the script prints, without the line below its head."""

    def of(*arguments):
        monkeypatch.setattr(sys, "argv", ["tables.py", *arguments])
        runpy.run_path(str(ROOT / "experiments" / "tables.py"), run_name="__main__")
        lines = capsys.readouterr().out.splitlines()
        assert set(lines.pop(1)) == set("| -")
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line]

    return of


def test_one_comparison(tmp_path, table):
    folder = write_report(
        tmp_path / "one", {"a": ([0.5, 0.7], [0.6, 0.8]), "b": ([0.6, 0.8], [0.9, 0.9])}
    )
    # The differences on test are 0.3 and 0.1: t = 0.2 / 0.1 = 2 with one degree of freedom, so that
    # p = 1 - 2 arctan(2) / pi.
    assert table(folder, "--baselines", "a") == [
        ["system", "dev", "test", "to `a`", "p"],
        ["`b`", "**70.00 ± 14.14**", "**90.00 ± 0.00**", "+20.00", "0.295"],
        ["`a`", "60.00 ± 14.14", "70.00 ± 14.14", "", ""],
    ]


def test_several_comparisons(tmp_path, table):
    folders = [
        write_report(tmp_path / name, {"a": ([0.5], [0.5]), "b": ([0.5], [0.5 + gain]), **more})
        for name, gain, more in (
            ("x", 0.1, {}),
            ("y", 0.2, {"only_here": ([0.5], [0.4])}),
            ("z", 0.3, {}),
        )
    ]
    # All three of one sign: p = 2 / 2 ** 3.
    assert table(*folders, "--baselines", "a") == [
        ["system", "x", "y", "z", "to `a`", "p", "corrected"],
        ["`b`", "**60.00**", "**70.00**", "**80.00**", "+20.00 (3)", "0.250", "0.500"],
        ["`a`", "50.00", "50.00", "50.00", "", "", ""],
        ["`only_here`", "–", "40.00", "–", "-10.00 (1)", "1.000", "1.000"],
    ]


def test_runs_that_are_missing_are_named(tmp_path, table):
    folder = write_report(
        tmp_path / "x", {"a": ([0.5], [0.5]), "b": ([], [])}, missing=["a-2", "b-1", "b-2"]
    )
    assert table(folder, "--baselines", "a")[1:] == [
        ["`a`", "**50.00**", "**50.00**", "", ""],
        ["x without a-2, b-1, b-2"],
    ]


def test_a_metric_of_which_less_is_better_is_refused(tmp_path, table):
    folder = write_report(tmp_path / "loss", {"a": ([0.5], [0.5])}, higher_is_better=False)
    with pytest.raises(SystemExit, match="loss: lower is better by its metric"):
        table(folder)


def test_a_folder_without_a_report_is_named(tmp_path, table):
    with pytest.raises(SystemExit, match=r"there is no report\.json, expected the --output-dir of"):
        table(str(tmp_path))


def test_a_baseline_that_no_report_has_is_named(tmp_path, table):
    folder = write_report(tmp_path / "one", {"a": ([0.5], [0.5])})
    with pytest.raises(SystemExit, match="no report has the baseline lstm, expected one of a"):
        table(folder, "--baselines", "lstm")
