import functools
import logging
import os
import pathlib
import random
import re
import shutil
import string
import subprocess

import numpy
import pytest
import torch

# Without a GPU, run Triton's kernels in its interpreter. Set this before Triton is imported: AllenNLP
# imports it on PyTorch for CUDA, and some folder's conftest.py imports AllenNLP.
if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")

ROOT = pathlib.Path(__file__).parent.parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
CONFIGS = sorted(path.stem for path in (ROOT / "training_config").glob("*.jsonnet"))
# The configs that need `make vectors`.
RECIPES = [name for name in CONFIGS if name.startswith(("entities_", "pairs_", "reviews_", "tags_"))]
# With tests of a minute and more, which are the first, so that no core waits for them at the end.
LONG = [ROOT / "tests" / name for name in ("documents_test.py", "distributed_test.py", "comparison")]


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", help="of modules and tensors; `cuda` needs a GPU")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not any(map(item.path.is_relative_to, LONG)))


def pytest_configure(config):
    """Import slow modules, but not in pytest-xdist's controller, which runs no tests."""
    if WORKER is None and config.getoption("dist", "no") != "no":
        return
    import slstm_allennlp  # noqa: F401  (registers everything)
    from slstm_allennlp.ops.compiled import load_kernels

    _do_once()
    # If the CPU kernels are not compiled yet, two workers compile one operation each at the same time.
    for operation in ("slstm", "cas_lstm") if WORKER == "gw0" else ("cas_lstm", "slstm"):
        load_kernels(operation)


def _do_once():
    """Load spaCy's rules and AllenNLP's 500 modules once, not for each reader and command."""
    try:
        import spacy
        from allennlp.common import plugins
    except ModuleNotFoundError:
        return
    spacy.blank = functools.cache(spacy.blank)
    import_all, imported = plugins.import_module_and_submodules, set()

    def import_once(package, exclude=None):
        if package not in imported:
            import_all(package, exclude)
        if package in ("allennlp", "allennlp_models"):
            imported.add(package)

    plugins.import_module_and_submodules = import_once


def nearly(expected, **tolerance):
    """Return what is equal to `expected`, also if its floats differ by the tolerance of `approx`."""
    if isinstance(expected, dict):
        return {key: nearly(value, **tolerance) for key, value in expected.items()}
    if isinstance(expected, list):
        return [nearly(value, **tolerance) for value in expected]
    return pytest.approx(expected, **tolerance) if isinstance(expected, float) else expected


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Return `shared(name, fill)`: a folder that `fill(folder)` fills once, and tests only read."""
    from filelock import FileLock

    base = tmp_path_factory.getbasetemp()
    base = (base if WORKER is None else base.parent) / "shared"
    base.mkdir(exist_ok=True)

    def get(name, fill):
        folder, done = base / name, base / f"{name}.done"
        with FileLock(base / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # left by a worker whose `fill` failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return get


@pytest.fixture(autouse=True)
def _seeded_and_small(monkeypatch, request):
    """Start each test with the same seed, in the project's root, on one thread, in float32."""
    monkeypatch.chdir(ROOT)
    device = request.config.getoption("--device")
    if device != "cpu":
        if request.node.get_closest_marker("cpu"):
            pytest.skip("a test of what runs on a CPU alone")
        torch.set_default_device(device)
    logging.getLogger("allennlp.common.params").disabled = False  # `evaluate` disables it
    for logger in list(logging.root.manager.loggerDict.values()):  # what AllenNLP's have said once
        getattr(logger, "_seen_msgs", set()).clear()
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(threads)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    os.environ["SLSTM_ALLENNLP_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def onednn_is_faster(monkeypatch):
    """Compute large products by oneDNN, whatever was measured here."""
    from slstm_allennlp.ops import products

    monkeypatch.setattr(products, "_is_onednn_faster", lambda: products._onednn() is not None)


@pytest.fixture
def double():
    """Use float64 for weights and inputs, for precise comparisons."""
    torch.set_default_dtype(torch.float64)


def autocast(dtype, enabled=True):
    return torch.autocast(torch.empty(0).device.type, dtype, enabled=enabled)


def run_program(command, **options):
    """Run a command and return its exit status and outputs. A Python needs 5 s to import AllenNLP."""
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


@pytest.fixture
def allennlp(monkeypatch):
    from allennlp.commands import main

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["allennlp", *map(str, arguments)])
        main()

    return run


def slow_but(values, fast):
    """Return the parameter values (or tuples of them), marked slow unless they are in `fast`."""
    rows = [(value, value if isinstance(value, tuple) else (value,)) for value in values]
    return [v if v in fast else pytest.param(*row, marks=pytest.mark.slow) for v, row in rows]


EMBEDDING = "model.text_field_embedder.token_embedders.tokens.embedding_dim"
# Overrides with which the taggers, such as pos_slstm.jsonnet, train in seconds.
SMALL = {EMBEDDING: 10, "model.encoder.input_size": 60, "model.encoder.hidden_size": 10}
SMALL.update({"trainer.num_epochs": 2, "evaluate_on_test": False})
# The same for classifiers, such as mr_slstm.jsonnet.
_SIZES = ("seq2seq_encoder.input_dim", "seq2vec_encoder.input_size", "seq2vec_encoder.hidden_size")
SMALL_TEXTS = {EMBEDDING: 10, **{f"model.{key}": 10 for key in _SIZES}, "trainer.num_epochs": 2}


def train(folder, config, overrides):
    """Train training_config/CONFIG.jsonnet into the folder, and return the folder."""
    # Imported here, so that tests of equations and modules run where AllenNLP is not installed.
    from allennlp.commands.train import train_model_from_file
    from allennlp.common.plugins import import_plugins

    import_plugins()  # as the command line does
    path = ROOT / "training_config" / f"{config}.jsonnet"
    train_model_from_file(str(path), str(folder), overrides=overrides)
    return folder


@pytest.fixture(scope="session")
def trained(shared):
    """Return `trained(name, config, overrides)`, the folder of a run, trained once for all workers."""

    def get(name, config, overrides):
        return shared(name, lambda folder: train(folder / "run", config, overrides)) / "run"

    return get


def _run_of(name, config, overrides):
    """Return the fixture of this name, the folder of a run."""
    return pytest.fixture(scope="session", name=name)(lambda trained: trained(name, config, overrides))


_PAIRS = {EMBEDDING: 6, "model.seq2vec_encoder.input_size": 6, "model.seq2vec_encoder.hidden_size": 5}
_PAIRS.update({"model.feedforward.hidden_dims": 6, "trainer.num_epochs": 1})
tagger = _run_of("tagger", "pos_slstm", SMALL)
entity_tagger = _run_of("entity_tagger", "ner_slstm", SMALL)
classifier = _run_of("classifier", "mr_slstm", SMALL_TEXTS)
pair_classifier = _run_of("pair_classifier", "snli_slstm", _PAIRS)


BERT_SIZE = 12


@pytest.fixture(scope="session")
def bert(shared):
    """Folder of a tiny BERT. Every second word of the books corpus is one piece; others are letters."""
    return shared("bert", _make_bert)


def _make_bert(folder):
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
