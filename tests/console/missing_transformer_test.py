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

from tests.conftest import ROOT


def load(name):
    """Load the tokenizer and the model, in the order in which training needs them."""
    tokenizer = cached_transformers.get_tokenizer(str(name), use_fast=True)
    return tokenizer, cached_transformers.get(str(name), True)


def refusal(name):
    """Return the message of the error. It is one line that begins with the name."""
    with pytest.raises(ConfigurationError) as raised:
        load(name)
    message = raised.value.message
    assert raised.value.__cause__ is not None
    assert "\n" not in message and message.startswith(f'no BERT-like model "{name}": ')
    return message


@pytest.fixture
def bert(tmp_path):
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    BertModel(BertConfig(7, 4, 1, 1, 4)).save_pretrained(folder)
    return folder


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*arguments, **options):
        raise requests.ConnectionError("Name or service not known")

    monkeypatch.setattr(requests.Session, "send", refuse)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)  # between attempts


def test_nothing_of_that_name_and_no_network(no_network):
    message = refusal("nobody/no-such-bert")
    assert f"looked for {ROOT}/nobody/no-such-bert)" in message
    assert f"looked in {TRANSFORMERS_CACHE})" in message
    assert "the hub cannot be reached; expected a folder with config.json" in message


@pytest.mark.parametrize("name", ("/no/such/bert", "./bert", "no/such/bert", "bert/"))
def test_no_folder(no_network, name):
    assert f"there is no folder {os.path.abspath(name)}; expected" in refusal(name)


def test_a_file(tmp_path):
    (tmp_path / "bert.bin").write_text("")
    assert "bert.bin is a file, expected a folder" in refusal(tmp_path / "bert.bin")


def test_an_empty_folder(tmp_path):
    message = refusal(tmp_path)
    assert f"the folder {tmp_path} has no config.json and no vocab.txt or tokenizer.json;" in message


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
    assert f"the folder {bert} has no {missing}" in refusal(bert)


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
    command = [os.path.join(os.path.dirname(sys.executable), "allennlp"), "train"]
    command += ["training_config/mtl_bert_mlp.jsonnet", "-s", str(tmp_path / "run")]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    environment.update(HF_HOME=str(tmp_path), HF_HUB_CACHE=str(tmp_path / "hub"))
    environment.pop("TRANSFORMERS_CACHE", None)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode != 0
    assert 'ConfigurationError: no BERT-like model "bert-base-uncased": it is not a folder' in last
    assert f"looked in {tmp_path}/" in last and "HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set" in last
