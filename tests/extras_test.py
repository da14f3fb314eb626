"""What works without optional packages, and the sentence of what needs one."""

import json
import sys

from tests.conftest import ROOT, run_program

TORCH_ALONE = """
import sys
sys.modules["allennlp"] = None
import torch
before = set(sys.modules)
from slstm_allennlp.modules import SentenceStateLSTM
loaded = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
module = SentenceStateLSTM(4, 3)
words, sentence = module(torch.randn(2, 5, 4), torch.arange(5) < torch.tensor([[5], [3]]))
(words.sum() + sentence.sum()).backward()
assert words.shape == (2, 5, 3) and sentence.shape == (2, 3)
assert all(parameter.grad is not None for parameter in module.parameters())
try:
    from slstm_allennlp import TextClassifier
except ImportError as error:
    assert "TextClassifier needs AllenNLP" in str(error)
else:
    raise AssertionError("it was imported")
print(sorted(loaded))
"""
# Other packages import some of them. AllenNLP is imported before they are taken away.
WITHOUT_EXTRAS = """
import sys
from pathlib import Path
import torch
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("allennlp", exclude={"allennlp.sanity_checks", "allennlp.tools"})
import_module_and_submodules("allennlp_models")

MISSING = "argcomplete conllu matplotlib pandas pyarrow pycrfsuite triton".split()
for name in [name for name in sys.modules if name.partition(".")[0] in MISSING]:
    del sys.modules[name]
sys.modules.update(dict.fromkeys(MISSING))

import slstm_allennlp
import_module_and_submodules("slstm_allennlp")
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from slstm_allennlp.console.main import main
from slstm_allennlp.vectors import open_vectors
from slstm_allennlp.vectors.files import open_file

folder, config, overrides = sys.argv[1:]
train_model_from_file(config, f"{folder}/run", overrides=overrides)
assert Path(folder, "run", "model.tar.gz").is_file()

def said(call, *arguments):
    try:
        call(*arguments)
    except ConfigurationError as error:
        assert isinstance(error, ImportError)
        return str(error)

def sentence(package, extra):
    return f"{package} is not installed, expected it here: pip install 'slstm-allennlp[{extra}]'"

assert main(["compare", config, "--output-dir", f"{folder}/comparison"]) == 2
assert not Path(folder, "comparison").exists()
Path(folder, "words.txt").write_text("a 1 2\\n")
assert said(open_file, f"{folder}/words.txt") == sentence("pandas", "vectors")
Path(folder, "matrix").mkdir()
for name in ("words.npy", "words.parquet"):
    Path(folder, "matrix", name).touch()
assert said(open_vectors, f"{folder}/matrix") == sentence("pyarrow", "vectors")
Path(folder, "words.conllu").write_text("1\\ta\\ta\\tDET" + "\\t_" * 6 + "\\n\\n")
reader = DatasetReader.by_name("tagged_text")()
assert said(list, reader.read(f"{folder}/words.conllu")) == sentence("conllu", "text")
vocab = Vocabulary()
assert said(Model.by_name("linear_tagger"), vocab) == sentence("pycrfsuite", "linear")
assert slstm_allennlp.TextClassifier
"""


def run(script, *arguments):
    return run_program([sys.executable, "-c", script, *map(str, arguments)], cwd=ROOT, timeout=300)


def test_the_modules_need_torch_alone():
    done = run(TORCH_ALONE)
    assert done.returncode == 0, done.stderr
    # PyTorch 1 imports some of its own modules late.
    assert done.stdout in ("['slstm_allennlp']\n", "['slstm_allennlp', 'torch']\n")


def test_without_the_extras_all_else_works(tmp_path):
    small = {"model.seq2vec_encoder.hidden_size": 10, "model.seq2vec_encoder.num_steps": 2}
    overrides = json.dumps({**small, "trainer.num_epochs": 1, "evaluate_on_test": False})
    config = ROOT / "training_config" / "mr_slstm.jsonnet"
    done = run(WITHOUT_EXTRAS, tmp_path, config, overrides)
    assert done.returncode == 0, done.stderr
    assert "pip install 'slstm-allennlp[compare]'" in done.stderr
