"""The contents of the report, for runs made by hand."""

import base64
import json
import math
import re
from collections import Counter

import pytest
from scipy import stats

from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.comparison.plan import Metric, Plan, System
from slstm_allennlp.comparison.report import summary, write_report
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.runner import Failure
from tests.comparison.common import change, config, plan, write_epoch, write_run

pytestmark = pytest.mark.usefixtures("quick_pictures")
RIGHT = {"base": [[1, 0, 0, 0], [1, 1, 0, 0]], "other": [[1, 1, 1, 0], [1, 1, 1, 1]]}


def report(comparison, the_plan, failures=(), right=RIGHT, **training):
    for run in the_plan.runs():
        if run.system in right:
            write_run(comparison, run, right[run.system][run.seed - 1], **training)
    path = write_report(Results(the_plan, comparison), failures)
    return path.read_text(encoding="utf-8")


def in_json(comparison, key):
    return json.loads((comparison.path / "report.json").read_text())[key]


def rows(markdown, heading):
    """Return the cells of the table under a heading."""
    section = markdown.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.fixture
def usual(comparison):
    """The report of two systems with two seeds."""
    return report(comparison, plan("base", "other"))


def test_the_tables(comparison, usual):
    headings = re.findall(r"^## (.*)$", usual, re.MULTILINE)
    assert headings[:3] == ["Results", "Pictures", "Differences to base"]
    # The verdict comes first. The scores of the seeds are 25% and 50%, 75% and 100%.
    scores = "**Test accuracy (%): other 87.50 ± 17.68, base 37.50 ± 17.68"
    assert usual.split("\n\n")[1].strip() == f"{scores}: too few seeds (2) to rank them.**"
    base, other = rows(usual, "Results")
    assert base[:3] == ["base (baseline)", "50.00 ± 0.00", "37.50 ± 17.68"]
    assert other[:3] == ["other", "50.00 ± 0.00", "87.50 ± 17.68"]
    assert base[3:8] == ["1,234", "1,000", "10.0 ± 0.0", "0.500 ± 0.000", "512 ± 0"]
    assert base[8] == "[1](runs/base-1/) [2](runs/base-2/)"
    assert "Peak memory: the training process, libraries included. CPU (2 cores)" in usual
    assert rows(usual, "What differs") == [["base", "0"], ["other", "1"]]
    assert "| system | model.seq2vec\\_encoder.hidden\\_size |" in usual
    same = dict(rows(usual, "What is the same"))
    assert same["test\\_data\\_path"] == '"test.txt"' and same["trainer.num\\_epochs"] == "2"


def test_differences(comparison, usual):
    assert "2 seeds: a t-test over so few has little power" in usual.split("## Results")[0]
    assert summary(Results(plan("base", "other"), comparison)) == [
        "base: test accuracy (%) 37.50 ± 17.68, 2 seeds",
        "other: test accuracy (%) 87.50 ± 17.68, 2 seeds (too few seeds to say, against base)",
    ]
    (row,) = rows(usual, "Differences to base")
    # The difference is 50 points with both seeds: t would be infinite. Three of the four sentences
    # differ: 2 of 16 swaps give as large a difference, on each side.
    assert row[:6] == ["other", "+50.00", "2", "–", "–", "0.250"] and row[7] == "too few seeds to say"
    assert "other: the difference is the same with every seed: no t-test." in usual
    assert "These are different measures" not in usual
    # By 25 points on sentences of one or two words, and by 75 on longer ones
    (row,) = rows(usual, "Differences to base by length")
    assert row[:4] == ["other", "+25.00", "+75.00", "+50.00"] and 0 < float(row[4]) <= 1
    assert "| up to 2 words | longer |" in usual
    assert "on the shorter half (2) and the longer half (2) of the test sentences" in usual
    assert in_json(comparison, "comparisons")[0]["over_lengths"]["longer"] == 0.75


def test_differences_that_vary(comparison):
    """
    `base` has the same two of twelve sentences right with every seed. With seeds 1 to 5, `good` has 1,
    2, 3, 2 and 2 more right, each of them with one seed only; `poor` has 1, 0, 1, 0 and 2 fewer right.
    """
    right = {name: [[1, 1] + [0] * 10 for _ in range(5)] for name in ("base", "good", "poor")}
    changed = {"good": ([2], [3, 4], [5, 6, 7], [8, 9], [10, 11]), "poor": ([0], [], [0], [], [0, 1])}
    for name, of_seeds in changed.items():
        for seed, sentences in enumerate(of_seeds):
            for sentence in sentences:
                right[name][seed][sentence] = int(name == "good")
    the_plan = plan("base", "good", "poor", seeds=range(1, 6))
    text = report(comparison, the_plan, right=right, gold=("a", "b") * 6)
    compared = in_json(comparison, "comparisons")
    intervals = [one["over_sentences"]["interval"] for one in compared]
    good, poor = (" to ".join(f"{100 * bound:+.2f}" for bound in bounds) for bounds in intervals)
    # t is 6.32 and -2.14, with 4 degrees of freedom. 2 of 2¹⁰ and 2 of 2² swaps are as large.
    assert rows(text, "Differences to base") == [
        ["good", "+16.67", "5", "0.003", "+9.35 to +23.98", "0.002", good, "better"],
        ["poor", "-6.67", "5", "0.099", "-15.32 to +1.99", "0.500", poor, "too close to call"],
    ]
    assert "The larger p is corrected for 2 comparisons" in text and "little power" not in text
    corrected = [one["corrected_p_value"] for one in compared]
    assert corrected == pytest.approx([0.0064, 0.5], abs=1e-4)


def test_systems_that_have_learnt_nothing(comparison):
    """A loss of zero is not nothing."""
    right = {"base": [[0] * 4, [0] * 4], "other": [[0] * 4, [1, 0, 0, 0]]}
    text = report(comparison, plan("base", "other"), right=right)
    assert "**Warning:** With every seed, accuracy is 0 for base: no" in text.split("## Results")[0]
    assert "With every seed" not in report(comparison, plan("base", "other"))
    losses = Plan(plan("base").systems, [1, 2], "base", Metric("loss", higher_is_better=False))
    for run in losses.runs():
        change(comparison.run(run).measurements, test_metrics={"loss": 0.0})
    text = report(comparison, losses, right={})
    assert rows(text, "Results")[0][2] == "0.000 ± 0.000" and "With every seed" not in text


LINEAR = {"model": {"type": "linear_classifier"}, "trainer": {"type": "fit"}}
LINEAR["test_data_path"] = "test.txt"


def test_one_seed(comparison):
    text = report(comparison, plan("base", "other", seeds=(1,)))
    assert "One seed: there is no standard deviation" in text.split("## Results")[0]
    assert text.startswith("# 2 systems by accuracy on test.txt\n")
    assert rows(text, "Results")[0][2] == "25.00"
    assert rows(text, "Differences to base")[0][-1] == "too few seeds to say"
    linear = Plan([System("linear", LINEAR)], [1], "linear", Metric("accuracy"))
    alone = report(comparison, linear, right={"linear": [[1, 1, 0, 0]]})
    title = "# 1 system by accuracy on test.txt\n\n**Test accuracy (%): linear 50.00.**\n"
    assert alone.startswith(title) and "Nothing: there is one config." in alone
    assert "Learning curves" in text and "Learning curves" not in alone


def test_every_row_leads_to_its_files_and_the_page_needs_none(comparison, usual):
    for target in re.findall(r"\]\(([^)]*)\)", usual):
        if not target.endswith("metrics.json"):  # AllenNLP writes it
            assert (comparison.path / target).exists(), target
    names = ("base-1", "base-2", "other-1", "other-2")
    assert [row[0] for row in rows(usual, "Runs")] == [f"[{name}](runs/{name}/)" for name in names]
    # The page needs nothing beside it.
    page = (comparison.path / "report.html").read_text(encoding="utf-8")
    opened, closed = (Counter(re.findall(rf"<{end}([a-z]\w*)", page)) for end in ("", "/"))
    assert set(opened - closed) == {"img", "meta"} and not closed - opened
    assert not {"script", "link", "iframe"} & set(opened)
    # Learning curves and two confusion matrices. Four sentences are too few for scores over length.
    images = re.findall('<img[^>]* src="([^"]*)"', page)
    assert len(images) == 3
    for image in images:
        kind, data = image.split(",")
        assert kind == "data:image/svg+xml;base64" and b"<svg" in base64.b64decode(data)
    links = re.findall('<a[^>]* href="([^"]*)"', page)
    assert "runs/base-1/predictions.jsonl" in links
    assert not any(":" in link or link.startswith("/") for link in links)
    # Pictures that are read alike have one caption, and are side by side. In Markdown they are not.
    pictures = page.split('<div class="pictures">')[-1].split("</div>")[0]
    assert pictures.count("<img") == 2
    assert (usual.count("Each row is"), page.count("Each row is")) == (1, 1)
    assert (
        "![Confusion matrix of base](figures/confusion_base.svg)\n\n"
        "![Confusion matrix of other](figures/confusion_other.svg)\n\n"
        "*Confusion matrices.* Each row is the test set's"
    ) in usual


def test_runs_that_differ(comparison):
    """
    The first one's best epoch is its first. The second has more weights, and no measured peak, because
    it was resumed.
    """
    the_plan = plan("base")
    report(comparison, the_plan)
    first, second = map(comparison.run, the_plan.runs())
    write_epoch(first, 1, best_epoch=0, best_validation_accuracy=0.4)
    change(second.measurements, parameters=2345)
    change(second.training, peak_memory_bytes=None)
    write_json(second.recoveries, [{"epochs": 1, "batches": 3}])
    text = report(comparison, the_plan, right={})
    assert "A resumed run continues with the saved random state" in text
    one, two = rows(text, "Runs")
    assert [one[-1], two[-1]] == ["", "interrupted, resumed 1 time"]
    assert one[:8] == ["[base-1](runs/base-1/)", "40.00", "25.00", "1", "2", "10.0", "0.500", "512"]
    assert two[7] == "–"
    (row,) = rows(text, "Results")
    assert row[3] == "1,234 to 2,345" and row[7] == "512"
    for path in comparison.path.glob("runs/*/metrics_epoch_*.json"):  # without a validation set
        metrics = json.loads(path.read_text())
        write_json(path, {key: value for key, value in metrics.items() if "validation" not in key})
    assert rows(report(comparison, the_plan, right={}), "Results")[0][1] == "–"


def test_failed_and_missing_runs(comparison):
    the_plan = plan("base", "other", "broken")
    run = the_plan.runs()[2]
    log = ["Traceback", "a < b | c", "````", "<b>"]
    failure = Failure(run, "ended with exit status 1", comparison.log(run), log)
    text = report(comparison, the_plan, [failure])
    assert "2 runs not in this report: broken-1 (failed), broken-2." in text
    section = text.split("## Failed runs\n")[1]
    assert "broken-1 ended with exit status 1. The end of its log:" in section
    assert "\n\n    Traceback\n    a < b | c\n    ````\n    <b>\n" in section
    links = "[the whole log](logs/broken-1.log) [its config](configs/broken-1.json)"
    assert rows(text, "Failed runs") == [["broken-1", links]]
    assert "a &lt; b | c" in (comparison.path / "report.html").read_text(encoding="utf-8")
    assert in_json(comparison, "failed") == {"broken-1": "ended with exit status 1"}
    # If all have failed, the report says why.
    text = report(comparison, plan("broken", seeds=(1,)), [failure], right={})
    assert "1 run not in this report: broken-1 (failed)." in text and "a < b | c" in text
    assert "## Results" not in text


def test_many_differences_have_a_row_each(comparison):
    systems = [System("a", config(x="<b>", y=None)), System("b", config(y=2, z="[a|b](c)"))]
    both = Plan(systems, [1], "a", Metric("accuracy"))
    text = report(comparison, both, right={"a": [[1]], "b": [[0]]})
    assert sorted(rows(text, "What differs")) == [
        ["model.seq2vec\\_encoder.x", '"\\<b>"', "–"],
        ["model.seq2vec\\_encoder.y", "null", "2"],
        ["model.seq2vec\\_encoder.z", "–", '"\\[a\\', 'b\\](c)"'],  # the cell's bar, too
    ]


def test_seeds_that_are_done_are_counted(comparison):
    the_plan = plan("base", "other", seeds=range(1, 7))
    right = {"base": [[1, 0]] * 6, "other": [[1, 1]] * 6}
    assert "seeds" not in report(comparison, the_plan, right=right).split("## Results")[0]
    measured = comparison.run(the_plan.runs()[1]).measurements
    measured.unlink()
    assert "**Warning:** 1 run not in this report: other-1." in report(comparison, the_plan, right={})
    for run in the_plan.runs()[3:8:2]:
        comparison.run(run).measurements.unlink()
    text = report(comparison, the_plan, right={}).split("## Results")[0]
    assert "2 seeds of some systems: a t-test over so few has little power" in text
    for path in comparison.path.glob("runs/base-*/measurements.json"):
        path.unlink()
    text = report(comparison, the_plan, right={})
    assert "No run of the baseline base is done, so there are no comparisons." in text


def test_seeds_that_are_not_in_common_are_said(comparison):
    """Of the baseline's five seeds, the other systems have none, two, three and all."""
    seeds = {"base": range(5), "apart": range(5, 10), "partly": range(3, 8), "fewer": range(3)}
    seeds["all"] = seeds["base"]
    the_plan = plan(*seeds, seeds=range(10))
    for run in the_plan.runs():
        if run.seed in seeds[run.system]:  # the other seeds are better, which must not count
            write_run(comparison, run, [1, int(run.seed not in seeds["base"])])
    text = report(comparison, the_plan, right={})
    assert (
        "**Warning:** A system is compared to base only over the seeds that both have: apart has none, "
        "partly has 2, fewer has 3.\n"
    ) in text.split("## Results")[0]
    assert "**Warning:** 2 seeds in common with the baseline: a t-test over so few" in text
    found = [tuple(row[:3]) for row in rows(text, "Differences to base")]
    assert found == [("partly", "+0.00", "2"), ("fewer", "+0.00", "3"), ("all", "+0.00", "5")]
    assert all(one["over_sentences"]["difference"] == 0 for one in in_json(comparison, "comparisons"))


@pytest.mark.parametrize("is_later", (False, True))
@pytest.mark.parametrize(
    "conditions, sentence",
    [
        ({"runs_at_a_time": 3}, "Up to 3 runs shared a device: their times are not comparable."),
        ({"device": "a GPU"}, "The runs used different devices (CPU (2 cores), a GPU)"),
        ({"threads": 2}, "Times were measured with different numbers of threads (1, 2)"),
    ],
)
def test_times_that_are_not_comparable(comparison, conditions, sentence, is_later):
    """A run that was killed after training may be tested under other conditions."""
    the_plan = plan("base", "other")
    assert "not comparable" not in report(comparison, the_plan)
    run = the_plan.runs()[0]
    if is_later:
        conditions = {"device": "CPU (2 cores)", "threads": 1, "runs_at_a_time": 1, **conditions}
        change(comparison.run(run).measurements, conditions=conditions)
    else:
        write_run(comparison, run, [1, 1, 1, 1], **conditions)
    text = report(comparison, the_plan, right={})
    assert sentence in text and text.count("not comparable") == 1
    assert ("1 or 2 thread(s)" in text) == (conditions.get("threads") == 2)


def test_a_sweep_has_its_picture(comparison):
    systems = [System(f"t{steps}", config(type="slstm", num_steps=steps)) for steps in (1, 3)]
    right = {"t1": [[1, 1], [1, 0]], "t3": [[0, 0], [0, 1]]}
    text = report(comparison, Plan(systems, [1, 2], "t1", Metric("accuracy")), right=right)
    assert "![accuracy over recurrent steps](figures/sweep.svg)" in text
    assert (comparison.path / "figures" / "sweep.svg").exists()
    assert in_json(comparison, "pictures")["sweep.svg"] == {
        "x": "recurrent steps",
        "panels": [
            {"y": f"{part} accuracy (%)", "lines": {"t1 to t3": {"x": [1, 3], "values": values}}}
            for part, values in (("dev", [[50, 50], [50, 50]]), ("test", [[100, 50], [0, 50]]))
        ],
    }


def test_scores_and_times_over_length(comparison):
    """Sentence i has i words. The first 30 are wrong with seed 1, and the first 15 with seed 2."""
    for number, has_picture in ((59, False), (60, True)):  # two groups of 30
        report(comparison, plan("base"), right={"base": [[1] * number] * 2}, gold=("a",) * number)
        assert ("length.svg" in in_json(comparison, "pictures")) == has_picture
    right = {"base": [[0] * 30 + [1] * 150, [0] * 15 + [1] * 165]}
    report(comparison, plan("base"), right=right, gold=("a", "b") * 90)
    (panel,) = in_json(comparison, "pictures")["length.svg"]["panels"]
    middles, values = [16, 46, 76, 106, 136, 166], [[0, 50]] + [[100, 100]] * 5
    assert panel["lines"]["base"] == {"x": middles, "values": values}
    # The time over length
    the_plan = plan("base", "other")
    conditions = {"device": "a", "threads": 1, "runs_at_a_time": 4}
    for run in the_plan.runs():
        groups = [{"length": n, "seconds_per_sentence": n * run.seed / 1000} for n in (3, 6)]
        timed = {"groups": groups, "conditions": conditions}
        write_json(comparison.run(run).time_over_length, timed)
    text = report(comparison, the_plan)
    assert "(figures/time_over_length.svg)" in text
    (panel,) = in_json(comparison, "pictures")["time_over_length.svg"]["panels"]
    assert panel["y"] == "ms per training sentence"
    assert panel["lines"]["other"] == {"x": [3, 6], "values": [[3, 6], [6, 12]]}
    assert "Up to 4 runs shared a device" in text


def test_many_systems_have_panels_over_the_baseline(comparison):
    names = [f"system{number}" for number in range(7)]
    text = report(comparison, plan(*names), right={name: [[1] * 4, [0] * 4] for name in names})
    assert "Each line has its own panel, black, over system0 in grey dashes; panels of the same" in text
    fewer = report(comparison, plan(*names[:6]), right={})
    assert "Learning curves" in fewer and "Each line has its own panel" not in fewer


def test_numbers_for_programs(comparison, usual):
    """JSON has no NaN."""
    the_plan = plan("base", "other")
    nan = {"accuracy": 0.25, "loss": math.nan}
    change(comparison.run(the_plan.runs()[0]).measurements, test_metrics=nan)
    report(comparison, the_plan, right={})
    given = json.loads((comparison.path / "report.json").read_text())
    assert given["systems"]["other"]["test"]["mean"] == 0.875
    runs = given["systems"]["base"]["runs"]
    assert runs[1]["folder"] == "runs/base-2"
    assert [run["test_metrics"]["loss"] for run in runs] == [None, 1.5]
    assert given["comparisons"][0]["over_sentences"]["p_value"] == 0.25
    assert (given["baseline"], given["metric"]["name"]) == ("base", "accuracy")
    assert given["sentence_score"] == "accuracy"
    # Every picture
    pictures = given["pictures"]
    assert set(pictures) == {path.name for path in (comparison.path / "figures").glob("*.svg")}
    curves = pictures["learning_curves.svg"]
    accuracy, loss = curves["panels"]
    assert [curves["x"], accuracy["y"], loss["y"]] == ["epoch", "dev accuracy (%)", "training loss"]
    assert accuracy["lines"]["base"] == {"x": [1, 2], "values": [[40, 40], [50, 50]]}
    # The gold labels are a, b, a, b. One is right with the first seed, and two with the second.
    assert pictures["confusion_base.svg"]["labels"] == ["a", "b"]
    assert pictures["confusion_base.svg"]["counts"] == [[2, 2], [3, 1]]
    report(comparison, plan("base"), right={"base": [[1], [0]]})  # nothing to pair
    assert in_json(comparison, "sentence_score") is None


def test_a_metric_without_a_unit(comparison):
    text = report(comparison, plan("base", "other", metric="loss"))
    assert rows(text, "Results")[0][2] == "1.50 ± 0.00" and "These are different measures" in text
    assert rows(text, "Differences to base")[0][1] == "+0.0000"
    assert "| 95% over sentences, accuracy (%) |" in text and "| 95% over sentences |" not in text


def test_only_what_has_a_p_value_is_corrected(comparison):
    """One of three systems has one seed, and no test over seeds."""
    right = {
        "base": [[0] * 4, [1, 0, 0, 0]] * 3,
        "good": [[1, 1, 0, 0], [1, 1, 1, 1]] * 3,
        "poor": [[0] * 4, [0] * 4] * 3,
    }
    the_plan = plan("base", "good", "poor", "one", seeds=range(1, 7))
    first = next(run for run in the_plan.runs() if run.system == "one")
    write_run(comparison, first, [1, 1, 1, 1])
    text = report(comparison, the_plan, right=right)
    corrected = [one["corrected_p_value"] for one in in_json(comparison, "comparisons")]
    assert [value is not None for value in corrected] == [True, True, False]
    assert "The larger p is corrected for 2 comparisons" in text


def test_a_linear_model_is_in_every_table_and_picture(comparison):
    """It is beside two systems with two epochs, and has one epoch and one result for all seeds."""
    two = plan("base", "other", seeds=range(1, 6))
    the_plan = Plan([*two.systems, System("linear", LINEAR)], two.seeds, "base", two.metric)
    for run in the_plan.runs():
        is_linear = run.system == "linear"
        right = [1, 1, 1, 0] if is_linear else [run.seed % 2, 0, 0, 0]
        folder = write_run(comparison, run, right * 15, gold=("a", "b") * 30)  # enough for lengths
        groups = [] if is_linear else [{"length": 3, "seconds_per_sentence": 1.0}]
        write_json(folder.time_over_length, {"groups": groups})
        if is_linear:
            (folder.path / "metrics_epoch_1.json").unlink()
    text = report(comparison, the_plan, right={})
    for heading in ("Results", "Differences to base", "Differences to base by length"):
        assert [row[0] for row in rows(text, heading)][-1] == "linear"
    assert "](runs/linear-5/)" in text and "for linear, the time of the whole fit" in text
    pictures = in_json(comparison, "pictures")
    dev, loss = (panel["lines"] for panel in pictures["learning_curves.svg"]["panels"])
    assert dev["linear"] == {"values": [40.0] * 5}, "a horizontal line"
    assert loss["linear"] == {"values": [2.0] * 5} and len(dev["base"]["x"]) == 2
    assert "Horizontal, because they have no epochs: linear." in text
    assert "linear" in pictures["length.svg"]["panels"][0]["lines"]
    assert "confusion_linear.svg" in pictures
    assert list(pictures["time_over_length.svg"]["panels"][0]["lines"]) == ["base", "other"]
    assert "Without linear: no training steps." in text
    assert rows(text, "What differs") == [["base", "0"], ["other", "1"], ["linear", "–"]]
    assert 'Only here: model.type "linear\\_classifier", trainer.type "fit".' in text
    section = text.split("## What is the same\n")[1]
    assert "| key of the config | all systems but linear |" in section
    # The t-test is that of the baseline's scores against a constant.
    other, linear = in_json(comparison, "comparisons")
    differences = [75 - 25 * (seed % 2) for seed in range(1, 6)]
    expected = stats.ttest_1samp(differences, 0)
    assert linear["over_seeds"]["p_value"] == pytest.approx(expected.pvalue)
    assert linear["over_seeds"]["difference"] == pytest.approx(sum(differences) / 500)
    assert linear["verdict"] == "better"
    assert other["over_seeds"]["remark"] == "the results are the same with every seed: no t-test"


def test_earlier_runs_are_added_unless_they_are_outdated(comparison, tmp_path):
    """Other seeds and other systems. A config or data that have changed since leave them out."""
    data = tmp_path / "train.txt"
    data.write_text("before")
    right = {name: [[1, 1, 1, 0]] * 3 for name in ("base", "other", "third")}
    earlier, later = plan("base", "other", seeds=(1, 2)), plan("base", "third", seeds=(3,))
    for the_plan in (earlier, later):
        for system in the_plan.systems:
            system.config.update(train_data_path=str(data))
        for run in the_plan.runs():
            write_json(comparison.config(run), run.config)
        text = report(comparison, the_plan, right=right)
    seeds = {system: len(found["runs"]) for system, found in in_json(comparison, "systems").items()}
    assert seeds == {"base": 3, "third": 1, "other": 2} and "left out" not in text
    later.systems[0].config["trainer"] = {"num_epochs": 3, "validation_metric": "+accuracy"}
    text = report(comparison, later, right=right)
    assert "base-1, base-2: left out, because the config or the data have changed since." in text
    data.write_text("after")
    text = report(comparison, later, right=right)
    assert "base-1, base-2, other-1, other-2: left out, because" in text and "| other" not in text


def test_earlier_runs_of_one_system_with_different_configs_are_left_out(comparison):
    """Their mean would be that of no system."""
    right = {name: [[1, 1, 1, 0]] * 3 for name in ("base", "other", "third")}
    earlier = [plan("base", "other", seeds=(seed,)) for seed in (1, 2)]
    earlier[1].systems[1].config["trainer"] = {"num_epochs": 3, "validation_metric": "+accuracy"}
    for the_plan in (*earlier, plan("base", "third", seeds=(3,))):
        for run in the_plan.runs():
            write_json(comparison.config(run), run.config)
        text = report(comparison, the_plan, right=right)
    assert "other-1, other-2: left out, because the config" in text
    seeds = {system: len(found["runs"]) for system, found in in_json(comparison, "systems").items()}
    assert seeds == {"base": 3, "third": 1}


def test_systems_of_an_earlier_comparison_stay_in_the_report(comparison):
    """Unless they do not have the metric. Their other seeds are not missing."""
    earlier = plan("base", "other", seeds=(1, 2))
    for run in earlier.runs():
        write_json(comparison.config(run), run.config)
    report(comparison, earlier)
    later = plan("third", seeds=(1,))
    text = report(comparison, later, right={"third": [[1, 1, 1, 0]]})
    assert [row[0] for row in rows(text, "Results")] == ["third (baseline)", "base", "other"]
    assert "not in this report" not in text and len(rows(text, "Runs")) == 5
    for run in earlier.runs():
        change(comparison.run(run).measurements, test_metrics={"loss": 1.0})
    text = report(comparison, later, right={})
    assert "base-1, base-2, other-1, other-2: left out, because the test accuracy is not there" in text
