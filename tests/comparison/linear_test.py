"""The linear model in a comparison: its config, and its place in the plan."""

import copy
import json
import sys

import allennlp_models.structured_prediction  # noqa: F401  (registers srl)
import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison.linear import stand_in
from slstm_allennlp.comparison.plan import load_jsonnet, plan_from_options

BILSTM, SLSTM = (f"training_config/mr_{name}.jsonnet" for name in ("bilstm", "slstm"))


def config(model, **more):
    return {"dataset_reader": {"type": "snli"}, "train_data_path": "a", "model": model, **more}


@pytest.mark.parametrize(
    "given",
    "mr_slstm mtl_bilstm sst2_lstm sst5_cas_lstm pos_slstm snli_lstm quora_slstm ner_slstm".split(),
)
def test_it_is_what_the_linear_config_of_a_task_says(given):
    """Except for two defaults that are explicit in its config."""
    original = load_jsonnet(f"training_config/{given}.jsonnet")
    before = copy.deepcopy(original)
    found = stand_in(given, original, original["trainer"]["validation_metric"])
    assert original == before
    for key in ("features", "calculate_span_f1"):
        if found["model"].get(key) in ("nli", True):
            del found["model"][key]
    assert found == load_jsonnet(f"training_config/{given.split('_')[0]}_linear.jsonnet")


def test_readers_and_data_stay():
    data = {
        "validation_data_path": "b",
        "test_data_path": "c",
        "data_loader": {"batch_size": 7},
        "validation_data_loader": {"batch_size": 8},
    }
    dropped = {"trainer": {"num_epochs": 3}, "vocabulary": {}, "distributed": {"cuda_devices": [0, 1]}}
    given = config({"type": "esim"}, **data, **dropped, validation_dataset_reader="snli")
    reader = {"type": "snli", "token_indexers": {"words": {"type": "utf8"}}}
    assert stand_in("x", given, "-loss") == {
        **data,
        "dataset_reader": reader,
        "validation_dataset_reader": reader,
        "train_data_path": "a",
        "model": {"type": "linear_pair_classifier"},
        "trainer": {"type": "fit", "validation_metric": "-loss"},
    }


BALANCED = {"class_weights": "balanced"}


@pytest.mark.parametrize(
    "model, linear, kept",
    [
        ("basic_classifier", "linear_classifier", {"label_namespace": "x", **BALANCED}),
        ("classifier_and_linear", "linear_classifier", BALANCED),
        ("sentence_pair_classifier", "linear_pair_classifier", BALANCED),
        ("combined_pair_classifier", "linear_classifier", {"label_namespace": "x"}),
        ("decomposable_attention", "linear_pair_classifier", {}),
        ("bimpm", "linear_pair_classifier", {}),
        ("simple_tagger", "linear_tagger", {"label_namespace": "x"}),
    ],
)
def test_models_for_which_it_stands_in(model, linear, kept):
    found = stand_in("x", config({"type": model, **kept}), "+accuracy")
    assert found["model"] == {"type": linear, **kept}


def test_pairs_that_are_one_text_are_pairs_again(tmp_path):
    """Also for a sampler that sorts by this text."""
    given = load_jsonnet("training_config/pairs_bert.jsonnet")
    found = stand_in("x", given, "+accuracy")
    assert found["model"] == {"type": "linear_pair_classifier"}
    assert found["dataset_reader"] == {
        **given["dataset_reader"],
        "combine_input_fields": False,
        "token_indexers": {"words": {"type": "utf8"}},
    }
    train_model(Params(found), str(tmp_path / "run"))
    assert 0 < json.loads((tmp_path / "run/metrics.json").read_text())["best_validation_accuracy"] < 1


def test_counts_of_words_stand_in_for_means_of_embedded_words():
    given = load_jsonnet("training_config/reviews_frozen.jsonnet")
    found = stand_in("x", given, "+accuracy")
    assert found["model"] == {"type": "linear_classifier", "calibrated": True}
    assert found["dataset_reader"] == {
        **given["dataset_reader"],
        "token_indexers": {"words": {"type": "utf8"}},
    }
    given["model"] = {"type": "linear_classifier"}
    with pytest.raises(ConfigurationError, match="no model that can stand in for linear_classifier"):
        stand_in("x", given, "+accuracy")


def test_the_namespace_of_a_part():
    model = {"type": "classifier_and_linear", "classifier": {"label_namespace": "x"}}
    found = stand_in("x", config(model), "+accuracy")
    assert found["model"] == {"type": "linear_classifier", "label_namespace": "x"}


def test_a_key_that_it_does_not_have(caplog):
    stand_in("x", config({"type": "crf_tagger", **BALANCED}), "+accuracy")
    assert "--linear: linear_tagger has no class_weights, unlike x" in caplog.text


BIO = {"type": "crf_tagger", "label_encoding": "BIO"}


@pytest.mark.parametrize(
    "model, metric, message",
    [
        (
            {"type": "composed_seq2seq"},
            "+BLEU",
            "stand in for composed_seq2seq, the model of x, expected a classifier of texts or pairs,",
        ),
        ({"type": "srl"}, "+accuracy", "stand in for srl, the model of x"),
        ({"type": "basic_classifier"}, "+acuracy", "is [+]acuracy, which linear_.*accuracy, loss$"),
        ({"type": "crf_tagger"}, "+f1-measure-overall", "is [+]f1.*which linear_.*accuracy, loss$"),
        ({**BIO, "calculate_span_f1": False}, "+f1", "is [+]f1, which linear_tagger .*loss$"),
        (BIO, "+accuracy3", "is [+]accuracy3, which linear_tagger .*f1-measure-overall$"),
    ],
)
def test_a_model_or_a_metric_that_it_does_not_have(model, metric, message):
    with pytest.raises(ConfigurationError, match=message):
        stand_in("x", config(model), metric)


def test_the_plan_has_it_last(monkeypatch):
    plan = plan_from_options([BILSTM, SLSTM], baseline="mr_slstm", linear=True)
    assert [system.name for system in plan.systems] == ["mr_bilstm", "mr_slstm", "linear"]
    assert plan.baseline == "mr_slstm" and plan.metric.name == "accuracy"
    assert [run.num_epochs for run in plan.runs()[:3]] == [30, 30, 1]
    assert plan.systems[2].config == load_jsonnet("training_config/mr_linear.jsonnet")
    # It can be the baseline, and its name must be free.
    assert plan_from_options([BILSTM], baseline="linear", linear=True).baseline == "linear"
    with pytest.raises(ConfigurationError, match="the name linear is given twice"):
        plan_from_options([BILSTM], names=["linear"], linear=True)
    # It has the data of the baseline, which overrides may have changed.
    variants = {"a": {"dataset_reader.fold": 1}, "b": {"dataset_reader.fold": 2}}
    plan = plan_from_options([BILSTM], variants=variants, baseline="b", linear=True)
    assert plan.systems[-1].config["dataset_reader"]["fold"] == 2
    # Without crfsuite it is said before anything runs.
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(ConfigurationError, match="pycrfsuite is not installed"):
        plan_from_options(["training_config/pos_slstm.jsonnet"], linear=True)
