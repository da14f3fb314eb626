"""The tables in the documents, which experiments/results.py writes from experiments/*.json."""

import itertools
import json
import re
import runpy

import pytest

from tests.conftest import ROOT

FILES = sorted(path.stem for path in (ROOT / "experiments").glob("*.json"))


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "experiments" / "results.py"))


def test_the_documents_have_the_tables_that_the_script_writes(script):
    used = set()
    for document in script["DOCUMENTS"]:
        text = document.read_text(encoding="utf-8")
        assert script["filled"](text) == text, f"{document.name}: run python experiments/results.py"
        assert text.count("<!-- results: ") == text.count("<!-- end of results -->")
        used.update(" ".join(re.findall(r"<!-- results: (.*) -->", text)).split())
    assert used >= set(FILES)


def test_every_number_is_in_a_table(script, monkeypatch):
    contents = {name: script["load"](name) for name in FILES}
    numbers = itertools.count(10_000)
    marks = {}

    def marked(value, where):
        if isinstance(value, dict):
            return {key: marked(part, f"{where} {key}") for key, part in value.items() if key != "seeds"}
        if isinstance(value, list):
            return [marked(part, f"{where} {place}") for place, part in enumerate(value)]
        if isinstance(value, str):
            return value
        number = type(value)(next(numbers))
        marks[where] = f"{number:,}" if isinstance(value, int) else f"{number:.1f}"
        return number

    for name in FILES:
        contents[name]["corpora"] = marked(contents[name]["corpora"], name)
    functions = script["filled"].__globals__
    monkeypatch.setitem(functions, "load", contents.get)
    monkeypatch.setitem(functions, "wilcoxon", lambda differences: 1.0)  # slow, and not in the files
    found = set()
    for document in script["DOCUMENTS"]:
        text = script["filled"](document.read_text(encoding="utf-8"))
        found.update(re.findall(r"\d+\.\d|\d+,\d{3}", text))
    assert len(marks) > 1000
    assert not [where for where, mark in marks.items() if mark not in found]


@pytest.mark.parametrize("name", FILES)
def test_differences_are_those_of_the_means(script, name):
    for corpus in script["load"](name)["corpora"]:
        systems = script["systems_of"](name, corpus)
        for system, numbers in systems.items():
            differences = {**numbers.get("differences", {}), **numbers.get("unpaired", {})}
            for baseline, (difference, *p) in differences.items():
                if baseline in systems:
                    means = numbers["test"][0] - systems[baseline]["test"][0]
                    assert difference == pytest.approx(means, abs=0.0101), (corpus, system, baseline)
                assert all(0 < value <= 1 for value in p)


@pytest.fixture
def taken(script, tmp_path, monkeypatch):
    """Copy a report into a file in `tmp_path`: the dev and test scores of each system and seed."""
    (tmp_path / "experiments").mkdir()
    monkeypatch.setitem(script["take"].__globals__, "ROOT", tmp_path)

    def take(systems, baseline="a", name="own", higher_is_better=True, missing=()):
        metric = {"name": "accuracy", "higher_is_better": higher_is_better}
        report = {"metric": metric, "missing": list(missing), "systems": {}}
        for system, scores in systems.items():
            rows = ((seed, *row) for seed, row in enumerate(zip(*scores), start=1))
            runs = [dict(zip(("seed", "validation", "test"), row)) for row in rows]
            report["systems"][system] = {"runs": runs}
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / "report.json").write_text(json.dumps(report), encoding="utf-8")
        script["take"](name, [tmp_path / "mine"], [baseline])

    return take


def test_numbers_are_taken_from_reports(script, tmp_path, taken):
    taken({"a": ([0.5, 0.7], [0.6, 0.8]), "b": ([0.6, 0.8], [0.9, 0.9])})
    text = (tmp_path / "experiments" / "own.json").read_text(encoding="utf-8")
    # The differences on test are 0.3 and 0.1: t = 0.2 / 0.1 = 2 with one degree of freedom, so that
    # p = 1 - 2 arctan(2) / pi.
    b = {"dev": [70.0, 14.14], "test": [90.0, 0.0], "differences": {"a": [20.0, 0.2952]}}
    a = {"dev": [60.0, 14.14], "test": [70.0, 14.14], "differences": {}}
    expected = {name: {**of, "seeds": [1, 2]} for name, of in (("b", b), ("a", a))}
    assert json.loads(text)["corpora"]["mine"] == expected
    assert len(text.splitlines()) < 20
    assert script["corpus"]("own", "mine", "a")[2:] == [
        "| `b` | **70.00 ± 14.14** | **90.00 ± 0.00** | +20.00 | 0.295 |",
        "| `a` | 60.00 ± 14.14 | 70.00 ± 14.14 | | |",
    ]
    assert script["leads"]("own", "a", "mine")[2:] == ["| `b` | -20.00 | 0.295 |"]


def test_what_is_refused_and_what_is_missing(script, taken, tmp_path, capsys):
    with pytest.raises(SystemExit, match=r"there is no report\.json, expected the --output-dir of"):
        script["take"]("own", [tmp_path], ["a"])
    scores = {"a": ([0.5], [0.5])}
    with pytest.raises(SystemExit, match="mine: the metric is a loss, expected a score"):
        taken(scores, higher_is_better=False)
    with pytest.raises(SystemExit, match="there is no baseline lstm, expected one of a"):
        taken(scores, baseline="lstm")
    # Runs that are missing are named.
    taken({"a": ([0.5], [0.5]), "b": ([], [])}, missing=["a-2", "b-1"])
    assert capsys.readouterr().out == "mine: taken without a-2, b-1\n"
    assert list(script["systems_of"]("own", "mine")) == ["a"]


@pytest.mark.parametrize("name", FILES)
def test_numbers_are_taken_into_an_existing_file(script, taken, tmp_path, monkeypatch, name):
    content = json.loads((ROOT / "experiments" / f"{name}.json").read_text(encoding="utf-8"))
    (tmp_path / "experiments" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    taken({"a": ([0.5, 0.7], [0.6, 0.8])}, name=name)
    after = script["load"](name)
    assert after["corpora"].pop("mine") and after["versions"].pop("mine")
    assert after == {"versions": {}, **content}


def test_what_a_report_lacks_is_not_lost(taken, tmp_path):
    a, b = ([0.5, 0.7], [0.6, 0.8]), ([0.6, 0.8], [0.9, 0.9])
    taken({"a": a, "b": b})
    file = tmp_path / "experiments" / "own.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["corpora"]["mine"]["a"]["unpaired"] = {}
    file.write_text(json.dumps(content), encoding="utf-8")
    lost = (
        r"no a\.unpaired, b, b\.dev, b\.differences, b\.differences\.a, b\.seeds, b\.seeds\.1, .*b\.test"
    )
    with pytest.raises(SystemExit, match=rf"{lost}, expected all that own\.json has of mine"):
        taken({"a": a})
    with pytest.raises(SystemExit, match=r"no a\.unpaired, b\.differences\.a, expected all"):
        taken({"a": a, "b": b}, baseline="b")
    with pytest.raises(SystemExit, match=r"no a\.seeds\.2, a\.unpaired, b\.seeds\.2, expected all"):
        taken({"a": ([0.5], [0.6]), "b": ([0.6], [0.9])})
    assert json.loads(file.read_text(encoding="utf-8")) == content


def test_wilcoxons_test(script):
    assert script["wilcoxon"]([0.1, 0.2, 0.3]) == pytest.approx(0.25)  # all of one sign: 2 / 2 ** 3
    assert script["wilcoxon"]([0.0, 0.0]) is None
