"""docs/paper_tables.md and cas_lstm_tables.md are up to date, and every command fits its config."""

import itertools
import re
import runpy
import subprocess
import sys

import pytest
from allennlp.common import Params
from allennlp.common.params import parse_overrides
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model

from tests.conftest import ROOT

DOCUMENTS = [ROOT / "docs" / name for name in ("paper_tables.md", "cas_lstm_tables.md")]


@pytest.fixture(scope="module", params=DOCUMENTS, ids=lambda path: path.name)
def commands(request):
    """The arguments of every `allennlp` command in a document, as bash splits them."""
    blocks = re.findall(r"```sh\n(.*?)```", request.param.read_text(encoding="utf-8"), re.DOTALL)
    script = "allennlp() { printf '%s\\0' \"$@\" $'\\n'; }\n" + "\n".join(blocks)
    output = subprocess.run(["bash", "-euc", script], capture_output=True, check=True).stdout.decode()
    return [line.split("\0")[:-1] for line in output.split("\n\0")[:-1]]


def test_the_documents_are_what_their_script_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["paper_tables.py", str(tmp_path)])
    script = runpy.run_path(str(ROOT / "tools" / "paper_tables.py"), run_name="__main__")
    pages = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    for document, page in zip(DOCUMENTS, pages):
        written = (tmp_path / document.name).read_text(encoding="utf-8")
        assert page == written, "run python tools/paper_tables.py"
    assert sum(page.count("<!-- end of table -->") for page in pages) == 12
    assert f"for dataset in {' '.join(row[0] for row in script['TABLE_5'])}; do" in pages[0].replace(
        " \\\n    ", " "
    )


@pytest.fixture(scope="module")
def kinds(commands):
    """The overrides of one command for each config and set of keys."""
    assert len(commands) > 25
    found = {}
    # One call for all, because Jsonnet is slow.
    all_overrides = parse_overrides(f"[{', '.join(command[5] for command in commands)}]")
    for command, overrides in zip(commands, all_overrides):
        assert [command[0], command[2], command[4]] == ["train", "-s", "-o"]
        assert overrides["train_data_path"].startswith("fixtures/")
        found[command[1], tuple(overrides)] = command[5]
    return found


def test_every_command_fits_its_config(kinds, commands):
    """Every override has a key of the config, or one of OPTIONS."""
    for config, keys in kinds:
        stock = Params.from_file(config).as_flat_dict()
        for key in keys:
            known = key in stock or any(other.startswith(f"{key}.") for other in stock)
            assert known or key.split(".")[-1] in OPTIONS, (config, key)
    # Runs have folders of their own.
    folders = {}
    for command in commands:
        assert folders.setdefault(command[3], command) == command


@pytest.mark.slow
def test_every_command_builds_its_model(kinds):
    """The parts of each model fit each other, and the loss is finite. (commands_test.py trains them.)"""
    import_plugins()  # as the command line does
    for (config, _), overrides in kinds.items():
        params = Params.from_file(config, overrides)
        if params["dataset_reader"]["type"] == "review":
            params["dataset_reader"]["dataset"] = "books"  # not all datasets are bundled
        reader = DatasetReader.from_params(params["dataset_reader"])
        instances = list(itertools.islice(reader.read(params["train_data_path"]), 3))
        for instance in instances:
            reader.apply_token_indexers(instance)
        vocabulary = Vocabulary.from_instances(instances)
        model = Model.from_params(params["model"], vocab=vocabulary)
        batch = Batch(instances)
        batch.index_instances(vocabulary)
        assert model(**batch.as_tensor_dict())["loss"].isfinite(), (config, overrides)


# Keys that a config may omit.
OPTIONS = {
    *("num_sentence_nodes", "boundary", "window_size", "num_layers", "transition", "num_steps"),
    *("feedforward", "pretrained_file", "fusion"),
}
