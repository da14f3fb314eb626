"""The BERT configs of every encoder, with a tiny BERT that conftest.py builds."""

import shutil

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common import cached_transformers
from allennlp.common.plugins import import_plugins
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from transformers import BertModel

from tests.conftest import BERT_SIZE, ROOT, slow_but

CONFIGS = sorted(path.stem for path in (ROOT / "training_config").glob("*_bert_*.jsonnet"))
EMBEDDER = "model.text_field_embedder.token_embedders.tokens"
GROUPS = "trainer.optimizer.parameter_groups"
FINE_TUNED = {f"{EMBEDDER}.train_parameters": True}


@pytest.fixture
def train(bert, tmp_path):
    """
    Train a config on 20 reviews for one epoch, and return its archive. The config uses the tiny BERT by
    the two lines that bert.libsonnet documents.
    """
    import_plugins()

    def run(name, overrides=None):
        path = tmp_path / f"{name}.jsonnet"
        config = f"(import '{ROOT}/training_config/{name}.jsonnet')"
        path.write_text(f"{config}\n+ {{ bert+:: {{ name: '{bert}' }} }}")
        settings = {"dataset_reader.max_instances": 20, "trainer.num_epochs": 1, **(overrides or {})}
        train_model_from_file(str(path), str(tmp_path / "run"), overrides=settings)
        return load_archive(tmp_path / "run" / "model.tar.gz")

    return run


def weights_of(model):
    """Return BERT's weights as one vector, without the pooler: word vectors do not pass through it."""
    return torch.cat([w.flatten() for name, w in model.named_parameters() if "pooler" not in name])


def is_tuned(archive, bert):
    embedder = archive.model._text_field_embedder.token_embedder_tokens
    now = weights_of(embedder.transformer)
    return not torch.equal(now, weights_of(BertModel.from_pretrained(bert)))


def test_every_encoder_has_a_config():
    encoders = {"bilstm", "cnn", "coupled_lstm", "mlp", "slstm", "slstm_attention"}
    assert {config.removeprefix("mtl_bert_") for config in CONFIGS} == encoders


@pytest.mark.parametrize("name", slow_but(CONFIGS, fast=["mtl_bert_slstm"]))
def test_frozen_by_default(train, bert, name):
    archive = train(name)
    assert not is_tuned(archive, bert)
    predictor = Predictor.from_archive(archive, "text_classifier")
    output = predictor.predict_json({"sentence": "A gripping story, and well written."})
    assert output["label"] in ("positive", "negative")
    assert output["words"][:2] == ["A", "gripping"]


@pytest.mark.parametrize("name", slow_but(CONFIGS, fast=["mtl_bert_mlp"]))
def test_fine_tuned_by_one_override(train, bert, name):
    assert is_tuned(train(name, FINE_TUNED), bert)


def test_fine_tuning_has_a_rate_of_its_own(train, bert):
    """With a learning rate of 0 for BERT alone, BERT does not change (with the default it does)."""
    assert not is_tuned(train("mtl_bert_mlp", {**FINE_TUNED, f"{GROUPS}.0.1.lr": 0}), bert)


def test_an_archive_opens_without_bert(bert, tmp_path):
    """
    BERT's folder is one override, from which all sizes are read. The archive also holds them and BERT's
    tokenizer.
    """
    folder = tmp_path / "bert"
    shutil.copytree(bert, folder)
    overrides = {
        f"{EMBEDDER}.model_name": str(folder),
        "dataset_reader.max_instances": 10,
        "trainer.num_epochs": 1,
    }
    import_plugins()
    path = str(ROOT / "training_config/mtl_bert_slstm.jsonnet")
    model = train_model_from_file(path, str(tmp_path / "run"), overrides=overrides)
    assert model._text_field_embedder.get_output_dim() == BERT_SIZE
    assert model._seq2vec_encoder.get_input_dim() == BERT_SIZE
    text = {"sentence": "A gripping zzyzx, well written."}
    archive = tmp_path / "run" / "model.tar.gz"
    before = Predictor.from_path(archive).predict_json(text)
    shutil.rmtree(folder)
    cached_transformers._clear_caches()
    assert Predictor.from_path(archive).predict_json(text) == before
