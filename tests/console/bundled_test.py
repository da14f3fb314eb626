"""The configs that come with the package: their names, their printed form, and the wheel."""

import json
import re

import pytest
from allennlp.common import Params

from slstm_cli import bundled
from slstm_cli import config as command
from tests.conftest import ROOT, slow_but

NAMES = bundled.config_names()
MR_SLSTM = (
    "Classify the sentiment of movie-review sentences (MR) with an S-LSTM, using the settings of the "
    "S-LSTM paper."
)
# The first config of each corpus.
OF_EACH_CORPUS = [*{name.split("_")[0]: name for name in reversed(NAMES)}.values()]


def test_all_configs_have_a_name_and_a_description():
    assert sorted(path.stem for path in (ROOT / "training_config").glob("*.jsonnet")) == NAMES
    assert all(len(bundled.description(name)) > 20 for name in NAMES)
    assert bundled.description("mr_slstm") == MR_SLSTM


def imports(path):
    """Return all files that a config imports, directly or indirectly."""
    found = re.findall(r"^[^/\n]*import '(.*?)'", path.read_text(encoding="utf-8"), re.MULTILINE)
    files = {(path.parent / name).resolve() for name in found}
    return files.union(*map(imports, files))


def test_a_config_imports_at_most_two_files():
    configs = [
        path
        for folder in ("training_config", "experiments")
        for path in (ROOT / folder).glob("*.jsonnet")
    ]
    opened = {path.name: imports(path) for path in configs}
    assert {name: files for name, files in opened.items() if len(files) > 2} == {}
    papers, translation = (
        ROOT / "training_config" / f"{name}.libsonnet" for name in ("papers", "translation")
    )
    assert papers in opened["mr_lstm.jsonnet"] and translation in opened["iwslt14_lstm.jsonnet"]
    unread = {*(ROOT / "training_config").glob("*.libsonnet")}.difference(*opened.values())
    assert not unread


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
    assert encoders or name.endswith("_linear")


def test_the_lines_of_ones_own_data_follow_each_other():
    lines = command.annotated("mr_slstm").splitlines()
    (first,) = [number for number, line in enumerate(lines) if '"train_data_path"' in line]
    assert "Your own data" in lines[first - 2]
    assert '"validation_data_path"' in lines[first + 1] and '"test_data_path"' in lines[first + 2]


def test_the_list(capsys):
    from slstm_allennlp.console.main import main

    assert main(["config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == NAMES and len(lines) == len(NAMES) + len(command.TASKS)
    assert any(line.startswith("  mr_slstm ") and line.endswith(MR_SLSTM) for line in lines)
    assert lines[0].startswith("Recipes") and listed[0] == "reviews_slstm"
    # README takes the BiLSTM for these.
    assert listed.index("tags_bilstm") < listed.index("tags_slstm")


def test_names_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mr_slstm").write_text("{}")
    assert bundled.config_path("mr_slstm", tmp_path) == "mr_slstm"  # a file goes before a name
    assert bundled.config_path("folder/mr_lstm", tmp_path) == "folder/mr_lstm"
    assert bundled.config_path("mr_lstm.jsonnet", tmp_path) == "mr_lstm.jsonnet"
    path = bundled.config_path("mr_lstm", tmp_path)
    assert json.loads((tmp_path / "mr_lstm.json").read_text())["model"]["type"] == "basic_classifier"
    assert path == str(tmp_path / "mr_lstm.json")
    with pytest.raises(FileNotFoundError, match="no config of that name, did you mean 'mr_lstm'"):
        bundled.config_path("mr_lstmm", tmp_path)
