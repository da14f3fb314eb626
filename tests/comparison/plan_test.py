"""The plan of a comparison, from its options."""

import json

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.training_keys import DATA_KEYS
from slstm_allennlp.comparison.plan import (
    Metric,
    System,
    common_settings,
    plan_from_options,
    varied_keys,
)
from slstm_allennlp.training.own_data import with_data
from slstm_cli.bundled import whole_config
from tests.comparison.common import config
from tests.conftest import ROOT

MR = ["training_config/mr_bilstm.jsonnet", "training_config/mr_slstm.jsonnet"]
ONE = {"systems": {"a": {"config": MR[0]}}}
STEPS, WINDOW = "model.seq2vec_encoder.num_steps", "model.seq2vec_encoder.window_size"


def encoder(system):
    return system.config["model"]["seq2vec_encoder"]


def names_of(plan):
    return [system.name for system in plan.systems]


def test_configs_by_the_names_of_their_files():
    """One of the names is that of a config that comes with the package."""
    assert plan_from_options(MR).seeds == [13, 14, 15, 16, 17]
    plan = plan_from_options(["mr_bilstm", MR[1]], seeds=[3, 4])
    assert names_of(plan) == ["mr_bilstm", "mr_slstm"]
    assert (plan.baseline, plan.metric, plan.seeds) == ("mr_bilstm", Metric("accuracy", True), [3, 4])
    names = [run.name for run in plan.runs()]
    assert names == ["mr_bilstm-3", "mr_slstm-3", "mr_bilstm-4", "mr_slstm-4"]
    for run in plan.runs():
        assert {run.config[key] for key in ("random_seed", "numpy_seed", "pytorch_seed")} == {run.seed}
        # The worker evaluates the archive.
        assert run.config["evaluate_on_test"] is False and run.num_epochs == 30
    # With other names
    options = {"names": ["lstm", "slstm"], "overrides": {"trainer.num_epochs": 2}}
    plan = plan_from_options(MR, **options, baseline="slstm")
    assert plan.baseline == "slstm" and {run.num_epochs for run in plan.runs()} == {2}


@pytest.mark.parametrize(
    "options",
    [
        {"overrides": {"pytorch_seed": 7}},
        {"sweep": {"random_seed": [1, 2]}},
        {"variants": {"a": {"numpy_seed": 7}}},
    ],
)
def test_seeds_are_given_as_such(options):
    with pytest.raises(
        ConfigurationError, match=r"_seed is given for .*, and each run has its own, exp"
    ):
        plan_from_options(MR, **options)


def test_seeds_in_a_comparison_file(tmp_path):
    system = {"config": MR[0], "overrides": {"pytorch_seed": 2}}
    (tmp_path / "all.json").write_text(json.dumps({"systems": {"a": system}}))
    with pytest.raises(
        ConfigurationError, match="pytorch_seed is given for a, and each run has its own"
    ):
        plan_from_options([str(tmp_path / "all.json")])


def test_own_data(tmp_path):
    """As `slstm train --data` reads them, the same parts for all systems."""
    path = str(ROOT / "fixtures/reviews.csv")
    own = {"data": path, "dev": None, "test": None, "text": (), "label": None}
    overrides = {"dataset_reader.max_instances": 50}
    (tmp_path / "both.json").write_text(json.dumps({"systems": {"mr_slstm": {"config": MR[1]}}}))
    first, second = plan_from_options([MR[1], "mr_linear"], overrides=overrides, own_data=own).systems
    assert first.config == with_data(whole_config("mr_slstm"), path, overrides=overrides)
    assert first.config["test_data_path"] == f"{path}#test"
    assert all(second.config[key] == first.config[key] for key in DATA_KEYS)
    with pytest.raises(
        CorpusError, match=r"^compare: pos_slstm: .* is a table, and the model tags words"
    ):
        plan_from_options(["pos_slstm"], own_data=own)
    with pytest.raises(
        ConfigurationError, match=r"is a comparison file, expected no .* or --data beside"
    ):
        plan_from_options([str(tmp_path / "both.json")], own_data=own)
    with pytest.raises(ConfigurationError, match="no test_data_path, expected one, by --test beside"):
        plan_from_options(MR, own_data={**own, "dev": path})


def test_variants_and_sweeps():
    """A variant of one config goes by its own name, and over the overrides for all."""
    plan = plan_from_options(MR[1:], variants={"short": {STEPS: 2}, "long": {}}, overrides={STEPS: 8})
    steps = {system.name: encoder(system)["num_steps"] for system in plan.systems}
    assert steps == {"short": 2, "long": 8}
    plan = plan_from_options(MR[1:], sweep={STEPS: [1, 3], WINDOW: [1, 2]})
    sizes = [(encoder(s)["num_steps"], encoder(s)["window_size"]) for s in plan.systems]
    assert sizes == [(1, 1), (1, 2), (3, 1), (3, 2)]
    assert names_of(plan) == [f"num_steps={steps},window_size={window}" for steps, window in sizes]
    variants = {"slow": {"trainer.optimizer.lr": 1e-4}, "fast": {"trainer.optimizer.lr": 1e-2}}
    plan = plan_from_options(MR, names=["a", "b"], variants=variants, sweep={"trainer.patience": [1, 2]})
    first = ["a,slow,patience=1", "a,slow,patience=2", "a,fast,patience=1"]
    assert names_of(plan)[:3] == first and len(plan.systems) == 8
    # A sweep is over any values.
    key = "model.seq2vec_encoder.transition"
    values = ["fastnlp", {"preset": "released", "gate_normalization": "softmax"}, "a/b c", [1, 2], None]
    plan = plan_from_options(MR[:1], sweep={key: values})
    assert names_of(plan) == [
        "transition=fastnlp",
        "transition=preset=released+gate_normalization=softmax",
        "transition=a-b-c",
        "transition=1+2",
        "transition=None",
    ]
    assert plan.systems[1].config["model"]["seq2vec_encoder"]["transition"] == values[1]


def test_a_comparison_file(tmp_path):
    path = tmp_path / "comparison.jsonnet"
    path.write_text(
        """
        { systems: { ['steps%d' % steps]: { config: 'training_config/mr_slstm.jsonnet',
                       overrides: { 'model.seq2vec_encoder.num_steps': steps } } for steps in [2, 4] },
          seeds: [7, 8], overrides: { 'trainer.num_epochs': 3 }, baseline: 'steps4', metric: '-loss' }
        """
    )
    trial = {"overrides": {"trainer.num_epochs": 1, STEPS: 9}}  # such as for a short trial
    given = {"seeds": [1], "baseline": "steps2", "metric": "+accuracy"}
    for options, steps, epochs, expected in (
        ({}, [2, 4], 3, ([7, 8], "steps4", Metric("loss", False))),
        (given, [2, 4], 3, ([1], "steps2", Metric("accuracy"))),
        (trial, [9, 9], 1, ([7, 8], "steps4", Metric("loss", False))),
    ):
        plan = plan_from_options([str(path)], **options)
        assert [encoder(system)["num_steps"] for system in plan.systems] == steps
        assert plan.runs()[0].num_epochs == epochs
        assert (plan.seeds, plan.baseline, plan.metric) == expected


@pytest.fixture
def file(tmp_path):
    """Write a comparison file, and return its path."""

    def write(given):
        (tmp_path / "comparison.json").write_text(json.dumps(given))
        return str(tmp_path / "comparison.json")

    return write


def test_a_linear_model_and_a_systems_own_overrides(file):
    """They come after those for all."""
    assert names_of(plan_from_options([file({**ONE, "linear": True})])) == ["a", "linear"]
    assert names_of(plan_from_options([file(ONE)], linear=True)) == ["a", "linear"]
    systems = {"a": {"config": MR[1], "overrides": {STEPS: 2}}, "b": {"config": MR[1]}}
    plan = plan_from_options([file({"systems": systems, "overrides": {STEPS: 8}})])
    assert [encoder(system)["num_steps"] for system in plan.systems] == [2, 8]


@pytest.mark.parametrize(
    "configs, options",
    [(MR[:1], {}), ([], {"names": ["a"]}), ([], {"variants": {"a": {}}}), ([], {"sweep": {STEPS: [1]}})],
)
def test_beside_a_comparison_file_there_is_no_config(file, configs, options):
    with pytest.raises(ConfigurationError, match="is a comparison file, expected no other configs"):
        plan_from_options([file(ONE), *configs], **options)


@pytest.mark.parametrize(
    "given, message",
    [
        ([1], r"the content: it is \[1\], expected an object"),
        ({"systems": {}}, "systems is empty, expected names with a config each"),
        ({"systems": [MR[0]]}, r"systems: it is .*, expected an object"),
        ({"systems": {"a": {}}}, "the system a has no config"),
        ({"systems": {"a": {"config": "a", "seed": 1}}}, "the system a: there is a key seed, exp"),
        ({"systems": {"a": {"config": 3}}}, "the system a: config: it is 3, expected a string"),
        ({**ONE, "seed": [1]}, "there is a key seed, expected any of systems"),
        ({**ONE, "overrides": "{}"}, 'overrides: it is "{}"'),
        ({**ONE, "seeds": 5}, "seeds: it is 5, expected a list"),
        ({**ONE, "linear": "yes"}, 'linear: it is "yes", expected true or false'),
    ],
)
def test_what_is_wrong_with_a_comparison_file(file, given, message):
    with pytest.raises(ConfigurationError, match=f"comparison.json: {message}"):
        plan_from_options([file(given)])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"names": ["one"]}, "--names has one for 2 configs"),
        ({"names": ["one", "two", "three"]}, "--names has one, two, three for 2 configs"),
        ({"names": ["one", "one"]}, "the name one is given twice"),
        *(
            ({"names": [name, "b"]}, f"a system's name is '{name}', exp")
            for name in ("a/b", "_a", "", 201 * "a")
        ),
        ({"names": ["LSTM", "lstm"]}, r"the name lstm is given twice, .* whatever their case"),
        ({"seeds": []}, "there are no seeds"),
        ({"seeds": [1, 1]}, "the seed 1 is given twice, expected different ones$"),
        ({"seeds": [-1]}, "a seed is -1, expected a whole number from 0"),
        ({"seeds": [2**32]}, "a seed is 4294967296, expected a whole number from 0"),
        ({"seeds": ["1"]}, "a seed is '1', expected a whole number"),
        ({"seeds": [True]}, "a seed is True, expected a whole number"),
        ({"baseline": "lstm"}, "the baseline is 'lstm', expected one of mr_bilstm, mr_slstm"),
        ({"overrides": {"test_data_path": None}}, "mr_bilstm has no test_data_path, expected one"),
        ({"sweep": {"trainer.patience": 3}}, "--sweep has trainer.patience: 3, expected a list"),
        ({"sweep": {"trainer.patience": []}}, r"--sweep has trainer.patience: \[\], expected a list"),
        ({"sweep": {"trainer.patience": [1, 1.0]}}, r"\[1, 1\.0\], expected a list of different values"),
        ({"metric": "loss"}, "metric is 'loss', expected .loss where .*=-loss"),
        ({"overrides": {"trainer.optimizer.lr.rate": 1}}, "do not fit the config of mr_bilstm"),
    ],
)
def test_what_is_wrong_with_the_options(options, message):
    with pytest.raises(ConfigurationError, match=message):
        plan_from_options(MR, **options)


@pytest.mark.parametrize(
    "path, error, message",
    [
        ("no.jsonnet", ConfigurationError, "no.jsonnet: .*expected a Jsonnet or JSON"),
        ("fixtures", IsADirectoryError, "fixtures is a folder, expected a config"),
        ("mr_slsm", FileNotFoundError, "no config of that name, did you mean 'mr_slstm'"),
    ],
)
def test_a_config_that_is_not_there(path, error, message):
    with pytest.raises(error, match=message):
        plan_from_options([path])


def test_configs_with_other_metrics_need_one_to_be_named():
    configs = [MR[0], "training_config/ner_slstm.jsonnet"]
    differ = r"differ in trainer\.validation_metric \(\+accuracy in mr_\w+, \+f1-measure-overall in"
    with pytest.raises(ConfigurationError, match=differ):
        plan_from_options(configs)
    assert plan_from_options(configs, metric="+accuracy").metric == Metric("accuracy")


@pytest.mark.parametrize(
    "overrides, metric, epochs",
    [
        ({"trainer.validation_metric": ["+a", "-loss"]}, Metric("a"), 30),
        ({"trainer.validation_metric": None}, Metric("loss", False), 30),
        ({"trainer.validation_metric": "-b"}, Metric("b", False), 30),
        ({"trainer": "no_op"}, Metric("loss", False), 20),  # by its name alone: AllenNLP's defaults
        ({"trainer": None}, Metric("loss", False), 20),
    ],
)
def test_the_metric_is_the_first_that_chooses_the_best_epoch(overrides, metric, epochs):
    plan = plan_from_options(MR, overrides=overrides)
    assert (plan.metric, plan.runs()[0].num_epochs) == (metric, epochs)


def test_settings_that_differ_and_that_do_not():
    systems = [System("a", config(type="lstm", size=1)), System("b", config(type="lstm", bias=None))]
    systems[0].config["random_seed"] = 3  # ignored: each run has its own
    systems[1].config["evaluate_on_test"] = True  # ignored: the worker always evaluates
    for system in systems:
        system.config["distributed"] = None
    assert varied_keys(systems) == ["model.seq2vec_encoder.size", "model.seq2vec_encoder.bias"]
    for either in (systems, systems[::-1]):
        assert common_settings(either) == {
            "test_data_path": "test.txt",
            "model.type": "basic_classifier",
            "model.seq2vec_encoder.type": "lstm",
            "trainer.num_epochs": 2,
            "trainer.validation_metric": "+accuracy",
            "distributed": None,
        }
