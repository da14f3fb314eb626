"""Which dotted class names `type` may have."""

import sys

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import import_module_and_submodules
from allennlp.data import DatasetReader
from allennlp.modules import Seq2SeqEncoder
from allennlp.predictors import Predictor
from allennlp.training.optimizers import Optimizer

READER = "from allennlp.data import DatasetReader\nclass Reader(DatasetReader): pass\n"


class OwnReader(DatasetReader):
    """A class in a module that is already imported."""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A user's package with a reader in a module."""
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__init__.py").write_text("")
    (tmp_path / "own_package" / "readers.py").write_text(READER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield "own_package.readers.Reader"
    for name in ("own_package", "own_package.readers"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "role, name",
    [
        (Seq2SeqEncoder, "allennlp.modules.seq2seq_encoders.LstmSeq2SeqEncoder"),
        (Seq2SeqEncoder, "slstm_allennlp.encoders.SlstmSeq2SeqEncoder"),
        (Optimizer, "allennlp.training.optimizers.AdamOptimizer"),
        (DatasetReader, f"{__name__}.OwnReader"),
    ],
)
def test_a_subclass_is_taken(role, name):
    assert issubclass(role.by_name(name), role)


def test_of_a_package_that_is_not_included(package):
    with pytest.raises(ConfigurationError, match="--include-package own_package"):
        DatasetReader.by_name(package)
    assert "own_package" not in sys.modules


def test_of_a_package_by_include_package(package):
    import_module_and_submodules("own_package")
    assert DatasetReader.by_name(package).__name__ == "Reader"


def test_of_a_plugin(package, tmp_path):
    (tmp_path / ".allennlp_plugins").write_text("own_package\n")
    with pytest.raises(ConfigurationError, match="not loaded"):
        DatasetReader.by_name(package)  # the file alone does not load the plugin
    __import__("own_package")  # as AllenNLP does with the plugins in the file
    assert DatasetReader.by_name(package).__name__ == "Reader"


@pytest.mark.parametrize(
    "name", ("pathlib.Path", "torch.nn.Linear", "tests.conftest.train", "torch.load")
)
def test_what_is_no_subclass(name):
    with pytest.raises(ConfigurationError, match=f'type "{name}" is no DatasetReader'):
        DatasetReader.by_name(name)


def test_the_nearest_is_named():
    name = "allennlp.modules.token_embedders.LstmSeq2SeqEncoder"
    with pytest.raises(ConfigurationError, match="unable to find class"):  # AllenNLP's message
        Seq2SeqEncoder.by_name(name)
    with pytest.raises(ConfigurationError, match=r'such as "allennlp.data.DatasetReader"'):
        DatasetReader.by_name("allennlp.data.DataLoader")


@pytest.mark.parametrize("name", (5, None, ["."], {}))
def test_what_is_no_name(name):
    with pytest.raises(ConfigurationError, match="is no name, expected a string"):
        DatasetReader.by_name(name)


def test_registered_names_stay(tmp_path):
    assert DatasetReader.by_name("sequence_tagging").__name__ == "SequenceTaggingDatasetReader"
    with pytest.raises(ConfigurationError, match="not a registered name for 'Predictor'"):
        Predictor.by_name("none_such")


def test_configs_are_checked_as_archives_are(tmp_path):
    params = {"type": "subprocess.Popen", "args": ["touch", str(tmp_path / "pwned")]}
    with pytest.raises(ConfigurationError, match=r'type "subprocess.Popen" is no DatasetReader'):
        DatasetReader.from_params(Params(params))
    assert not (tmp_path / "pwned").exists()
