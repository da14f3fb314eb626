"""A classifier combined with a linear model: predictions, training, archive and errors."""

import copy
import json

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.training.calibration import calibration_factor
from tests.linear.common import fitted, read

CLASSIFIER = {
    "type": "basic_classifier",
    "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 5}}},
    "seq2vec_encoder": {"type": "slstm", "hidden_size": 4, "num_steps": 2},
}
MODEL = {"type": "classifier_and_linear", "classifier": CLASSIFIER, "linear_indexer": "words"}
INDEXERS = {"tokens": {"type": "single_id"}, "words": {"type": "utf8"}}
READER = {"type": "review", "dataset": "books", "token_indexers": INDEXERS}
CONFIG = {
    "dataset_reader": READER,
    "train_data_path": "fixtures/mtl#train",
    "validation_data_path": "fixtures/mtl#dev",
    "data_loader": {"batch_size": 8},
    "trainer": {"optimizer": "adam", "validation_metric": "+accuracy"},
}


def config(model=MODEL, callbacks=("fit_linear",), num_epochs=1, **keys):
    params = Params(copy.deepcopy({**CONFIG, "model": {**model, **keys}}))
    params["trainer"].update({"num_epochs": num_epochs, "callbacks": [*callbacks]})
    return params


@pytest.mark.parametrize("weight", (0, 1, 0.3))
def test_the_product_of_both(tmp_path, weight):
    model = train_model(config(weight=weight), str(tmp_path / "run"))
    assert model.linear._calibrated
    batch = Batch(read("fixtures/mtl#test", **READER))
    batch.index_instances(model.vocab)
    tensors = batch.as_tensor_dict()
    with torch.no_grad():
        both = model.eval()(**tensors)
        its_inputs = {"tokens": {"tokens": tensors["tokens"]["tokens"]}, "label": tensors["label"]}
        alone = model.classifier(**its_inputs)
        linear = model.linear(tokens=tensors["tokens"])
        in_training = model.train()(**tensors)
    product = alone["probs"] * linear["probs"] ** weight
    product = product / product.sum(1, keepdim=True)
    torch.testing.assert_close(both["probs"], product)
    gold = product[range(len(product)), tensors["label"]]
    torch.testing.assert_close(both["loss"], -gold.log().mean())
    torch.testing.assert_close(in_training["loss"], alone["loss"])  # no dropout here
    assert torch.equal(in_training["logits"], alone["logits"])
    if weight:
        assert not torch.allclose(both["probs"], alone["probs"], atol=1e-3)
    model.eval().get_metrics(reset=True)
    model(**tensors)
    right = (product.argmax(1) == tensors["label"]).float().mean().item()
    assert model.get_metrics()["accuracy"] == pytest.approx(right)


def test_labels_in_another_namespace(tmp_path):
    given = config({**MODEL, "classifier": {**CLASSIFIER, "label_namespace": "x_labels"}})
    given["dataset_reader"]["label_namespace"] = "x_labels"
    model = train_model(given, str(tmp_path / "run"))
    (output,) = Predictor.from_path(str(tmp_path / "run")).predict_batch_json([{"text": "A fine book."}])
    known = set(model.vocab.get_token_to_index_vocabulary("x_labels"))
    assert {output["label"]} < set(output["probabilities"]) == known == {"negative", "positive"}


def test_the_linear_model_is_that_of_the_train_set(tmp_path):
    model = train_model(config(linear={"strengths": [3.0]}), str(tmp_path / "run"))
    train, dev = (read(f"fixtures/mtl#{part}", **READER) for part in ("train", "dev"))
    same, _ = fitted(train, dev, type="linear_classifier", strengths=[3.0])
    ours, theirs = model.linear.get_extra_state(), same.get_extra_state()
    assert ours["terms"] == theirs["terms"]
    # The vocabularies may number the labels differently.
    sign = 1 if ours["classes"] == theirs["classes"] else -1
    torch.testing.assert_close(ours["coefficients"], sign * theirs["coefficients"])


def test_the_product_is_calibrated_on_the_validation_set(tmp_path):
    batch, outputs = Batch(read("fixtures/mtl#dev", **READER)), {}
    for name, callbacks in (("without", ["fit_linear"]), ("with", ["calibrate", "fit_linear"])):
        train_model(config(callbacks=callbacks), str(tmp_path / name))
        model = load_archive(tmp_path / name / "model.tar.gz").model.eval()
        batch.index_instances(model.vocab)
        with torch.no_grad():
            outputs[name] = model(**batch.as_tensor_dict())
    factor = json.loads((tmp_path / "with/metrics.json").read_text())["calibration_factor"]
    logits, labels = outputs["without"]["logits"], batch.as_tensor_dict()["label"]
    assert factor == pytest.approx(calibration_factor(logits, labels), rel=0.01) != 1
    torch.testing.assert_close(outputs["with"]["probs"], (factor * logits).softmax(-1))


def test_fine_tuning_fits_the_linear_model_again(tmp_path):
    """Its coefficients were those of the first train set."""
    first = train_model(config(), str(tmp_path / "run"))
    archive = {"type": "from_archive", "archive_file": str(tmp_path / "run" / "model.tar.gz")}
    fresh, tuned = config(), config(model=archive)
    fresh["train_data_path"] = tuned["train_data_path"] = "fixtures/mtl#dev"
    tuned = train_model(tuned, str(tmp_path / "tuned")).linear
    fresh = train_model(fresh, str(tmp_path / "fresh")).linear
    assert tuned.num_weights == fresh.num_weights != first.linear.num_weights


def test_a_recovered_run_keeps_its_linear_model(tmp_path, monkeypatch):
    whole = train_model(config(num_epochs=2), str(tmp_path / "whole"))
    train_model(config(), str(tmp_path / "run"))
    config(num_epochs=2).to_file(str(tmp_path / "run/config.json"))
    for name in ("model.tar.gz", "metrics.json"):
        (tmp_path / "run" / name).unlink()
    monkeypatch.setattr("slstm_allennlp.linear.classifier._fitted", None)  # another fit would fail
    again = train_model(config(num_epochs=2), str(tmp_path / "run"), recover=True)
    for name, weight in whole.state_dict().items():
        if isinstance(weight, torch.Tensor):
            torch.testing.assert_close(again.state_dict()[name], weight)


MLP = {"input_dim": 7, "num_layers": 1, "hidden_dims": 3, "activations": "relu"}


@pytest.mark.parametrize(
    "model, callbacks, message",
    [
        (MODEL, [], r'is not fitted, expected .*"callbacks": \["fit_linear"\] in'),
        (CLASSIFIER, ["fit_linear"], "fit_linear: the model BasicClassifier has no linear"),
        ({**MODEL, "classifier": {**CLASSIFIER, "feedforward": MLP}}, ["fit_linear"], "input_dim is 7"),
        ({**MODEL, "weight": -1}, ["fit_linear"], "classifier_and_linear: weight is -1"),
        (
            {**MODEL, "linear": {"label_namespace": "x"}},
            ["fit_linear"],
            "label_namespace is x, expected",
        ),
    ],
)
def test_configs_that_do_not_fit(tmp_path, model, callbacks, message):
    with pytest.raises(ConfigurationError, match=message):
        train_model(config(model, callbacks), str(tmp_path / "run"))
