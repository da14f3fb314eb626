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

from slstm_allennlp.vectors import feature_store
from tests.conftest import BERT_SIZE, ROOT, nearly, slow_but

CONFIGS = sorted(path.stem for path in (ROOT / "training_config").glob("*_bert_*.jsonnet"))
EMBEDDER = "model.text_field_embedder.token_embedders.tokens"
FEW = {"dataset_reader.max_instances": 20, "trainer.num_epochs": 1}


def test_every_encoder_has_a_config():
    encoders = {"bilstm", "cnn", "coupled_lstm", "mlp", "slstm", "slstm_attention"}
    assert {config.removeprefix("mtl_bert_") for config in CONFIGS} == encoders


OVERRIDES = {
    "frozen": {},
    "tuned": {f"{EMBEDDER}.train_parameters": True},
    # The rate of BERT alone, and the default of a key, which is not the namespace of the bytes
    "rate 0": {
        f"{EMBEDDER}.train_parameters": True,
        "trainer.optimizer.parameter_groups.0.1.lr": 0,
        "model.namespace": "tokens",
    },
}


FAST = [("mtl_bert_slstm", "frozen"), ("mtl_bert_mlp", "tuned"), ("mtl_bert_mlp", "rate 0")]
CASES = [(name, overrides) for overrides in ("frozen", "tuned") for name in CONFIGS]


@pytest.mark.parametrize("name, overrides", slow_but([*CASES, FAST[-1]], fast=FAST))
def test_bert_is_fine_tuned_by_one_override(bert, tmp_path, name, overrides):
    """The config uses the tiny BERT by the two lines that bert.libsonnet documents."""
    import_plugins()
    path, run = tmp_path / f"{name}.jsonnet", tmp_path / "run"
    config = f"(import '{ROOT}/training_config/{name}.jsonnet')"
    path.write_text(f"{config}\n+ {{ bert+:: {{ name: '{bert}' }} }}")
    train_model_from_file(str(path), str(run), overrides={**FEW, **OVERRIDES[overrides]})
    archive = load_archive(run / "model.tar.gz")
    embedder = archive.model._text_field_embedder.token_embedder_tokens
    now, before = (  # without the pooler: word vectors do not pass through it
        torch.cat([w.flatten() for name, w in of.named_parameters() if "pooler" not in name])
        for of in (embedder.transformer, BertModel.from_pretrained(bert))
    )
    assert torch.equal(now, before) is (overrides != "tuned")
    predictor = Predictor.from_archive(archive, "text_classifier")
    output = predictor.predict_json({"sentence": "A gripping story, and well written."})
    assert output["label"] in ("positive", "negative")
    assert output["words"][:2] == ["A", "gripping"]


def entries(folder):
    """The number of texts in the cache of features, which a fork of an earlier test may have closed."""
    (store,) = (each for path, each in feature_store._stores.items() if path.is_relative_to(folder))
    with store._transaction() as transaction:
        return transaction.stat()["entries"]


def test_an_archive_opens_without_bert(bert, tmp_path, monkeypatch):
    """
    BERT's folder is one override, from which all sizes are read. The archive also holds them and BERT's
    tokenizer.
    """
    folder, cache = tmp_path / "bert", tmp_path / "cache"
    monkeypatch.setenv("SLSTM_ALLENNLP_CACHE", str(cache))  # other tests fill the usual one
    shutil.copytree(bert, folder)
    import_plugins()
    overrides = {**FEW, f"{EMBEDDER}.model_name": str(folder)}
    path = str(ROOT / "training_config/mtl_bert_slstm.jsonnet")
    model = train_model_from_file(path, str(tmp_path / "run"), overrides=overrides)
    assert model._text_field_embedder.get_output_dim() == BERT_SIZE
    assert model._seq2vec_encoder.get_input_dim() == BERT_SIZE
    text = {"sentence": "A gripping zzyzx, well written."}
    archive = tmp_path / "run" / "model.tar.gz"
    cached = entries(cache)
    before = Predictor.from_path(archive).predict_json(text)
    assert entries(cache) == cached > 0  # of the training; what is predicted is not kept
    shutil.rmtree(folder)
    cached_transformers._clear_caches()
    # transformers may map a folder's weights, at addresses where a product rounds differently.
    assert Predictor.from_path(archive).predict_json(text) == nearly(before, rel=1e-5)
