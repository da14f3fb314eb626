"""The results, from the files of completed runs."""

import dataclasses
import math

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison.folders import Checkpoint
from slstm_allennlp.comparison.plan import Metric
from slstm_allennlp.comparison.report import write_report
from slstm_allennlp.comparison.results import Results, RunResult, epoch_seconds
from slstm_allennlp.predictors.predictions import Prediction, write_predictions
from tests.comparison.common import change, plan, write_epoch, write_run

pytestmark = pytest.mark.usefixtures("quick_pictures")


def test_epoch_seconds():
    durations = ["0:00:10", "0:00:25.5", "1 day, 0:00:30"]
    assert epoch_seconds(durations, []) == pytest.approx([10, 15.5, 24 * 3600 + 4.5])
    # The seconds start again after an interruption. Epoch 1 started again. Epoch 2 was resumed after
    # its 7th batch, so its time is left out.
    durations = ["0:00:10", "0:00:12", "0:00:05", "0:00:16"]
    assert epoch_seconds(durations, [Checkpoint(1, 0), Checkpoint(2, 7)]) == [10, 12, 11]
    assert epoch_seconds(["0:00:10"], [Checkpoint(0, 7)]) == []


def write_all(comparison, the_plan, right=(1, 1, 0, 0), **options):
    return [write_run(comparison, run, right, **options) for run in the_plan.runs()]


def test_a_system_with_another_test_set_is_not_compared(comparison):
    """Whatever the path of its file. It takes the test over sentences from no other system."""
    the_plan = plan("base", "other", "ahead", "words", seeds=range(5))
    the_plan.systems[1].config["test_data_path"] = "copy.txt"
    write_ahead(comparison, the_plan, {"other": [9, 9, 8, 9, 9], "ahead": [1, 2, 1, 2, 1]})
    other, ahead, _ = Results(the_plan, comparison).comparisons
    assert other.verdict == "better"  # a copy of the file, with the same labels
    assert ahead.over_seeds.p_value < 0.02 and ahead.verdict == "too close to call"
    of = {name: [run for run in the_plan.runs() if run.system == name] for name in ("other", "words")}
    for run in of["words"]:
        folder = write_run(comparison, run, [1] * 40, gold="ab" * 20)
        write_predictions(folder.predictions, [Prediction(3)] * 40)
    for gold, number in (("ba" * 20, 40), ("ab" * 18, 36)):  # other labels, and other sentences
        write_run(comparison, of["other"][-1], [1] * number, gold=gold)
        results = Results(the_plan, comparison)
        other, ahead, words = results.comparisons
        assert other.verdict == other.remark == "tested on other data"
        assert other.over_seeds.p_value is other.corrected_p_value is None
        assert ahead.over_sentences and ahead.verdict == "too close to call"
        assert "no test over sentences: words gives no labels" in words.remark
        report = write_report(results).read_text(encoding="utf-8").replace("\\", "")
        assert "Against base, tested on other data: other" in report
        assert "**Warning:** other-4 was tested on other sentences or labels than base-0" in report


def test_other_sentences_with_the_same_labels(comparison):
    """Such as those of two files that are sorted by label."""
    the_plan = plan("base", "other", seeds=(1,))
    lowered = {"base": "A film", "other": "a film"}  # of an uncased model
    for path in ("test.txt", "dvd.txt", "copy.txt"):
        the_plan.systems[1].config["test_data_path"] = path
        for run in the_plan.runs():
            folder = write_run(comparison, run, [1, 1, 0, 0])
            text = lowered[run.system] if path == "copy.txt" else run.name
            predictions = [Prediction(1, x, "a", texts={"tokens": text}) for x in "aabb"]
            write_predictions(folder.predictions, predictions)
        (compared,) = Results(the_plan, comparison).comparisons
        assert (compared.verdict == "tested on other data") == (path == "dvd.txt")


def test_tags_of_words_that_are_divided_otherwise(comparison):
    """Or in another encoding. Over seeds, they are compared."""
    the_plan = plan("base", "other", seeds=range(5))
    for run in the_plan.runs():
        folder = write_run(comparison, run, [1, 1, 1, 0])
        tags = ["B-A", "I-A"] if run.system == "base" else ["B-A", "I-A", "L-A"]
        words = "can not" if run.system == "base" else "can no t"
        texts = {"tokens": "not" if run == the_plan.runs()[-1] else words}
        write_predictions(folder.predictions, [Prediction(len(tags), tags, tags, texts=texts)] * 4)
    (compared,) = Results(the_plan, comparison).comparisons
    assert compared.verdict == "tested on other data"  # with the last seed
    (compared,) = Results(dataclasses.replace(the_plan, seeds=[0, 1, 2]), comparison).comparisons
    assert compared.over_seeds.remark in compared.remark and compared.over_sentences is None
    assert "other-0 was tested on other sentences or labels than base-0" in compared.remark


@pytest.mark.parametrize("number", [1, 2])
def test_one_test_sentence_is_too_few(comparison, number):
    the_plan = plan("base", "other")
    write_all(comparison, the_plan, [1] * number, gold=("a",) * number)
    (compared,) = Results(the_plan, comparison).comparisons
    assert (compared.over_sentences is None) == (number == 1)
    assert ("no test over sentences: there is one test sentence" in compared.remark) == (number == 1)


EDGE = (9, 2, 7, 1, 8)  # p = 0.03 by a t-test over five seeds
NOISE = (1, -1, 1, -1, 0)  # p = 1


def write_ahead(comparison, the_plan, ahead):
    """The baseline has 20 of 40 sentences right. `ahead` has how many more, by system and seed."""
    for run in the_plan.runs():
        num_right = 20 + ahead.get(run.system, [0] * 5)[run.seed]
        right = [1] * num_right + [0] * (40 - num_right)
        folder = write_run(comparison, run, right, gold="ab" * 20)
        accuracy = num_right / 40
        change(folder.measurements, test_metrics={"accuracy": accuracy, "loss": 2 - accuracy})


def test_a_comparison_among_several_is_corrected(comparison):
    """As the only comparison it has p < 0.05, as one of two it does not."""
    alone, among = plan("base", "edge", seeds=range(5)), plan("base", "noise", "edge", seeds=range(5))
    write_ahead(comparison, among, {"edge": EDGE, "noise": NOISE})
    (edge,) = Results(alone, comparison).comparisons
    p_value = edge.over_seeds.p_value
    assert edge.corrected_p_value == p_value == pytest.approx(0.0296, abs=1e-4)
    assert edge.over_sentences.p_value < p_value and edge.verdict == "better"
    noise, edge = Results(among, comparison).comparisons
    assert edge.corrected_p_value == pytest.approx(2 * p_value) and noise.corrected_p_value == 1
    assert edge.verdict == noise.verdict == "too close to call"


def test_a_lower_loss_is_better(comparison):
    by_loss = Metric("loss", higher_is_better=False)
    the_plan = dataclasses.replace(plan("base", "edge", seeds=range(5)), metric=by_loss)
    write_ahead(comparison, the_plan, {"edge": EDGE})
    (compared,) = Results(the_plan, comparison).comparisons
    assert compared.over_seeds.difference < 0 < compared.over_sentences.difference
    assert compared.verdict == "better"


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_not_a_number(comparison, score):
    """Such as Pearson's correlation of constants. The other runs are reported."""
    the_plan = plan("base", "other")
    folders = write_all(comparison, the_plan)
    change(folders[1].measurements, test_metrics={"accuracy": score})
    results = Results(the_plan, comparison)
    assert [result.run.name for result in results.done] == ["base-1", "base-2", "other-2"]
    report = write_report(results).read_text(encoding="utf-8")
    assert "other-1: left out, because the test accuracy is not there, or not a finite number." in report


def test_sentences_that_another_tokenizer_splits_are_paired(comparison):
    """They are paired by their labels. The lengths are the baseline's."""
    the_plan = dataclasses.replace(plan("other", "base", seeds=(1,)), baseline="base")
    for folder, size in zip(write_all(comparison, the_plan), (20, 10)):
        predictions = [Prediction(size + number, "a", "a") for number in range(4)]
        write_predictions(folder.predictions, predictions)
    results = Results(the_plan, comparison)
    assert results.unpaired is None and results.lengths == [10, 11, 12, 13]
    assert results.comparisons[0].over_sentences.p_value == 1


@pytest.mark.parametrize("num_labels", [0, 3])
def test_without_labels_there_is_no_test_over_sentences(comparison, num_labels):
    the_plan = plan("base", "other", seeds=(1,))
    words, label = Prediction(3, output={"tokens": ["a"]}), Prediction(3, "a", "a")
    for folder in write_all(comparison, the_plan):
        write_predictions(folder.predictions, [label] * num_labels + [words] * (4 - num_labels))
    results = Results(the_plan, comparison)
    assert results.comparisons[0].over_sentences is None
    assert results.unpaired == "base gives no labels that can be compared"
    assert results.disagreement is None


def test_a_metric_that_the_sentences_or_the_test_do_not_have(comparison):
    """Those of one system are enough."""
    the_plan = plan("base", "other", seeds=(1,))
    for given in (0.4, 0.6):
        for folder, accuracy in zip(write_all(comparison, the_plan), (0.5, given)):
            change(folder.measurements, test_metrics={"accuracy": accuracy})
        said = f"counted sentence by sentence is 0.5000 for other-1, but accuracy is {given}"
        assert said in Results(the_plan, comparison).disagreement
    # The test has no F1.
    the_plan = plan("base", seeds=(1,), metric="f1")
    write_all(comparison, the_plan)
    message = "the metric f1 is not there, .* by --metric one of accuracy, loss"
    with pytest.raises(ConfigurationError, match=message):
        Results(the_plan, comparison)


def test_span_f1_takes_the_configs_encoding(comparison):
    """Each system's."""
    the_plan = plan("base", "other", seeds=(1,), metric="f1-measure-overall")
    for run, encoding in zip(the_plan.runs(), ("BMES", "BIOUL")):
        run.config["model"]["label_encoding"] = encoding
    for folder, (end, single) in zip(write_all(comparison, the_plan), ("ES", "LU")):
        first = Prediction(2, ["B-X", f"{end}-X"], [f"{single}-X"] * 2)
        write_predictions(folder.predictions, [first, Prediction(1, [f"{single}-X"], [f"{single}-X"])])
        change(folder.measurements, test_metrics={"f1-measure-overall": 0.4})
    results = Results(the_plan, comparison)
    assert results.sentence_score == "span F1" and results.plan.metric == Metric("f1-measure-overall")
    for run in results.done:
        assert results.counts([run]).scores().tolist() == [0.4]
    assert results.disagreement is None
    for run in the_plan.runs():
        change(comparison.run(run).measurements, test_metrics={"accuracy": 1 / 3})
    results = Results(dataclasses.replace(the_plan, metric=Metric("accuracy")), comparison)
    assert results.sentence_score == "accuracy of the tags" and results.disagreement is None


@pytest.mark.parametrize(
    "name, content",
    [
        ("measurements.json", '{"te'),
        ("training.json", None),
        ("metrics_epoch_1.json", ""),
        ("predictions.jsonl", '{"length": 1'),
        ("predictions.jsonl", '{"size": 1}'),
        ("predictions.jsonl", None),
    ],
)
def test_a_damaged_file_is_named(comparison, name, content):
    the_plan = plan("base", "other")
    path = write_all(comparison, the_plan)[1].path / name
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigurationError, match=rf"other-1/{name}: cannot be read \(.*remove the run"):
        _ = Results(the_plan, comparison).comparisons


def test_the_median_of_the_epochs(comparison):
    """Epochs of 10 and 20 seconds, then also of 90. AllenNLP writes the seconds since the start."""
    run = plan("base").runs()[0]
    folder = write_run(comparison, run, [1, 0, 1, 0])
    for number, duration, median in ((1, "0:00:30", 15), (2, "0:02:00", 20)):
        write_epoch(folder, number, training_duration=duration, best_validation_accuracy=0.5)
        assert RunResult(run, folder, Metric("accuracy")).seconds_per_epoch == median
    # A trainer without epochs, such as AllenNLP's `no_op`, for a baseline that does not learn
    the_plan = plan("base", seeds=(1,))
    (folder,) = write_all(comparison, the_plan)
    for epoch in folder.epoch_files():
        epoch.unlink()
    results = Results(the_plan, comparison)
    (result,) = results.done
    assert (result.validation_score, result.best_epoch, result.seconds_per_epoch) == (None, None, None)
    report = write_report(results).read_text(encoding="utf-8")
    assert "evaluated with the model of the last epoch" in report
