"""All ways to open an archive have the checks, nothing else has, and trust lifts some."""

import gzip
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from unittest import mock

import pytest
import spacy
import torch
from allennlp.commands import train
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import TensorCache
from allennlp.common.registrable import Registrable
from allennlp.models import Model, archival
from allennlp.nn.initializers import PretrainedModelInitializer
from allennlp.predictors import Predictor
from allennlp.training import Checkpointer
from cached_path import _cached_path
from transformers import dynamic_module_utils

from slstm_allennlp.comparison import worker
from slstm_allennlp.console.main import main
from slstm_allennlp.security import archives, context, load_archive, opening, safe_archives
from slstm_allennlp.security.archives import MAX_BYTES, MAX_MEMBERS
from slstm_allennlp.security.opening import TRUST

CHECKS_WEIGHTS = pytest.mark.skipif(not opening.CAN_CHECK, reason="needs PyTorch 1.13 or later")
IS_POPEN = 'type "subprocess.Popen" is no'
POPEN = {"type": "subprocess.Popen", "args": ["touch", "{}"]}
FETCHING = {"type": "from_archive", "archive_file": "http://127.0.0.1:9/x"}
OWNERS = (torch, spacy, train, archival, Registrable, _cached_path, dynamic_module_utils)


def attributes():
    return {(owner.__name__, name): id(value) for owner in OWNERS for name, value in vars(owner).items()}


def test_everything_is_undone():
    with safe_archives():  # loads what is loaded lazily
        pass
    before = attributes()
    with pytest.raises(KeyError), safe_archives():
        within = attributes()
        with safe_archives():
            assert attributes() == within
        assert attributes() == within
        raise KeyError
    assert len(set(before.items()) - set(within.items())) == 12
    assert attributes() == before


def test_it_ends_with_the_last_of_several_threads():
    load = torch.load
    with ExitStack() as second:
        with safe_archives():
            second.enter_context(safe_archives())
        assert torch.load is not load
    assert torch.load is load


@CHECKS_WEIGHTS
@pytest.mark.parametrize(
    "command",
    [
        "predict model.tar.gz sentences.txt --predictor sentence_tagger",
        "evaluate model.tar.gz sentences.txt",
        "inside model.tar.gz sentences.txt --output-dir inside",
        "cas-lstm-gates model.tar.gz sentences.txt --output-dir gates",
        "train config.json --serialization-dir run",
    ],
)
def test_by_command(forge, monkeypatch, capsys, command):
    forge.put("dataset_reader", POPEN)
    forge.write()
    (forge.folder / "sentences.txt").write_text("the dog\n")
    monkeypatch.chdir(forge.folder)
    assert main(command.split()) == 2
    assert f"error: {IS_POPEN} DatasetReader" in capsys.readouterr().err
    assert not forge.pwned.exists()


def test_by_a_run_of_compare(forge, monkeypatch, capsys):
    forge.put("dataset_reader", POPEN)
    forge.write()
    monkeypatch.setattr(sys, "argv", ["worker", f"{forge.folder}/config.json", f"{forge.folder}/run"])
    with pytest.raises(SystemExit):
        worker.main()
    assert f"error: {IS_POPEN} DatasetReader" in capsys.readouterr().out
    assert not forge.pwned.exists()


def test_by_a_process_of_a_distributed_training(monkeypatch):
    with safe_archives():
        train_worker = pickle.loads(pickle.dumps(train._train_worker))  # as it gets there
    monkeypatch.setattr(context, "_train_worker", lambda *_: torch.load)
    assert train_worker(0, Params({})) is not torch.load


@CHECKS_WEIGHTS
def test_by_predictor_and_by_overrides(forge):
    with pytest.raises(ConfigurationError, match=IS_POPEN):
        load_archive(forge.write(), overrides=json.dumps({"dataset_reader": POPEN}))
    forge.put("dataset_reader", POPEN)
    with safe_archives(), pytest.raises(ConfigurationError, match=IS_POPEN):
        Predictor.from_path(forge.write(), "sentence_tagger")


@CHECKS_WEIGHTS
def test_by_other_weights(forge, tmp_path):
    strange, path = str(tmp_path / "strange.th"), str(forge.write())
    forge.weights = forge.touch()
    torch.save(forge.weights, strange)
    is_refused = pytest.raises(ConfigurationError, match=r'\.th: it holds "posix.system"')
    with is_refused:
        load_archive(path, weights_file=strange)
    with safe_archives():
        for archive_or_weights in (strange, str(forge.write())):
            with is_refused:
                PretrainedModelInitializer(archive_or_weights)
        with is_refused:
            torch.load(strange, weights_only=False)
    assert not forge.pwned.exists()
    torch.load(strange, weights_only=False)  # outside of the context
    assert forge.pwned.exists()


@CHECKS_WEIGHTS
def test_by_checkpoint_and_cache(forge, tmp_path):
    is_refused = pytest.raises(ConfigurationError, match=r'it holds "posix.system"')
    for name in ("model_state_e0_b1.th", "training_state_e0_b1.th"):
        torch.save(forge.touch(), tmp_path / name)
    cache = TensorCache(tmp_path / "cache")
    with cache.lmdb_env.begin(write=True) as transaction:
        transaction.put(b"strange", (tmp_path / name).read_bytes())
    with safe_archives():
        with is_refused:
            Checkpointer(str(tmp_path)).load_checkpoint()
        with is_refused:
            cache["strange"]
    assert not forge.pwned.exists()


def test_a_pytorch_that_cannot_check_weights(forge, monkeypatch):
    monkeypatch.setattr(opening, "CAN_CHECK", False)
    message = rf"PyTorch .* cannot read weights without running code.*{TRUST} to 1"
    forge.put("dataset_reader.type", "unknown")  # not built before
    with pytest.raises(ConfigurationError, match=message):
        load_archive(forge.write())
    forge.put("dataset_reader.type", "sequence_tagging")
    path = forge.write()
    with safe_archives(trust=True):
        archival.load_archive(path)
    with safe_archives():  # a checkpoint or one's own best weights
        torch.load(forge.folder / "weights.th")
    monkeypatch.setenv(TRUST, "1")
    load_archive(path)


@pytest.mark.parametrize("variable", (MAX_BYTES, MAX_MEMBERS))
def test_the_limits_can_be_set(forge, monkeypatch, variable):
    monkeypatch.setenv(TRUST, "1")
    for number in range(10):
        forge.member(f"notes/{number}", bytes(1000))
    path = forge.write()
    monkeypatch.setenv(variable, "10")
    with pytest.raises(ConfigurationError, match=rf"more than 10 .*{variable} raises"):
        load_archive(path)
    monkeypatch.setenv(variable, "1000000")
    load_archive(path)


def test_the_limit_is_for_an_archive_and_those_within(forge, monkeypatch):
    forge.member("notes", bytes(100_000))
    path = forge.write()
    inner = path.rename(path.with_name("inner.tar.gz"))
    forge.put("model", {"type": "from_archive", "archive_file": str(inner)})
    path = forge.write()
    monkeypatch.setenv(TRUST, "1")
    load_archive(path)
    monkeypatch.setenv(MAX_BYTES, "150000")
    load_archive(inner)
    with pytest.raises(ConfigurationError, match=r"inner\.tar\.gz, up to .* more than 150000 bytes"):
        load_archive(path)
    load_archive(inner)


def test_the_limit_is_for_one_archive_at_a_time(forge, monkeypatch):
    forge.member("notes", bytes(100_000))
    path = forge.write()
    monkeypatch.setenv(MAX_BYTES, "150000")
    together = Barrier(3)

    def size_of_notes(is_thread):
        with archives.extracted_archive(path, cleanup=is_thread) as folder:
            if is_thread:
                together.wait(timeout=60)
            return (Path(folder) / "notes").stat().st_size

    assert [*map(size_of_notes, [False] * 3)] == [100_000] * 3  # one after another, and kept
    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(size_of_notes, [True] * 3)] == [100_000] * 3
    assert len([*(forge.folder / "tmp").iterdir()]) == 3


@CHECKS_WEIGHTS
def test_evalb_can_be_set_to_null(forge):
    forge.put("model.evalb_directory_path", "x; touch {}")
    with pytest.raises(ConfigurationError, match="--overrides can set it to null"):
        load_archive(forge.write())
    with pytest.raises(TypeError, match="evalb_directory_path"):  # not a key of simple_tagger
        load_archive(forge.write(), overrides='{"model.evalb_directory_path": null}')


@CHECKS_WEIGHTS
def test_trust_and_the_users_own_configs(forge, monkeypatch):
    fetch = mock.Mock(side_effect=OSError("no network"))
    monkeypatch.setattr(_cached_path, "get_scheme_client", fetch)
    forge.put("model", FETCHING)
    path = forge.write()
    monkeypatch.setenv(TRUST, "yes")
    with pytest.raises(ConfigurationError, match="is 'yes', expected 0 or 1"):
        load_archive(path)
    monkeypatch.delenv(TRUST)
    with safe_archives(trust=True):
        with safe_archives():
            with pytest.raises(ConfigurationError, match="would fetch"):
                archival.load_archive(path)
            fetch.assert_not_called()
            with pytest.raises(OSError):
                Model.from_params(Params(dict(FETCHING)))
        with pytest.raises(OSError, match="no network"):
            archival.load_archive(path)
    assert [call.args for call in fetch.call_args_list] == [("http://127.0.0.1:9/x",)] * 2


@CHECKS_WEIGHTS
def test_only_trusted_configs_are_jsonnet(forge, monkeypatch):
    forge.config_text = json.dumps(forge.config)[:-1] + ', "more": 1 + 1}'
    path = forge.write()
    with pytest.raises(ConfigurationError, match=rf"is no JSON .*{TRUST}=1"):
        load_archive(path)
    monkeypatch.setenv(TRUST, "1")
    monkeypatch.setenv("SIZE", "2")
    overrides = '{"model.encoder.hidden_size": std.parseInt(std.extVar("SIZE"))}'
    assert load_archive(path, overrides=overrides).config["more"] == 2


def test_an_archive_with_another_checksum(forge):
    path = forge.write()
    content = bytearray(path.read_bytes())
    content[-8] ^= 1  # of the checksum of what is unpacked
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"model\.tar\.gz is damaged or no archive \(CRC check"):
        load_archive(path)


def test_bytes_behind_the_members_count(forge, monkeypatch):
    path = forge.write()
    monkeypatch.setenv(MAX_BYTES, "600000")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + bytes(2_000_000)))
    with pytest.raises(ConfigurationError, match="has more than 600000 bytes unpacked; the environment"):
        load_archive(path)


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "model.tar.gz").write_bytes(b"no archive")
    with pytest.raises(ConfigurationError, match=r"model\.tar\.gz is damaged or no archive \("):
        load_archive(tmp_path / "model.tar.gz")
