"""
Write the tables of results into the documents.

    python experiments/results.py

The numbers of a comparison are in a JSON file next to its config, such as experiments/evidence.json. For
each corpus and system, it has mean and standard deviation on dev and test, and differences to baselines
with p-values. ["evidence", "MR", "slstm"] instead of a system's numbers refers to those of that file.

In a document, `<!-- results: corpus evidence mr slstm bilstm -->` begins a table: a function of this
script and its arguments. `<!-- end of results -->` ends it. After new runs, this command first copies
their numbers from the --output-dir of `allennlp compare`, a folder with the name of the corpus:

    python experiments/results.py --take evidence OUT/evidence/mr [FOLDER ...] [--baselines SYSTEM ...]
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set

from scipy import stats

from slstm_allennlp.comparison.report.numbers import NONE, p_value, scale_of
from slstm_allennlp.comparison.significance import Spread, corrected, paired_t_test

ROOT = pathlib.Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "RESULTS.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(<!-- results: ([^\n]*) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
LINEAR = "linear"  # not an encoder: last in `overview`, never bold, in no correction

Systems = Dict[str, Dict[str, Any]]  # name: `dev`, `test` and `differences`, on one corpus


def load(comparison: str) -> Dict[str, Any]:
    return json.loads((ROOT / "experiments" / f"{comparison}.json").read_text(encoding="utf-8"))


def systems_of(comparison: str, corpus: str) -> Systems:
    systems = load(comparison)["corpora"][corpus]
    return {
        name: systems_of(*of[:2])[of[2]] if isinstance(of, list) else of for name, of in systems.items()
    }


def titles(comparison: str, names: Iterable[str], otherwise: str = "{}") -> List[str]:
    """Return the titles of systems or corpora in the tables."""
    given = load(comparison).get("titles", {})
    return [given.get(name, otherwise.format(name)) for name in names]


def spread(numbers: Optional[Sequence[float]], form: str = ".2f") -> str:
    """Format [mean, standard deviation]. A single run has no standard deviation."""
    return NONE if numbers is None else " ± ".join(format(number, form) for number in numbers)


def score_cells(systems: Systems, part: str, form: str = ".2f") -> Dict[str, str]:
    """Format each system's score. The best encoder is in bold, if `part` is "dev" or "test"."""
    cells = {name: spread(of.get(part), form) for name, of in systems.items()}
    if part in ("dev", "test"):
        scores = {name: of[part][0] for name, of in systems.items() if name != LINEAR and part in of}
        for name in scores:
            if scores[name] == max(scores.values()):
                cells[name] = f"**{cells[name]}**"
    return cells


def corpus(comparison: str, name: str, *columns: str) -> List[str]:
    """
    Return the table of all systems on one corpus. A further column is a key of the file, such as
    `encoder_weights`, or a baseline. With a baseline, systems without differences are left out: their
    runs were not kept.
    """
    systems = systems_of(comparison, name)
    known = [key for key in columns if any(key in of for of in systems.values())]
    baselines = [key for key in columns if key not in known]
    compared = {key for of in systems.values() for key in of.get("differences", {})}
    for key in set(baselines) - compared:
        sys.exit(f"{comparison}, {name}: there is no column {key}, expected a key or a baseline")
    dev, test = score_cells(systems, "dev"), score_cells(systems, "test")
    rows = []
    for label, (system, of) in zip(titles(comparison, systems, "`{}`"), systems.items()):
        if baselines and "differences" not in of:
            continue
        row = [label, dev[system], test[system]]
        for baseline in baselines:
            row += difference_cells(*of["differences"].get(baseline, []))
        rows.append(row + [format_value(of.get(key, NONE)) for key in known])
    head = [f"to `{baseline}`" if baseline in systems else f"to {baseline}" for baseline in baselines]
    tested = [cell for title in head for cell in (title, "p")]
    return table(["system", "dev", "test", *tested, *(key.replace("_", " ") for key in known)], rows)


def difference_cells(difference: Optional[float] = None, p: Optional[float] = None) -> List[str]:
    return ["" if difference is None else f"{difference:+.2f}", "" if p is None else p_value(p)]


def leads(comparison: str, system: str, *names: str) -> List[str]:
    """
    Return the table of one system's leads over the others on test, with p, a column of each for every
    corpus. Systems that are compared with it nowhere are left out.
    """
    corpora = {name: systems_of(comparison, name) for name in names}
    others = list(dict.fromkeys(other for of in corpora.values() for other in of if other != system))
    others.sort(key=lambda name: name == LINEAR)  # last
    rows = []
    for label, other in zip(titles(comparison, others, "`{}`"), others):
        cells = []
        for of in corpora.values():
            found, *p = of.get(other, {}).get("differences", {}).get(system, [None])
            cells += difference_cells(None if found is None else 0.0 - found, *p)
        if any(cells):
            rows.append([label, *cells])
    head = [cell for title in titles(comparison, names) for cell in (title, "p")]
    return table([f"lead of {titles(comparison, [system], '`{}`')[0]} over", *head], rows)


def format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(format_value, value))
    return value if isinstance(value, str) else format(value, "," if isinstance(value, int) else ".2f")


def grid(comparison: str, of_each: str, *names: str) -> List[str]:
    """
    Return a table of systems on several corpora. `of_each` is a part, such as `test`, or several:
    `dev/test`. p is added if the file has it. If the last name is `mean`, the last column is the mean of
    the others, for systems that have them all.
    """
    parts, form = of_each.split("/"), load(comparison).get("format", ".2f")
    corpora = {name: systems_of(comparison, name) for name in names if name != "mean"}
    systems = list(dict.fromkeys(system for of in corpora.values() for system in of))
    systems.sort(key=lambda name: name == LINEAR)  # last
    if "mean" in names:
        corpora["mean"] = {
            system: {
                part: [statistics.fmean(corpora[name][system][part][0] for name in names[:-1])]
                for part in parts
            }
            for system in systems
            if all(system in corpora[name] for name in names[:-1])
        }
    columns = [titles(comparison, systems, "`{}`")]
    for of in corpora.values():
        scores = [score_cells(of, part, form) for part in parts]
        cells = {system: " / ".join(score[system] for score in scores) for system in of}
        columns.append(
            [cells[name] + p_in_brackets(of[name].get("p")) if name in of else NONE for name in systems]
        )
    return table(["", *titles(comparison, names)], list(zip(*columns)))


def by_corpus(comparison: str, source: str, *systems: str) -> List[str]:
    """
    Return a table of dev / test scores with a row for each corpus that has all the systems, and their
    means. Beside them are the scores on test that were published in `source`, if that is not `-`.
    """
    published = {} if source == "-" else load(comparison)["published"][source]
    names = next(iter(published.values()), load(comparison)["corpora"])
    corpora = {name: systems_of(comparison, name) for name in names}
    corpora = {name: of for name, of in corpora.items() if all(system in of for system in systems)}
    ours = [
        [[of[system][part][0] for of in corpora.values()] for part in ("dev", "test")]
        for system in systems
    ]
    columns = [*ours, *([[of[name] for name in corpora]] for of in published.values())]
    rows = [[*titles(comparison, corpora), f"mean of {len(corpora)}"]]
    for parts in columns:
        scores = zip(*([*part, statistics.fmean(part)] for part in parts))
        rows.append([" / ".join(f"{score:.2f}" for score in of_row) for of_row in scores])
    head = [*titles(comparison, systems), *(f"{source}: {system}" for system in published)]
    return table(["", *head], list(zip(*rows)))


def p_in_brackets(p: Optional[float]) -> str:
    """Format p with two digits, below 0.01 with three."""
    return "" if p is None else f" ({p_value(p) if p < 0.01 else f'{p:.2f}'})"


def unpaired(comparison: str, system: str, *baselines: str) -> List[str]:
    """Return the table of one system on all corpora with unpaired tests of it."""
    rows = []
    for name in load(comparison)["corpora"]:
        of = systems_of(comparison, name)[system]
        if "unpaired" in of:
            tested = [
                cell for baseline in baselines for cell in difference_cells(*of["unpaired"][baseline])
            ]
            rows.append([*titles(comparison, [name]), spread(of["dev"]), spread(of["test"]), *tested])
    head = [cell for baseline in baselines for cell in (f"to `{baseline}`", "p")]
    return table(["", "dev", "test", *head], rows)


def overview(comparison: str, baseline: str, *names: str) -> List[str]:
    """
    Return a table of test scores on several corpora, with the mean difference to the baseline (and the
    number of corpora) and p of Wilcoxon's signed-rank test, uncorrected and corrected. Systems on at
    most half of the corpora are left out.
    """
    corpora = {name: systems_of(comparison, name) for name in names}
    cells = {name: score_cells(systems, "test") for name, systems in corpora.items()}
    systems = dict.fromkeys(system for of in corpora.values() for system in of)
    found = {system: list(differences(corpora.values(), system, baseline)) for system in systems}
    found = {system: of for system, of in found.items() if 2 * len(of) > len(names)}
    encoders = [system for system in found if system not in (baseline, LINEAR)]
    after = dict(zip(encoders, corrected([wilcoxon(found[system]) for system in encoders])))
    rows = []
    for system in sorted(found, key=lambda name: (name == LINEAR, -statistics.fmean(found[name]))):
        mean = sum(Decimal(str(value)) for value in found[system]) / len(found[system])
        mean = mean.quantize(Decimal("0.01"), ROUND_HALF_UP)
        tested = [f"{mean:+} ({len(found[system])})", p_value(wilcoxon(found[system]))]
        tested.append(p_value(after[system]) if system in after else "")
        own = [of.get(system, NONE) for of in cells.values()]
        rows.append([f"`{system}`", *own, *(["", "", ""] if system == baseline else tested)])
    return table(["system", *names, f"to `{baseline}`", "p", "corrected"], rows)


def differences(corpora: Any, system: str, baseline: str) -> Iterator[float]:
    """Generate the differences on test, for the corpora that have both systems."""
    for systems in corpora:
        if system in systems and baseline in systems:
            yield round(systems[system]["test"][0] - systems[baseline]["test"][0], 2)


def wilcoxon(differences: Sequence[float]) -> Optional[float]:
    """Return the p-value of Wilcoxon's signed-rank test, or None if all differences are zero."""
    return float(stats.wilcoxon(differences).pvalue) if any(differences) else None


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    first, *others = (f"| {' | '.join(row)} |".replace("|  ", "| ") for row in (head, *rows))
    return [first, "|" + "---|" * len(head), *others]


TABLES: Dict[str, Callable[..., List[str]]] = {
    function.__name__: function for function in (by_corpus, corpus, grid, leads, overview, unpaired)
}


def filled(text: str) -> str:
    """Return a document's text with all tables generated from the files."""

    def block(found: "re.Match[str]") -> str:
        name, *arguments = found[2].split()
        return f"{found[1]}\n" + "\n".join(TABLES[name](*arguments)) + f"\n\n{found[4]}"

    return BLOCK.sub(block, text)


def take(comparison: str, folders: Sequence[pathlib.Path], baselines: Sequence[str]) -> None:
    """Replace each corpus's numbers in the comparison's file by those of `allennlp compare`."""
    path = ROOT / "experiments" / f"{comparison}.json"
    content = load(comparison) if path.exists() else {"corpora": {}}
    for folder in folders:
        report = read_report(folder)
        found, known = numbers_of(report, baselines), content["corpora"].get(folder.name, {})
        if lost := sorted(parts_of(known) - parts_of(found)):
            sys.exit(
                f"{folder}: the report has no {', '.join(lost)}, expected all that {path.name} has of "
                f"{folder.name} (remove from it what is not to be kept)"
            )
        content["corpora"][folder.name] = found
        runs = [run for system in report["systems"].values() for run in system["runs"]]
        content.setdefault("versions", {})[folder.name] = {
            key: sorted({run[key] for run in runs if key in run}) for key in ("torch", "slstm_allennlp")
        }
        if report["missing"]:
            print(f"{folder.name}: taken without {', '.join(report['missing'])}")
    path.write_text(to_json(content), encoding="utf-8")


def parts_of(systems: Systems) -> Set[str]:
    """Return the names of all that is known of the systems, such as `lstm.differences.slstm`."""
    parts = {*systems}
    for name, of in systems.items():
        if isinstance(of, dict):
            parts |= {f"{name}.{key}" for key in of}
            parts |= {f"{name}.differences.{baseline}" for baseline in of.get("differences", ())}
            parts |= {f"{name}.seeds.{seed}" for seed in of.get("seeds", ())}
    return parts


def read_report(folder: pathlib.Path) -> Dict[str, Any]:
    """Read the report of `allennlp compare` in a folder."""
    path = folder / "report.json"
    if not path.exists():
        sys.exit(f"{folder}: there is no report.json, expected the --output-dir of a comparison")
    report = json.loads(path.read_text(encoding="utf-8"))
    if not report["metric"]["higher_is_better"]:
        sys.exit(f"{folder}: the metric is a loss, expected a score, of which more is better")
    return report


def numbers_of(report: Dict[str, Any], baselines: Sequence[str]) -> Systems:
    """Return the numbers of all systems, the best on test first."""
    factor = scale_of(report["metric"]["name"]).factor
    dev, test = (
        {
            name: {run["seed"]: factor * run[part] for run in system["runs"]}
            for name, system in report["systems"].items()
            if system["runs"]
        }
        for part in ("validation", "test")
    )
    for baseline in baselines:
        if baseline not in test:
            sys.exit(f"there is no baseline {baseline}, expected one of {', '.join(sorted(test))}")
    systems: Systems = {}
    for system in sorted(test, key=lambda name: -statistics.fmean(test[name].values())):
        found = {}
        for baseline in baselines:
            seeds = [seed for seed in test[system] if seed in test[baseline]]
            if system != baseline and seeds:
                tested = paired_t_test(
                    *([test[name][seed] for seed in seeds] for name in (system, baseline))
                )
                p = [] if tested.p_value is None else [float(f"{tested.p_value:.4g}")]  # never a zero
                found[baseline] = [round(tested.difference, 2), *p]
        systems[system] = {
            "dev": mean_and_deviation(dev[system].values()),
            "test": mean_and_deviation(test[system].values()),
            "seeds": sorted(test[system]),
            "differences": found,
        }
    return systems


def mean_and_deviation(values: Iterable[float]) -> List[float]:
    of = Spread.of(list(values))
    return [round(number, 2) for number in (of.mean, of.std) if number is not None]


def to_json(content: Dict[str, Any]) -> str:
    """Return JSON with one line per system."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    text = re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()), text)
    # Objects at the third level are put on one line.
    return (
        re.sub(r"\n {4,}|(?<=[^\n])\n {3}(?=[\]}])", " ", text).replace("[ ", "[").replace(" ]", "]")
        + "\n"
    )


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--take", metavar="COMPARISON")
    parser.add_argument("folders", nargs="*", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--baselines", nargs="+", default=["slstm", "bilstm"], metavar="SYSTEM")
    given = parser.parse_args(arguments)
    if given.take:
        take(given.take, given.folders, given.baselines)
    for document in DOCUMENTS:
        document.write_text(filled(document.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
