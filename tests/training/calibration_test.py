"""Probabilities that are calibrated on held-out data (with a linear model: tests/linear)."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch
from allennlp.models import load_archive

from slstm_allennlp.training.calibration import calibration_factor, scale_logits


@pytest.mark.parametrize("certainty", (0.3, 1.0, 4.0))
@pytest.mark.parametrize("classes", (2, 5))
def test_the_factor_undoes_too_much_or_too_little_certainty(classes, certainty):
    logits = 2 * torch.randn(20_000, classes, dtype=torch.double)
    labels = torch.distributions.Categorical(logits=logits).sample()
    assert calibration_factor(certainty * logits, labels) * certainty == pytest.approx(1, abs=0.05)


def test_many_classes_and_few_texts_do_not_make_it_unsure():
    factors = []
    for seed in range(10):
        torch.manual_seed(seed)
        logits = 2 * torch.randn(50, 50, dtype=torch.double)
        labels = logits.softmax(1).multinomial(1).view(-1)
        factors.append(calibration_factor(logits, labels))
    assert sum(factors) / 10 == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("number, classes", [(5, 2), (30, 2), (30, 4)])
def test_how_sure_one_can_be_after_texts_that_were_all_right(number, classes):
    """As sure as in Platt's scaling, whatever the logits are."""
    labels = torch.arange(number) % classes
    for size in (0.5, 20.0):
        logits = size * torch.eye(classes)[labels]
        sure = (calibration_factor(logits, labels) * logits).softmax(1).max()
        assert float(sure) == pytest.approx((number + 1) / (number + 2), abs=1e-3)


@pytest.mark.parametrize(
    "name, path", [("classifier", "fixtures/mr#dev"), ("pair_classifier", "fixtures/snli/dev.jsonl")]
)
def test_logits_are_scaled_in_the_last_layer(request, name, path):
    archive = load_archive(request.getfixturevalue(name) / "model.tar.gz")
    batch = Batch(list(archive.validation_dataset_reader.read(path))[:8])
    batch.index_instances(archive.model.vocab)
    model = archive.model.eval()
    before = model(**batch.as_tensor_dict())["logits"]
    scale_logits(model, 0.5)
    torch.testing.assert_close(model(**batch.as_tensor_dict())["logits"], 0.5 * before)


def test_a_model_without_a_layer_of_classes(tagger):
    with pytest.raises(ConfigurationError, match="calibrate: the model is CrfTagger, expected basic_c"):
        scale_logits(load_archive(tagger / "model.tar.gz").model, 0.5)
