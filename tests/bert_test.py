"""BERT's features under every encoder, by the configs, on a tiny BERT that is made here."""

import json
import math
import re
import string

import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import load_archive
from allennlp.modules import TextFieldEmbedder
from allennlp.predictors import Predictor
from transformers import BertConfig, BertModel, BertTokenizerFast

from tests.conftest import ROOT

CONFIGS = sorted(path.stem for path in (ROOT / "training_config").glob("*_bert_*.jsonnet"))
INDEXER = "dataset_reader.token_indexers.tokens"
EMBEDDER = "model.text_field_embedder.token_embedders.tokens"
GROUPS = "trainer.optimizer.parameter_groups"
FINE_TUNED = {f"{EMBEDDER}.train_parameters": True}
PARTS = {"train": "train", "validation": "dev", "test": "test"}
SIZE = 12


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """The folder of a tiny BERT, to which every second bundled word is one piece, and others letters."""
    folder = tmp_path_factory.mktemp("bert")
    text = (ROOT / "fixtures/mtl/books.task.train").read_text(encoding="latin-1").lower()
    letters = string.ascii_lowercase + string.digits
    words = sorted(set(re.findall("[a-z]{2,}", text)))[::2]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += [*letters, *("##" + letter for letter in letters), *string.punctuation, *words]
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(len(pieces), SIZE, 2, 2, 24, max_position_embeddings=512)
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def config(bert, tmp_path):
    """A config over the tiny BERT, by the two lines that bert.libsonnet gives for another BERT."""

    def write(name):
        path = tmp_path / f"{name}.jsonnet"
        path.write_text(
            f"(import '{ROOT}/training_config/{name}.jsonnet')\n"
            f"+ {{ bert+:: {{ name: '{bert}', size: {SIZE} }} }}"
        )
        return path

    return write


@pytest.fixture
def train(config, tmp_path):
    """The archive of a config's run over few reviews for an epoch."""
    import_plugins()

    def run(name, overrides=None):
        folder = tmp_path / f"run{len(list(tmp_path.glob('run*')))}"
        few = {"dataset_reader.max_instances": 20, "trainer.num_epochs": 1, **(overrides or {})}
        train_model_from_file(str(config(name)), str(folder), overrides=few)
        return load_archive(folder / "model.tar.gz")

    return run


def weights_of(model):
    """BERT's, but for the pooler, which vectors of words do not pass through."""
    return torch.cat([w.flatten() for name, w in model.named_parameters() if "pooler" not in name])


def is_tuned(archive, bert):
    """Whether training has changed BERT."""
    embedder = archive.model._text_field_embedder.token_embedder_tokens
    now = weights_of(embedder._matched_embedder.transformer_model)
    return not torch.equal(now, weights_of(BertModel.from_pretrained(bert)))


def test_every_encoder_has_a_config():
    encoders = {"bilstm", "cnn", "coupled_lstm", "mlp", "slstm", "slstm_attention"}
    assert {config.removeprefix("mtl_bert_") for config in CONFIGS} == encoders


@pytest.mark.parametrize("name", CONFIGS)
def test_frozen_by_default(train, bert, name):
    archive = train(name)
    assert not is_tuned(archive, bert)
    predictor = Predictor.from_archive(archive, "text_classifier")
    output = predictor.predict_json({"sentence": "A gripping story, and well written."})
    assert output["label"] in ("positive", "negative")
    assert output["words"][:2] == ["A", "gripping"]


@pytest.mark.parametrize("name", CONFIGS)
def test_fine_tuned_by_one_override(train, bert, name):
    assert is_tuned(train(name, FINE_TUNED), bert)


def test_fine_tuning_has_a_rate_of_its_own(train, bert):
    """Of 0, and BERT alone stays as it was."""
    archive = train("mtl_bert_mlp", {**FINE_TUNED, f"{GROUPS}.0.1.lr": 0})
    assert not is_tuned(archive, bert)
    assert is_tuned(train("mtl_bert_mlp", FINE_TUNED), bert)


def test_another_bert_by_overrides_alone(bert, tmp_path):
    """As in docs/papers.md, for a BERT of the same size; here, the size is to be named, too."""
    overrides = (
        f'local bert = "{bert}"; {{"{INDEXER}.model_name": bert, "{EMBEDDER}.model_name": bert, '
        f'"model.seq2seq_encoder.input_dim": {SIZE}, "model.seq2vec_encoder.input_size": {SIZE}, '
        '"dataset_reader.max_instances": 4, "trainer.num_epochs": 1}'
    )
    import_plugins()
    path = str(ROOT / "training_config/mtl_bert_cnn.jsonnet")
    model = train_model_from_file(path, str(tmp_path / "run"), overrides=overrides)
    assert model._text_field_embedder.get_output_dim() == SIZE


@pytest.fixture
def embed(config):
    """What the configs' embedder makes of a text, and the embedder."""

    def run(words, overrides="", training=False):
        params = Params.from_file(str(config("mtl_bert_cnn")), overrides)
        reader = DatasetReader.from_params(params["dataset_reader"])
        instance = reader.text_to_instance(words)
        reader.apply_token_indexers(instance)
        batch, vocab = Batch([instance]), Vocabulary()
        batch.index_instances(vocab)
        embedder = TextFieldEmbedder.from_params(params["model"]["text_field_embedder"], vocab=vocab)
        embedder.train(training)
        torch.manual_seed(0)
        return embedder(batch.as_tensor_dict()["tokens"])[0].detach()

    return run


def features(bert, words):
    """By transformers itself: the mean of each word's pieces in BERT's last layer."""
    pieces = BertTokenizerFast.from_pretrained(bert)(words, is_split_into_words=True)
    with torch.no_grad():
        states = BertModel.from_pretrained(bert)(torch.tensor([pieces["input_ids"]])).last_hidden_state[
            0
        ]
    of_word = [[i for i, word in enumerate(pieces.word_ids()) if word == w] for w in range(len(words))]
    return torch.stack([states[i].mean(0) if i else torch.zeros(SIZE) for i in of_word])


# Whole words, words of several pieces, and one of none, as some reviews have.
WORDS = ["The", "Gripping", "beekeeper", "'s", "zzyzx", "\ufffd", "well-written", "book", "."]


def test_features_are_the_mean_of_the_pieces(embed, bert):
    expected = features(bert, WORDS)
    assert expected[5].tolist() == [0] * SIZE
    torch.testing.assert_close(embed(WORDS), expected)


def test_frozen_features_are_the_same_in_training(embed, bert):
    torch.testing.assert_close(embed(WORDS, training=True), features(bert, WORDS))


def test_tuned_features_have_the_dropout_of_bert(embed, bert):
    assert not torch.allclose(embed(WORDS, FINE_TUNED, training=True), features(bert, WORDS))
    torch.testing.assert_close(embed(WORDS, FINE_TUNED), features(bert, WORDS))


def test_texts_longer_than_bert_are_read_in_parts(embed, bert):
    """510 pieces and the two marks around them at a time, here each a word."""
    words = ["a", "b", "c", "d", "e", "f", "g"] * 100
    expected = torch.cat([features(bert, words[:510]), features(bert, words[510:])])
    torch.testing.assert_close(embed(words), expected)


def test_a_long_text_trains(train, bert, tmp_path):
    for part, count in (("train", 12), ("test", 4)):
        lines = [f"{i % 2}\t{'a well written book ' * (200 if i == 1 else 1)}\n" for i in range(count)]
        (tmp_path / f"books.task.{part}").write_text("".join(lines))
    paths = {f"{name}_data_path": f"{tmp_path}#{part}" for name, part in PARTS.items()}
    train("mtl_bert_slstm", {**paths, "dataset_reader.dev_size": 4})
    metrics = json.loads((tmp_path / "run0" / "metrics.json").read_text())
    assert metrics["epoch"] == 0 and math.isfinite(metrics["training_loss"])
    assert 0 <= metrics["test_accuracy"] <= 1
