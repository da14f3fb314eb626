"""
The recipes for few labelled texts and BERT alone beside them, fine-tuned or frozen, without word vectors
and with a tiny BERT, to train offline.
"""

import json
from operator import attrgetter

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import DatasetReader
from allennlp.models import load_archive
from allennlp.modules.token_embedders import TokenEmbedder
from allennlp.predictors import Predictor
from transformers import BertModel

from slstm_allennlp.predictors import SentencePair
from tests.conftest import BERT_SIZE, RECIPES, ROOT, slow_but

# Two sets of word vectors, and two layers of BERT. Taggers have 150 features of characters.
WORD = 300 + 50 + 2 * BERT_SIZE
INPUT = {"reviews": WORD, "pairs": WORD, "tags": WORD + 150}
BERT = [name for name in RECIPES if name.endswith("_bert")]
FROZEN = [name for name in RECIPES if name.endswith("_frozen")]
OUTPUT = {
    "pairs": {"slstm": 300, "bilstm": 400, "cas_lstm": 200, "mean": WORD},
    "reviews": {"slstm": 100, "bilstm": 400, "bilstm_attention": 200, "mean": WORD},
    "tags": {"slstm": 150, "bilstm": 300},
}


def small(name, bert):
    """Return overrides with which the recipe trains in seconds."""
    few = {"dataset_reader.max_instances": 30, "trainer.num_epochs": 1}
    if name in FROZEN:
        tokens = "model.text_field_embedder.token_embedders.tokens"
        return {
            "dataset_reader.max_instances": 30,
            f"{tokens}.model_name": str(bert),
            f"{tokens}.layers": [1, 2],
        }
    if name in BERT:
        return {"model.text_field_embedder.token_embedders.tokens.model_name": str(bert), **few}
    prefix = "model.classifier" if name.startswith("reviews_") else "model"
    embedders = f"{prefix}.text_field_embedder.token_embedders"
    return {
        f"{embedders}.tokens.vectors": None,
        f"{embedders}.glove.vectors": None,
        f"{embedders}.pieces.model_name": str(bert),
        f"{embedders}.pieces.layers": [1, 2],  # all that the tiny BERT has
        **few,
    }


@pytest.mark.parametrize(
    "name", slow_but(RECIPES, fast=["pairs_bert", "pairs_frozen", "reviews_slstm", "tags_slstm"])
)
def test_a_recipe_trains_and_predicts_as_it_was_evaluated(bert, tmp_path, name):
    import_plugins()
    path = str(ROOT / f"training_config/{name}.jsonnet")
    train_model_from_file(path, str(tmp_path / "run"), overrides=json.dumps(small(name, bert)))
    archive = load_archive(tmp_path / "run/model.tar.gz")
    model = archive.model
    task = name.replace("entities", "tags")
    if name in (*BERT, *FROZEN):
        now, before = (
            [w for key, w in of.named_parameters() if key.endswith("query.weight")]
            for of in (model, BertModel.from_pretrained(bert))
        )
        assert list(map(torch.equal, now, before)) == 2 * [name in FROZEN]
    else:
        encoders = {"reviews": "classifier._seq2vec_encoder", "pairs": "_encoder", "tags": "encoder"}
        kind, _, encoder_name = task.partition("_")
        encoder = attrgetter(encoders[kind])(model)
        assert encoder.get_input_dim() == INPUT[kind]
        assert encoder.get_output_dim() == OUTPUT[kind][encoder_name]
    test = list(archive.dataset_reader.read(archive.config["test_data_path"]))
    predictor = Predictor.from_archive(archive)
    assert isinstance(predictor, SentencePair) == name.startswith("pairs_")
    outputs = predictor.predict_batch_instance(test)
    if not task.startswith("tags_"):
        right = [output["label"] == one["label"].label for output, one in zip(outputs, test)]
    else:
        right = [
            ours == gold
            for output, one in zip(outputs, test)
            for ours, gold in zip(output["tags"], one["tags"].labels)
        ]
    metrics = json.loads((tmp_path / "run/metrics.json").read_text())
    assert metrics["test_accuracy"] == pytest.approx(sum(right) / len(right))


@pytest.mark.parametrize(
    "name", [name for name in RECIPES if "_slstm" not in name and name not in (*BERT, *FROZEN)]
)
def test_the_recipes_differ_in_the_encoder_alone(name):
    ours, other = (
        Params.from_file(str(ROOT / f"training_config/{each}.jsonnet")).as_dict(quiet=True)
        for each in (f"{name.split('_')[0]}_slstm", name)
    )
    for config in (ours, other):
        model = config["model"].get("classifier", config["model"])
        assert model.pop("seq2vec_encoder", None) or model.pop("encoder")
    assert ours == other


def test_a_bert_reads_a_pair_as_one_text(bert):
    """Its tokenizer takes the word [SEP] for its own piece."""
    path = ROOT / "training_config/pairs_bert.jsonnet"
    config = Params.from_file(str(path), small("pairs_bert", bert))
    pair = DatasetReader.from_params(config["dataset_reader"]).text_to_instance("A dog.", "It is well.")
    words = [token.text for token in pair["tokens"]]
    assert words == ["A", "dog", ".", "[SEP]", "It", "is", "well", "."]
    embedder = config["model"]["text_field_embedder"]["token_embedders"]["tokens"]
    tokenizer = TokenEmbedder.from_params(embedder)._tokenizer
    pieces = tokenizer(words, is_split_into_words=True)["input_ids"]
    assert pieces.count(tokenizer.sep_token_id) == 2  # the other one is at the end
