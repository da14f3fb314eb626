"""If a BERT cannot be loaded, one sentence says which one, where it was sought, and what is missing."""

import os
import subprocess
import sys
import time

import pytest
import requests
from allennlp.common import cached_transformers
from allennlp.common.checks import ConfigurationError
from transformers import BertConfig, BertModel, BertTokenizerFast
from transformers.utils.hub import TRANSFORMERS_CACHE

from slstm_allennlp.console.friendly import friendly_messages
from tests.conftest import ROOT


def load(name):
    """Load the tokenizer and the model, in the order in which training needs them."""
    with friendly_messages():
        tokenizer = cached_transformers.get_tokenizer(str(name), use_fast=True)
        return tokenizer, cached_transformers.get(str(name), True)


@pytest.fixture
def bert(tmp_path):
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    BertModel(BertConfig(7, 4, 1, 1, 4)).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    "name, missing",
    [
        *(
            (name, f"there is no folder {os.path.join(ROOT, os.path.normpath(name))}; expected")
            for name in ("/no/such/bert", "./bert", "no/such/bert", "bert/")
        ),
        (
            "nobody/no-such-bert",
            f"(looked for {ROOT}/nobody/no-such-bert), not completely in the cache (looked in "
            f"{TRANSFORMERS_CACHE}), and the hub cannot be reached; expected a folder with config.json",
        ),
        ("README.md", "README.md is a file, expected a folder"),
        ("docs", f"the folder {ROOT}/docs has no config.json and no vocab.txt or tokenizer.json;"),
    ],
)
def test_nothing_of_that_name_and_no_network(monkeypatch, name, missing):
    def refuse(*arguments, **options):
        raise requests.ConnectionError("Name or service not known")

    monkeypatch.setattr(requests.Session, "send", refuse)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # between attempts
    with pytest.raises(ConfigurationError) as raised:
        load(name)
    message = raised.value.message
    assert "\n" not in message and message.startswith(f'no BERT-like model "{name}": ')
    assert missing in message


@pytest.mark.parametrize(
    "pattern, missing",
    (
        ("config.json", "config.json"),
        ("*.bin,*.safetensors", "pytorch_model.bin"),
        ("vocab.txt,tokenizer.json", "vocab.txt or tokenizer.json"),
        ("vocab.txt,tokenizer*,special*", "vocab.txt or tokenizer.json"),
    ),
)
def test_a_file_of_the_folder_is_missing(bert, pattern, missing):
    for part in pattern.split(","):
        for path in bert.glob(part):
            path.unlink()
    with pytest.raises(ConfigurationError, match=f"the folder {bert} has no {missing}"):
        load(bert)


def test_a_whole_folder_loads(bert):
    tokenizer, model = load(bert)
    assert tokenizer.tokenize("a b") == ["a", "b"]
    assert model.config.vocab_size == len(tokenizer) == 7


def test_other_errors_stay_as_they_are(bert):
    (bert / "config.json").write_text('{"model_type": ')
    with pytest.raises(OSError, match="not a valid JSON file"):
        load(bert)


@pytest.mark.slow
def test_training_ends_with_the_sentence(tmp_path):
    """As a user sees it, with the hub switched off."""
    command = [sys.executable, "-m", "slstm_allennlp.console", "train", "mtl_bert_mlp"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    environment.update(HF_HOME=str(tmp_path), HF_HUB_CACHE=str(tmp_path / "hub"), PYTHONPATH=str(ROOT))
    environment.pop("TRANSFORMERS_CACHE", None)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 2
    assert last.startswith('error: no BERT-like model "bert-base-uncased": it is not a folder')
    assert f"looked in {tmp_path}/" in last and "HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set" in last
