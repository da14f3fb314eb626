"""The documents' tables, which a script writes from the numbers beside the comparisons' configs."""

import itertools
import json
import re
import runpy

import pytest

from tests.conftest import ROOT
from tests.experiments.tables_test import write_report

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
        used.update(
            word for block in re.findall(r"<!-- results: (.*) -->", text) for word in block.split()
        )
    assert used >= set(FILES)


def test_a_changed_number_changes_the_document(script, monkeypatch):
    text = (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    load = script["load"]
    content = load("evidence")
    content["corpora"]["mr"]["fastnlp"]["test"] = [99.0, 0.45]
    functions = script["overview"].__globals__
    monkeypatch.setitem(functions, "load", lambda name: content if name == "evidence" else load(name))
    assert "| `fastnlp` | **99.00 ± 0.45** | 76.08 ± 0.55 |" in script["filled"](text)
    assert script["filled"](text).count("\n") == text.count("\n")


def test_every_number_is_in_a_table(script, monkeypatch):
    """Each is replaced by one of its own, which a document then has."""
    contents = {name: script["load"](name) for name in FILES}
    numbers = itertools.count(10_000)
    marks = {}

    def marked(value, where):
        if isinstance(value, dict):
            return {key: marked(of, f"{where} {key}") for key, of in value.items() if key != "seeds"}
        if isinstance(value, list):
            return [marked(of, f"{where} {place}") for place, of in enumerate(value)]
        if isinstance(value, str):
            return value
        number = type(value)(next(numbers))
        marks[where] = f"{number:,}" if isinstance(value, int) else f"{number:.1f}"
        return number

    for name in FILES:
        contents[name]["corpora"] = marked(contents[name]["corpora"], name)
    functions = script["filled"].__globals__
    monkeypatch.setitem(functions, "load", contents.get)
    monkeypatch.setitem(functions, "wilcoxon", lambda differences: 1.0)  # slow, and none of the numbers
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
        for system, of in systems.items():
            of_both = {**of.get("differences", {}), **of.get("unpaired", {})}
            for baseline, (difference, *p) in of_both.items():
                if baseline in systems:
                    means = of["test"][0] - systems[baseline]["test"][0]
                    assert difference == pytest.approx(means, abs=0.0101), (corpus, system, baseline)
                assert all(0 < value <= 1 for value in p)


def test_numbers_are_taken_from_reports(script, tmp_path, monkeypatch):
    folder = write_report(
        tmp_path / "mine", {"a": ([0.5, 0.7], [0.6, 0.8]), "b": ([0.6, 0.8], [0.9, 0.9])}
    )
    (tmp_path / "experiments").mkdir()
    monkeypatch.setitem(script["take"].__globals__, "ROOT", tmp_path)
    script["take"]("own", [tmp_path / "mine"], ["a"])
    text = (tmp_path / "experiments" / "own.json").read_text(encoding="utf-8")
    # As in tables_test: p = 1 - 2 arctan(2) / pi.
    assert json.loads(text)["corpora"]["mine"] == {
        "b": {
            "dev": [70.0, 14.14],
            "test": [90.0, 0.0],
            "seeds": [1, 2],
            "differences": {"a": [20.0, 0.2952]},
        },
        "a": {"dev": [60.0, 14.14], "test": [70.0, 14.14], "seeds": [1, 2], "differences": {}},
    }
    assert len(text.splitlines()) < 20 and folder
    assert script["corpus"]("own", "mine", "a")[2:] == [
        "| `b` | **70.00 ± 14.14** | **90.00 ± 0.00** | +20.00 | 0.295 |",
        "| `a` | 60.00 ± 14.14 | 70.00 ± 14.14 | | |",
    ]


@pytest.mark.parametrize("name", FILES)
def test_numbers_are_taken_into_a_file_that_there_is(script, name, tmp_path, monkeypatch):
    write_report(tmp_path / "mine", {"a": ([0.5, 0.7], [0.6, 0.8])})
    (tmp_path / "experiments").mkdir()
    content = script["load"](name)
    (tmp_path / "experiments" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setitem(script["take"].__globals__, "ROOT", tmp_path)
    script["take"](name, [tmp_path / "mine"], ["a"])
    after = script["load"](name)
    assert after["corpora"].pop("mine") and after["versions"].pop("mine")
    assert after == {"versions": {}, **content}
