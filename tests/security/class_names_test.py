"""Which dotted class names `type` may have."""

import sys

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import import_module_and_submodules
from allennlp.data import DatasetReader
from allennlp.modules import Seq2SeqEncoder
from allennlp.training.optimizers import Optimizer

from slstm_allennlp.security import safe_archives


class OwnReader(DatasetReader):
    """A class in a module that is already imported."""


@pytest.fixture(autouse=True)
def safe():
    with safe_archives():
        yield


@pytest.mark.parametrize(
    "role, name",
    [
        (Seq2SeqEncoder, "allennlp.modules.seq2seq_encoders.LstmSeq2SeqEncoder"),
        (Seq2SeqEncoder, "slstm_allennlp.encoders.SlstmSeq2SeqEncoder"),
        (Optimizer, "allennlp.training.optimizers.AdamOptimizer"),
        (DatasetReader, f"{__name__}.OwnReader"),
        (DatasetReader, "sequence_tagging"),
    ],
)
def test_a_subclass_is_taken(role, name):
    assert issubclass(role.by_name(name), role)


def test_of_a_package_by_include_package(tmp_path, monkeypatch):
    code = "from allennlp.data import DatasetReader\nclass Reader(DatasetReader): pass\n"
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "readers.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigurationError, match="--include-package own_package"):
        DatasetReader.by_name("own_package.readers.Reader")
    assert "own_package" not in sys.modules
    import_module_and_submodules("own_package")
    assert DatasetReader.by_name("own_package.readers.Reader").__name__ == "Reader"


# The last is a class of another role.
NO_READERS = f"""
    os.system pathlib.Path shutil.copyfile torch.load torch.hub.load
    allennlp.models.archival.archive_model allennlp.common.file_utils.cached_path {__name__}.safe
    allennlp.common.util.get_spacy_model allennlp.models.basic_classifier.BasicClassifier
"""


@pytest.mark.parametrize(
    "name, message",
    [
        *((name, "is no DatasetReader") for name in NO_READERS.split()),
        ("pathlib.Path.touch", "is of a module that is not loaded"),
        ("runpy.run_path", "is of a module that is not loaded|is no DatasetReader"),
        ("allennlp.data.DataLoader", 'such as "allennlp.data.DatasetReader"'),
        ("allennlp.data.NoReader", "unable to find class"),  # AllenNLP's message
        ("none_such", "not a registered name for 'DatasetReader'"),
        *((name, "is no name, expected a string") for name in (5, None, ["."], {})),
    ],
)
def test_what_is_refused(name, message):
    with pytest.raises(ConfigurationError, match=message):
        DatasetReader.by_name(name)
