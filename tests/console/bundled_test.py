"""The configs that come with the package: their names, their printed form, and their shared pieces."""

import json
import re

import _jsonnet
import pytest
from allennlp.common import Params

import slstm_cli
from slstm_cli import bundled
from slstm_cli import config as command
from tests.conftest import ROOT, slow_but

NAMES = bundled.config_names()
MR_SLSTM = "sentences (MR) with an S-LSTM, using the settings of the S-LSTM paper."
# The first config of each corpus.
OF_EACH_CORPUS = [*{name.split("_")[0]: name for name in reversed(NAMES)}.values()]


def test_the_list(capsys):
    assert sorted(path.stem for path in (ROOT / "training_config").glob("*.jsonnet")) == NAMES
    assert all(len(bundled.description(name)) > 20 for name in NAMES)
    assert slstm_cli.answer(["config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == NAMES and len(lines) == len(NAMES) + len(command.TASKS)
    assert any(line.startswith("  mr_slstm ") and line.endswith(MR_SLSTM) for line in lines)
    assert lines[0].startswith("Recipes") and listed[0] == "reviews_slstm"
    # README takes the BiLSTM for these.
    assert listed.index("tags_bilstm") < listed.index("tags_slstm")


def test_a_name_that_is_none(capsys):
    assert slstm_cli.answer(["config", "mr_slsm"]) == 2
    said = "error: there is no config 'mr_slsm', did you mean 'mr_slstm'?"
    assert capsys.readouterr().err.startswith(said)


def imports(path):
    """Return all files that a config imports, directly or indirectly."""
    found = re.findall(r"^[^/\n]*import '(.*?)'", path.read_text(encoding="utf-8"), re.MULTILINE)
    files = {(path.parent / name).resolve() for name in found}
    return files.union(*map(imports, files))


def test_imports_of_configs():
    folder = ROOT / "training_config"
    configs = [*folder.glob("*.jsonnet"), *(ROOT / "experiments").glob("*.jsonnet")]
    opened = {path.name: imports(path) for path in configs}
    assert {name: files for name, files in opened.items() if len(files) > 2} == {}
    assert folder / "papers.libsonnet" in opened["mr_lstm.jsonnet"]
    assert folder / "translation.libsonnet" in opened["iwslt14_lstm.jsonnet"]
    assert not {*folder.glob("*.libsonnet")}.difference(*opened.values())
    # Those that import any say in their first line how to see them whole.
    for path in (ROOT / "training_config").glob("*.jsonnet"):
        first, *_ = path.read_text(encoding="utf-8").splitlines()
        assert (first == f"// To see this config whole: slstm config {path.stem}") == bool(imports(path))


@pytest.mark.parametrize("name", slow_but(NAMES, fast=OF_EACH_CORPUS))
def test_a_printed_config_is_the_same_config_whole(name, tmp_path):
    """It has no imports, and its data paths also work from another folder."""
    text = command.annotated(name)
    assert "import" not in [word.strip("(") for word in text.split()]
    (tmp_path / "mine.jsonnet").write_text(text)
    printed = Params.from_file(str(tmp_path / "mine.jsonnet")).as_dict(quiet=True)
    original = Params.from_file(str(ROOT / "training_config" / f"{name}.jsonnet")).as_dict(quiet=True)
    relative = json.loads(json.dumps(printed).replace(str(ROOT / "fixtures"), "fixtures"))
    assert relative == json.loads(json.dumps(original))
    for key in ("train_data_path", "validation_data_path"):
        path = printed[key].split("#")[0].replace("{de,en}", "de")
        assert (ROOT / path).exists() and path.startswith("/")


@pytest.mark.parametrize("name", NAMES)
def test_each_part_of_a_printed_config_is_explained(name):
    config = bundled.whole_config(name)
    unexplained = set(config) - set(command.EXPLANATIONS)
    assert unexplained <= {"validation_data_path", "test_data_path"}
    assert config["dataset_reader"]["type"] in command.FILES
    model = config["model"].get("classifier", config["model"])
    encoders = {key for key in model if key.endswith("encoder")}
    assert all(f"model.{key}" in command.EXPLANATIONS for key in encoders)
    assert encoders or name.endswith(("_linear", "_frozen"))


def test_the_lines_of_ones_own_data_follow_each_other():
    lines = command.annotated("mr_slstm").splitlines()
    (first,) = [number for number, line in enumerate(lines) if '"train_data_path"' in line]
    assert "Your own data" in lines[first - 2]
    assert '"validation_data_path"' in lines[first + 1] and '"test_data_path"' in lines[first + 2]


def test_names_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mr_slstm").write_text("{}")
    for given in ("mr_slstm", "folder/mr_lstm", "mr_lstm.jsonnet"):  # a file goes before a name
        assert bundled.config_path(given, tmp_path) == given
    path = tmp_path / "mr_lstm.json"
    assert bundled.config_path("mr_lstm", tmp_path) == str(path)
    assert json.loads(path.read_text())["model"]["type"] == "basic_classifier"
    (tmp_path / "mr_lstm").mkdir()  # such as the output of its training
    assert bundled.config_path("mr_lstm", tmp_path) == str(path)
    with pytest.raises(FileNotFoundError, match="no config of that name, did you mean 'mr_lstm'"):
        bundled.config_path("mr_lstmm", tmp_path)


# The configs that people open are flat. They equal what the shared pieces of the other configs give.
SLSTM = "type: 'slstm', hidden_size: 300, num_steps:"
SHARED = {
    "pos_slstm": f"(import 'pos.libsonnet')({{ {SLSTM} 7 }})",
    "ner_slstm": f"(import 'ner.libsonnet')({{ {SLSTM} 9 }})",
    "mr_slstm": f"(import 'mr.libsonnet')({{ {SLSTM} 9 }})",
    "snli_cas_lstm": "(import 'snli.libsonnet')"
    "({ type: 'cas_lstm', hidden_size: 300, num_layers: 2, bidirectional: false })",
    "reviews_slstm": """(import 'reviews.libsonnet')({
        type: 'compose',
        seq2seq_encoder: { type: 'slstm', hidden_size: 100, num_steps: 5, transition: 'fastnlp' },
        seq2vec_encoder: { type: 'additive_attention' },
    })""",
    "tags_slstm": "(import 'tags.libsonnet').tags("
    "{ type: 'slstm', hidden_size: 150, num_steps: 5, transition: 'balanced' })",
}


@pytest.mark.parametrize("name", SHARED)
def test_a_flat_config_equals_the_shared_pieces(name):
    folder = ROOT / "training_config"
    text = (folder / f"{name}.jsonnet").read_text(encoding="utf-8")
    assert "import" not in text
    shared = _jsonnet.evaluate_snippet(str(folder / "shared.jsonnet"), SHARED[name])
    assert json.loads(_jsonnet.evaluate_snippet(name, text)) == json.loads(shared)


@pytest.mark.parametrize("name", NAMES)
def test_short_words_are_padded_for_the_filters(name):
    config = json.dumps(bundled.whole_config(name))
    padded = [int(size) for size in re.findall(r'"min_padding_length": (\d+)', config)]
    filters = re.findall(r'"ngram_filter_sizes": \[([\d, ]+)\]', config)
    if padded:
        assert min(padded) >= max(int(size) for sizes in filters for size in sizes.split(","))
