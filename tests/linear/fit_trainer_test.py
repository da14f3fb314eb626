"""The trainer `fit`, with AllenNLP's commands."""

import json
import shutil
from unittest import mock

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import prepare_environment
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from tests.conftest import train

FEW = {"dataset_reader.max_instances": 60}
MISSPELLED = {"type": "fit", "validation_metric": "+acuracy"}
SENTENCE = {"sentence": "Rosa lives in London."}
PAIR = {"premise": "A man sings.", "hypothesis": "A man sleeps."}
SENTENCES = {"mr_linear": SENTENCE, "ner_linear": SENTENCE, "snli_linear": PAIR}


@pytest.fixture(scope="module", params=list(SENTENCES))
def run(request, trained):
    overrides = {**FEW, "model.max_iterations": 10} if request.param == "ner_linear" else FEW
    return request.param, trained(f"fitted_{request.param}", request.param, overrides)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_what_is_trained_is_said(trained):
    folder = trained("fitted_mr_linear", "mr_linear", FEW)
    log = (folder / "out.log").read_text(encoding="utf-8")
    assert "Training linear_classifier: 60 sentences and " in log
    card = (folder / "model_card.md").read_text(encoding="utf-8")
    weights = load_archive(folder / "model.tar.gz").model.num_weights
    assert weights > 60 and f"- model: `linear_classifier`, {weights:,} weights" in card


def test_it_writes_what_allennlps_trainer_writes(run):
    name, folder = run
    epoch, metrics = read(folder / "metrics_epoch_0.json"), read(folder / "metrics.json")
    assert epoch["epoch"] == epoch["best_epoch"] == 0
    for metric in ("accuracy", "loss"):
        assert epoch[f"validation_{metric}"] == epoch[f"best_validation_{metric}"]
        assert f"training_{metric}" in epoch
    assert epoch["validation_loss"] != epoch["training_loss"]  # of other sentences
    assert epoch["training_duration"].startswith("0:00:")
    assert 0.5 < epoch["training_accuracy"] <= 1
    assert {key: metrics[key] for key in epoch} == epoch and 0 <= metrics["test_accuracy"] <= 1
    assert (epoch.get("training_C") is not None) == (name != "ner_linear")


def test_the_archive_predicts_the_same(run):
    name, folder = run
    one, other = (Predictor.from_archive(load_archive(folder / "model.tar.gz")) for _ in range(2))
    weights = torch.load(folder / "best.th")  # with PyTorch's own allow-list, if it has one
    assert set(weights) == {"_nothing", "_extra_state"}
    assert one._model.num_weights == other._model.num_weights > 100
    output = one.predict_json(SENTENCES[name])
    assert output == other.predict_json(SENTENCES[name])
    if name == "ner_linear":
        assert len(output["tags"]) == len(output["words"])
    else:
        assert output["label"] in one._model.vocab._token_to_index["labels"]
        assert sum(output["probabilities"].values()) == pytest.approx(1)


def test_recover_fits_again(run, tmp_path):
    """`--recover` starts from the beginning, and gets the same metrics."""
    folder = shutil.copytree(run[1], tmp_path / "run")
    import_plugins()
    params = Params(read(folder / "config.json"))
    prepare_environment(params)
    before = read(folder / "metrics.json")
    (folder / "metrics.json").unlink()
    train_model(params, str(folder), recover=True, return_model=False)
    after = read(folder / "metrics.json")
    assert after.keys() == before.keys()
    assert all(after[key] == before[key] for key in before if "duration" not in key)


def test_an_interruption(tmp_path, monkeypatch):
    """There are no weights yet, and nothing is archived."""
    fit = "slstm_allennlp.linear.classifier.LogisticClassifier.fit"
    monkeypatch.setattr(fit, mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", "mr_linear", FEW)
    assert not (tmp_path / "run" / "model.tar.gz").exists()


def test_without_a_validation_set(tmp_path):
    folder = train(tmp_path / "run", "mr_linear", {**FEW, "validation_data_path": None})
    epoch = read(folder / "metrics_epoch_0.json")
    assert epoch["training_C"] == 1
    assert not [key for key in epoch if "validation" in key]
    with_one = train(tmp_path / "with", "mr_linear", {**FEW, "model.strengths": [0.1, 10.0]})
    assert read(with_one / "metrics_epoch_0.json")["training_C"] in (0.1, 10)  # not 1


@pytest.mark.parametrize(
    "config, trainer, message",
    [
        ("mr_linear", MISSPELLED, r"is \+acuracy, which LinearClassifier does not have, .*, loss$"),
        ("mr_bilstm", {"type": "fit"}, "trainer fit has a model BasicClassifier, expected"),
        ("mr_linear", {"optimizer": "adam"}, "LinearClassifier is not fitted, expected"),
    ],
)
def test_configs_that_do_not_fit(tmp_path, config, trainer, message):
    with pytest.raises(ConfigurationError, match=message):
        train(tmp_path / "run", config, {**FEW, "trainer": trainer})
