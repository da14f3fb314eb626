import logging
import os
import pathlib
import re
import shutil
import string

import pytest

from tests.once import do_once

ROOT = pathlib.Path(__file__).parent.parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
# The configs that need `make vectors`.
RECIPES = ["reviews_bilstm_attention", "reviews_mean"]
RECIPES += [
    f"{task}_{encoder}" for task in ("entities", "reviews", "tags") for encoder in ("bilstm", "slstm")
]


def pytest_addoption(parser):
    parser.addoption(
        "--device", default="cpu", help="where modules and tensors are made; `cuda` needs a GPU"
    )


def pytest_configure(config):
    """Imports what takes seconds, but not in a process that only deals out tests to workers."""
    if WORKER is None and config.getoption("dist", "no") != "no":
        return
    import torch

    # Without a GPU, Triton's kernels run in its interpreter. That has to be said before Triton is
    # imported, as AllenNLP does on PyTorch for CUDA.
    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")
    import slstm_allennlp  # noqa: F401  (a plain import registers everything)
    from slstm_allennlp.ops.compiled import load_kernels

    do_once()
    # Two workers compile the CPU kernels of two operations at once, if they are not there yet.
    operations = ["slstm", "cas_lstm"]
    for operation in operations if WORKER == "gw0" else reversed(operations):
        load_kernels(operation)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """
    `shared(name, fill)` is a folder that `fill(folder)` has filled, once for all workers. Tests
    read it and write elsewhere.
    """
    from filelock import FileLock

    base = tmp_path_factory.getbasetemp()
    base = (base if WORKER is None else base.parent) / "shared"
    base.mkdir(exist_ok=True)

    def get(name, fill):
        folder, done = base / name, base / f"{name}.done"
        with FileLock(base / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a worker in which `fill` has failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return get


@pytest.fixture(autouse=True)
def _seeded_and_small(monkeypatch, request):
    """Every test starts from the same seed, in the project's root, on one thread, in float32."""
    import torch

    monkeypatch.chdir(ROOT)
    device = request.config.getoption("--device")
    if device != "cpu":
        torch.set_default_device(device)
    logging.getLogger("allennlp.common.params").disabled = False  # which `evaluate` leaves off
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """No test reads or fills the user's cache."""
    os.environ["SLSTM_ALLENNLP_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def double():
    """Weights and inputs in float64, for comparisons to the last digits."""
    import torch

    torch.set_default_dtype(torch.float64)


def slow_but(values, fast):
    """The values of a parameter, or of several in tuples, marked slow but for some."""
    slow = pytest.mark.slow
    return [
        value
        if value in fast
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=slow)
        for value in values
    ]


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
    # Imported here, so that tests of equations and modules run where AllenNLP is not installed.
    from allennlp.commands.train import train_model_from_file
    from allennlp.common.plugins import import_plugins

    import_plugins()  # as the command line does
    path = ROOT / "training_config" / f"{config}.jsonnet"
    train_model_from_file(str(path), str(folder), overrides=overrides)
    return folder


@pytest.fixture(scope="session")
def trained(shared):
    """`trained(name, config, overrides)` is the folder of a run, trained once for all workers."""

    def get(name, config, overrides):
        return shared(name, lambda folder: train(folder / "run", config, overrides)) / "run"

    return get


@pytest.fixture(scope="session")
def tagger(trained):
    """The folder of a small part-of-speech tagger."""
    return trained("tagger", "pos_slstm", SMALL)


@pytest.fixture(scope="session")
def entity_tagger(trained):
    """The folder of a small tagger of entities."""
    return trained("entity_tagger", "ner_slstm", SMALL)


@pytest.fixture(scope="session")
def classifier(trained):
    """The folder of a small classifier."""
    overrides = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": 10,
        "model.seq2seq_encoder.input_dim": 10,
        "model.seq2vec_encoder.input_size": 10,
        "model.seq2vec_encoder.hidden_size": 10,
        "trainer.num_epochs": 2,
    }
    return trained("classifier", "mr_slstm", overrides)


@pytest.fixture(scope="session")
def pair_classifier(trained):
    """The folder of a small classifier of pairs."""
    overrides = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": 6,
        "model.seq2vec_encoder.input_size": 6,
        "model.seq2vec_encoder.hidden_size": 5,
        "model.feedforward.hidden_dims": 6,
        "trainer.num_epochs": 1,
    }
    return trained("pair_classifier", "snli_slstm", overrides)


BERT_SIZE = 12


@pytest.fixture(scope="session")
def bert(shared):
    """The folder of a tiny BERT, to which every second bundled word is one piece, and others letters."""
    return shared("bert", _make_bert)


def _make_bert(folder):
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    text = (ROOT / "fixtures/mtl/books.task.train").read_text(encoding="latin-1").lower()
    letters = string.ascii_lowercase + string.digits
    words = sorted(set(re.findall("[a-z]{2,}", text)))[::2]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += [*letters, *("##" + letter for letter in letters), *string.punctuation, *words]
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(len(pieces), BERT_SIZE, 2, 2, 24, max_position_embeddings=512)
    BertModel(config).save_pretrained(folder)
