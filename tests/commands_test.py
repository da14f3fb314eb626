"""AllenNLP's commands with the plugin, as a user types them."""

import itertools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from slstm_allennlp.linear import FittedModel
from tests.conftest import RECIPES, ROOT, SMALL, run_program, slow_but

ALLENNLP = [str(pathlib.Path(sys.executable).with_name("allennlp"))]
CONFIG = "training_config/pos_slstm.jsonnet"


def small(config):
    """Return the config with smaller sizes, so that it trains in seconds."""
    sizes = {300: 10, 256: 10, 600: 20, 350: 60, 128: 8, 484: 8}

    def shrink(value, key=None):
        if isinstance(value, dict):
            return {key: shrink(part, key) for key, part in value.items()}
        if isinstance(value, list):
            return [shrink(part, key) for part in value]
        is_size = key is not None and key.endswith(("_dim", "_dims", "_size", "_sizes"))
        return sizes.get(value, value) if is_size else value

    params = shrink(Params.from_file(str(config)).as_dict(quiet=True))
    if params["trainer"].get("type") != "fit":  # "fit" has no epochs
        params["trainer"]["num_epochs"] = 1
    params["dataset_reader"]["max_instances"] = 40
    return params


# All but those with BERT, which is not bundled. bert_test.py and recipes_test.py train those.
CONFIGS = sorted(
    path
    for path in (ROOT / "training_config").glob("*.jsonnet")
    if "_bert_" not in path.name and path.stem not in RECIPES
)


# At least one config of each corpus, with different encoders. The other configs are slow tests.
TRAINED = """
    iwslt14_lstm mnli_slstm mr_coupled_lstm_attention mr_transformer mtl_cnn ner_coupled_lstm pos_slstm
    ptb_bilstm quora_lstm snli_slstm sst2_lstm sst5_cas_lstm translation_cas_lstm
""".split()
FAST = [path for path in CONFIGS if path.stem in TRAINED]


@pytest.mark.parametrize("config", slow_but(CONFIGS, fast=FAST), ids=lambda path: path.name)
def test_every_config_trains_on_the_bundled_data(allennlp, tmp_path, config):
    """Only sizes and the number of sentences are reduced."""
    (tmp_path / "small.json").write_text(json.dumps(small(config)))
    allennlp("train", tmp_path / "small.json", "-s", tmp_path / "run")
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    task = config.name.split("_")[0]
    name = {"ner": "f1-measure-overall", "translation": "BLEU", "iwslt14": "BLEU"}.get(task, "accuracy")
    assert 0 <= metrics[f"best_validation_{name}"] <= 1
    assert name == "BLEU" or 0 <= metrics[f"test_{name}"] <= 1


# All MR configs, and one or more of each other corpus but IWSLT14: the large models are slow tests.
LARGE = ["iwslt14_lstm", "translation_cas_lstm"]
SOME = ("mr_", "translation_", *TRAINED)
BUILT = [path for path in CONFIGS if path.stem.startswith(SOME) and path.stem not in LARGE]


@pytest.mark.parametrize("config", slow_but(CONFIGS, fast=BUILT), ids=lambda path: path.name)
def test_every_config_builds_at_its_own_size(config):
    """The sizes of the model's parts fit each other."""
    params = Params.from_file(str(config))
    reader = DatasetReader.from_params(params["dataset_reader"])
    instances = list(itertools.islice(reader.read(params["train_data_path"]), 10))
    model = Model.from_params(params["model"], vocab=Vocabulary.from_instances(instances))
    if isinstance(model, FittedModel):
        model.fit(instances, None)
    outputs = model.eval().forward_on_instances(instances)
    assert len(outputs) == 10 and all(math.isfinite(output.get("loss", 0)) for output in outputs)


@pytest.mark.parametrize(
    "file, options, count, keys",
    [
        ("raw.jsonl", ["--predictor-args", '{"scores": true}'], 3, ("words", "tags", "scores")),
        ("dev.conllu", ["--use-dataset-reader"], 100, ("words", "tags")),
    ],
)
def test_predict(allennlp, tagger, tmp_path, file, options, count, keys):
    arguments = ["predict", tagger / "model.tar.gz", f"fixtures/pos/{file}", *options]
    allennlp(*arguments, "--silent", "--output-file", tmp_path / "tagged.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "tagged.jsonl").read_text().splitlines()]
    assert len(lines) == count
    assert all(len({len(line[key]) for key in keys}) == 1 for line in lines)


@pytest.mark.slow
def test_archive_from_another_folder(tagger, tmp_path):
    """The new folder has no corpus and no .allennlp_plugins. The flag loads the plugin."""
    shutil.copy(tagger / "model.tar.gz", tmp_path / "moved.tar.gz")
    (tmp_path / "in.jsonl").write_text('{"sentence": "The dog sleeps."}\n')
    flags = ["--include-package", "slstm_allennlp", "--silent", "--output-file", "out.jsonl"]
    command = [*ALLENNLP, "predict", "moved.tar.gz", "in.jsonl", *flags]
    done = run_program(command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads((tmp_path / "out.jsonl").read_text())["words"] == ["The", "dog", "sleeps", "."]


@pytest.mark.slow
def test_a_killed_run_is_recovered(allennlp, tmp_path):
    """In the new interpreter, only .allennlp_plugins makes the plugin's names known."""
    run = tmp_path / "run"
    overrides = {**SMALL, "trainer.num_epochs": 20, "trainer.patience": None}
    overrides["dataset_reader.max_instances"] = 20
    command = ["train", CONFIG, "-s", str(run), "-o", json.dumps(overrides)]
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen([*ALLENNLP, *command], cwd=ROOT, stdout=log, stderr=log)
    while not list(run.glob("training_state_e2_*")):
        assert process.poll() is None, (tmp_path / "log").read_text()[-2000:]
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    first_epoch = (run / "metrics_epoch_0.json").stat().st_mtime_ns
    assert not (run / "metrics.json").exists()
    allennlp(*command, "--recover")
    assert json.loads((run / "metrics.json").read_text())["epoch"] == 19
    # It resumed from its checkpoint: the first epoch was not trained again.
    assert (run / "metrics_epoch_0.json").stat().st_mtime_ns == first_epoch
