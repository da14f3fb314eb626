import os
import pathlib

import pytest
import torch

# Without a GPU, Triton's kernels run in its interpreter. That has to be said before Triton is imported,
# as AllenNLP does on PyTorch for CUDA.
if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")

from allennlp.commands.train import train_model_from_file
from allennlp.common.plugins import import_plugins

import slstm_allennlp  # noqa: F401  (a plain import registers everything)

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _seeded_and_small(monkeypatch):
    """Every test starts from the same seed, in the project's root, on one thread, in float32."""
    monkeypatch.chdir(ROOT)
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(threads)


@pytest.fixture
def double():
    """Weights and inputs in float64, for comparisons to the last digits."""
    torch.set_default_dtype(torch.float64)


# The taggers, pos_slstm.jsonnet and its like, at a size that trains in seconds.
SMALL = {
    "model.text_field_embedder.token_embedders.tokens.embedding_dim": 10,
    "model.encoder.input_size": 60,
    "model.encoder.hidden_size": 10,
    "trainer.num_epochs": 2,
    "evaluate_on_test": False,
}


def train(folder, config, overrides):
    """A run of training_config/CONFIG.jsonnet, in the folder."""
    import_plugins()  # as the command line does
    path = ROOT / "training_config" / f"{config}.jsonnet"
    train_model_from_file(str(path), str(folder), overrides=overrides)
    return folder


@pytest.fixture(scope="session")
def tagger(tmp_path_factory):
    """The folder of a small part-of-speech tagger."""
    return train(tmp_path_factory.mktemp("tagger") / "run", "pos_slstm", SMALL)


@pytest.fixture(scope="session")
def entity_tagger(tmp_path_factory):
    """The folder of a small tagger of entities."""
    return train(tmp_path_factory.mktemp("entity_tagger") / "run", "ner_slstm", SMALL)


@pytest.fixture(scope="session")
def classifier(tmp_path_factory):
    """The folder of a small classifier."""
    overrides = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": 10,
        "model.seq2seq_encoder.input_dim": 10,
        "model.seq2vec_encoder.input_size": 10,
        "model.seq2vec_encoder.hidden_size": 10,
        "trainer.num_epochs": 2,
    }
    return train(tmp_path_factory.mktemp("classifier") / "run", "mr_slstm", overrides)


@pytest.fixture(scope="session")
def pair_classifier(tmp_path_factory):
    """The folder of a small classifier of pairs."""
    overrides = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": 6,
        "model.seq2vec_encoder.input_size": 6,
        "model.seq2vec_encoder.hidden_size": 5,
        "model.feedforward.hidden_dims": 6,
        "trainer.num_epochs": 1,
    }
    return train(tmp_path_factory.mktemp("pair_classifier") / "run", "snli_slstm", overrides)
