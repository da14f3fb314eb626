"""Measurements of trained models, for each kind of model in the configs."""

import copy
import itertools
import json
import statistics

import pytest
from allennlp.commands.train import train_model, train_model_from_file
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.comparison.evaluation import TrainedRun, batch_size_of, device_of, peak_memory
from slstm_allennlp.comparison.folders import read_json
from slstm_allennlp.comparison.significance import counts_of
from slstm_allennlp.console.main import main
from tests.commands_test import small
from tests.conftest import SMALL, train


def trained_run(folder, **changes):
    return TrainedRun(str(folder / "model.tar.gz"), {**read_json(folder / "config.json"), **changes})


@pytest.mark.parametrize("name", ["classifier", "tagger", "pair_classifier"])
def test_predictions_make_up_the_accuracy(request, name):
    """
    Predictions are in the order of the test set. They are made without dropout, in other batches than
    AllenNLP's evaluation.
    """
    folder = request.getfixturevalue(name)
    trained = trained_run(folder)
    predictions = trained.predict()
    measured = trained.measure()
    assert counts_of([predictions]).scores()[0] == pytest.approx(measured["test_metrics"]["accuracy"])
    assert len({prediction.length for prediction in predictions}) > 3
    assert measured["test_seconds"] > 0 and trained.predict() == predictions
    path = read_json(folder / "config.json")["test_data_path"]
    if name == "tagger":
        assert all(len(one.gold) == len(one.predicted) == one.length for one in predictions)
    elif name == "classifier":
        instances = list(trained._archive.validation_dataset_reader.read(path))
        expected = [(one["label"].label, len(one["tokens"].tokens)) for one in instances]
        assert [(prediction.gold, prediction.length) for prediction in predictions] == expected


def test_predictions_make_up_the_span_f1(tmp_path):
    overrides = {**SMALL, "trainer.num_epochs": 3, "trainer.optimizer.lr": 0.03}
    trained = trained_run(train(tmp_path / "run", "ner_bilstm", overrides))
    predictions = trained.predict()
    f1 = trained.measure()["test_metrics"]["f1-measure-overall"]
    assert 0 < f1 < 1
    assert counts_of([predictions], "BIOUL").scores()[0] == pytest.approx(f1)


def test_batches_of_texts_that_are_shorter_than_a_filter(tmp_path, capsys):
    """They are padded in `predict`, `time_over_length` and `slstm evaluate`, whatever their batch."""
    lines = [
        f"{'good film' if number % 2 else 'a bad film and too long'},{number % 2}"
        for number in range(20)
    ]
    (tmp_path / "all.csv").write_text("\n".join(["text,label", *lines]))
    (tmp_path / "short.csv").write_text("\n".join(["text,label", *lines[1::2]]))
    encoder = {"type": "cnn", "num_filters": 2, "ngram_filter_sizes": [2, 5]}
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}}
    config = {
        "dataset_reader": {"type": "table"},
        **dict.fromkeys(("train_data_path", "test_data_path"), str(tmp_path / "all.csv")),
        "model": {
            "type": "basic_classifier",
            "text_field_embedder": embedder,
            "seq2vec_encoder": encoder,
        },
        "data_loader": {"batch_size": 20},
        "trainer": {"num_epochs": 1, "optimizer": "adam"},
    }
    train_model(Params(copy.deepcopy(config)), str(tmp_path / "run"))
    archive = str(tmp_path / "run/model.tar.gz")
    trained = TrainedRun(archive, {**config, "data_loader": {"batch_size": 2}})
    assert len(trained.predict()) == 20 and len(trained.time_over_length()) == 10
    capsys.readouterr()
    assert main(["evaluate", archive, str(tmp_path / "short.csv")]) == 0
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.parametrize(
    "loader",
    [
        {"batch_size": 50, "drop_last": True},
        {"batch_size": 1000, "drop_last": True},
        {"batch_size": 3, "batches_per_epoch": 2, "shuffle": True},
        {"batch_sampler": {"type": "bucket", "batch_size": 30, "drop_last": True}},
    ],
)
def test_the_whole_test_set_counts(classifier, loader):
    """Without a `validation_data_loader`, the training data loader also loads the test set."""
    trained = trained_run(classifier, data_loader=loader)
    accuracy = trained.measure()["test_metrics"]["accuracy"]
    assert accuracy == pytest.approx(counts_of([trained.predict()]).scores()[0])
    assert trained._config["data_loader"] == loader  # unchanged


def test_a_translation_has_words_and_no_labels(tmp_path):
    config = small("training_config/translation_lstm.jsonnet")
    config["dataset_reader"]["max_instances"] = 12
    config["model"]["decoder"]["beam_search"] = {"beam_size": 2, "max_steps": 5}
    (tmp_path / "small.json").write_text(json.dumps(config))
    train_model_from_file(str(tmp_path / "small.json"), str(tmp_path / "run"))
    trained = trained_run(tmp_path / "run", test_data_path="fixtures/translation/test.tsv")
    predictions = trained.predict()
    assert len(predictions) == 12
    for one in predictions:
        assert one.gold is None and one.predicted is None and "predicted_tokens" in one.output
    assert "BLEU" in trained.measure()["test_metrics"]


def test_parameters_that_training_leaves_alone(classifier):
    trained = trained_run(classifier)
    sizes = {name: parameter.numel() for name, parameter in trained.model.named_parameters()}
    measured = trained.measure()
    assert measured["parameters"] == measured["trained_parameters"] == sum(sizes.values())
    trainer = {**read_json(classifier / "config.json")["trainer"], "no_grad": ["^_text_field_embedder"]}
    held_back = trained_run(classifier, trainer=trainer)
    trained_sizes = {name: n for name, n in sizes.items() if not name.startswith("_text_field_embedder")}
    measured = held_back.measure()
    assert measured["parameters"] == sum(sizes.values()) > sum(trained_sizes.values())
    assert measured["trained_parameters"] == sum(trained_sizes.values())
    assert len(held_back.time_over_length()) == 10
    named = held_back.model.named_parameters()
    assert {name for name, parameter in named if parameter.requires_grad} == set(trained_sizes)


def test_too_few_sentences(tagger):
    trained = trained_run(tagger)
    trained._archive.validation_dataset_reader.max_instances = 0
    with pytest.raises(ConfigurationError, match=r"test\.conllu \(test_data_path\): no instances"):
        trained.predict()
    trained._archive.dataset_reader.max_instances = 9
    with pytest.raises(ConfigurationError, match=r"train\.conllu: 9 instances, expected 10 or more"):
        trained.time_over_length()


def test_time_over_length(tagger, monkeypatch):
    """It times training: a warm-up batch, and then up to five batches of each of ten groups."""
    trained, batches = trained_run(tagger), []
    timed = trained._seconds_to_train_on

    def watched(instances):
        assert trained.model.training
        batches.append([len(instance["tokens"].tokens) for instance in instances])
        return timed(instances)

    monkeypatch.setattr(trained, "_seconds_to_train_on", watched)
    monkeypatch.setattr(trained, "_batch_size", 3)
    groups = trained.time_over_length()
    lengths = [group["length"] for group in groups]  # each is the median of its group
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1] < max(map(max, batches))
    read = trained._read(trained._archive.dataset_reader, "train_data_path")
    every = sorted(len(instance["tokens"].tokens) for instance in read)
    bounds = [len(every) * number // 10 for number in range(11)]
    assert lengths == [statistics.median_high(every[a:b]) for a, b in itertools.pairwise(bounds)]
    number = len(batches) // 10
    assert 2 <= number <= 5 and len(batches) == 1 + 10 * number
    for group, start in zip(groups, range(1, len(batches), number)):
        assert group["sentences"] == sum(map(len, batches[start : start + number]))
        assert group["seconds_per_sentence"] > 0
    gradients = [parameter.grad for parameter in trained.model.parameters()]
    assert not any(gradient is not None and gradient.any() for gradient in gradients)


@pytest.mark.parametrize(
    "config, device",
    [
        ({"trainer": {"cuda_device": 2}}, 2),
        ({"trainer": {"cuda_device": -1}}, -1),
        ({"trainer": {}, "distributed": {"cuda_devices": [1, 2]}}, 1),
        ({"trainer": {"cuda_device": -1}, "distributed": None}, -1),
        # With a GPU, a fitted model is on the CPU all the same.
        ({"trainer": "fit"}, -1),
        ({"trainer": {"type": "fit"}}, -1),
        ({"trainer": {"type": "gradient_descent"}}, 0),
    ],
)
def test_the_configs_device(monkeypatch, config, device):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert device_of(config) == device


def test_batch_sizes():
    samplers = {"type": "bucket", "batch_size": 9}, {"type": "max_tokens_sampler"}, "max_tokens_sampler"
    loaders = [{"batch_size": 7}, {"batch_size": 7, "batch_sampler": None}]
    loaders += [{"batch_sampler": sampler} for sampler in samplers]
    assert [batch_size_of({"data_loader": loader}) for loader in loaders] == [7, 7, 9, 32, 32]


def test_peak_memory_includes_memory_that_was_freed():
    before, kind = peak_memory(-1)
    block = bytearray(before + 100_000_000)
    block[::4096] = b"x" * len(block[::4096])  # only memory that is written to counts
    grown = peak_memory(-1)[0]
    del block
    assert kind == "CPU" and grown - before >= 90_000_000
    assert peak_memory(-1)[0] >= grown - 10_000_000  # the kernel's count is approximate
