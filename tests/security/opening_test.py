"""All ways to open an archive have the checks, and the user can turn them off."""

import json
import sys

import pytest
import torch
from allennlp.commands import main
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import TensorCache
from allennlp.models import Model, load_archive
from allennlp.nn.initializers import PretrainedModelInitializer
from allennlp.predictors import Predictor

from slstm_allennlp.security.archives import MAX_BYTES, MAX_MEMBERS
from slstm_allennlp.security.opening import TRUST
from slstm_allennlp.security.weights import load_by_our_list
from tests.conftest import run_program
from tests.security.common import Forge, Touch


@pytest.fixture
def forge(tmp_path):
    return Forge(tmp_path)


@pytest.fixture
def hostile(forge):
    """The path of an archive whose reader creates the file `pwned`."""
    forge.config["dataset_reader"] = {"type": "subprocess.Popen", "args": ["touch", str(forge.pwned)]}
    return forge.write()


@pytest.mark.parametrize("variable", (MAX_BYTES, MAX_MEMBERS))
def test_the_limits_can_be_set(forge, monkeypatch, variable):
    for number in range(10):
        forge.member(f"notes/{number}", bytes(1000))
    path = forge.write()
    monkeypatch.setenv(variable, "10")
    with pytest.raises(ConfigurationError, match=rf"more than 10 .*{variable} raises"):
        load_archive(path)
    monkeypatch.setenv(variable, "1000000")
    load_archive(path)


def test_by_predictor(forge, hostile):
    with pytest.raises(ConfigurationError, match=r'type "subprocess.Popen"'):
        Predictor.from_path(hostile, "sentence_tagger")
    assert not forge.pwned.exists()


def test_by_overrides(forge):
    reader = {"type": "subprocess.Popen", "args": ["touch", str(forge.pwned)]}
    with pytest.raises(ConfigurationError, match=r'type "subprocess.Popen"'):
        load_archive(forge.write(), overrides=json.dumps({"dataset_reader": reader}))
    assert not forge.pwned.exists()


def test_overrides_are_still_jsonnet(forge, monkeypatch):
    monkeypatch.setenv("SIZE", "2")
    overrides = '{"model.encoder.hidden_size": std.parseInt(std.extVar("SIZE"))}'
    assert (
        load_archive(forge.write(), overrides=overrides).config["model"]["encoder"]["hidden_size"] == 2
    )


@pytest.mark.parametrize(
    "command",
    (
        "predict ARCHIVE sentences.txt --predictor sentence_tagger",
        "evaluate ARCHIVE sentences.txt",
        "slstm-inside ARCHIVE sentences.txt --output-dir inside",
        "cas-lstm-gates ARCHIVE sentences.txt --output-dir gates",
    ),
)
def test_by_command(forge, hostile, monkeypatch, command):
    (forge.folder / "sentences.txt").write_text("the dog\n")
    monkeypatch.chdir(forge.folder)
    monkeypatch.setattr(sys, "argv", ["allennlp", *command.replace("ARCHIVE", str(hostile)).split()])
    with pytest.raises(ConfigurationError, match=r'type "subprocess.Popen" is no DatasetReader'):
        main()
    assert not forge.pwned.exists()


@pytest.mark.slow
def test_by_the_command_line(forge, hostile):
    (forge.folder / "sentences.txt").write_text("the dog\n")
    command = [sys.executable, "-m", "allennlp", "predict", str(hostile), "sentences.txt"]
    process = run_program([*command, "--include-package", "slstm_allennlp"], cwd=forge.folder)
    assert process.returncode != 0
    assert 'type "subprocess.Popen" is no DatasetReader' in process.stderr
    assert not forge.pwned.exists()


def test_by_path_of_the_weights(forge, tmp_path):
    path = tmp_path / "strange.th"
    torch.save(Touch(forge.pwned), path)
    with pytest.raises(ConfigurationError, match=r'strange.th: it holds "posix.system"'):
        load_archive(forge.write(), weights_file=str(path))
    assert not forge.pwned.exists()


@pytest.mark.parametrize("archived", (True, False))
def test_by_initializer(forge, tmp_path, archived):
    forge.weights = Touch(forge.pwned)
    path = forge.write() if archived else tmp_path / "weights.th"
    torch.save(forge.weights, tmp_path / "weights.th")
    with pytest.raises(ConfigurationError, match=r'it holds "posix.system"'):
        PretrainedModelInitializer(str(path))
    assert not forge.pwned.exists()


def test_by_tensor_cache(tmp_path):
    path = tmp_path / "cache"
    cache = TensorCache(path)
    tensor = torch.arange(6.0).view(2, 3)
    cache["word"] = tensor
    del cache, tensor
    cache = TensorCache(path)
    torch.testing.assert_close(cache["word"], torch.arange(6.0).view(2, 3))
    with pytest.raises(KeyError):
        cache["none such"]
    with cache.lmdb_env.begin(write=True) as transaction:
        torch.save(Touch(tmp_path / "pwned"), tmp_path / "strange.th")
        transaction.put(b"strange", (tmp_path / "strange.th").read_bytes())
    with pytest.raises(ConfigurationError, match="the value of 'strange' is not a tensor"):
        cache["strange"]
    assert not (tmp_path / "pwned").exists()


def test_the_users_own_loads_are_not_checked(tmp_path, forge):
    """The allow-list applies only to calls of AllenNLP and transformers."""
    torch.save(Touch(forge.pwned), tmp_path / "own.th")
    options = {"weights_only": False} if hasattr(torch.serialization, "add_safe_globals") else {}
    torch.load(tmp_path / "own.th", **options)
    assert forge.pwned.exists()


def test_evalb_can_be_set_to_null(forge):
    forge.config["model"]["evalb_directory_path"] = "x; touch pwned"
    with pytest.raises(ConfigurationError, match="--overrides can set it to null"):
        load_archive(forge.write())
    with pytest.raises(TypeError, match="evalb_directory_path"):  # not a key of simple_tagger
        load_archive(forge.write(), overrides='{"model.evalb_directory_path": null}')


@pytest.fixture
def fetched(monkeypatch):
    """A list of the requested addresses. Every request fails."""
    requested = []

    def fail(address, **_):
        requested.append(address)
        raise OSError(address)

    monkeypatch.setattr(sys.modules["cached_path._cached_path"], "get_scheme_client", fail)
    return requested


def test_trust(forge, monkeypatch, fetched):
    forge.config["model"] = {"type": "from_archive", "archive_file": "http://127.0.0.1:9/x"}
    path = forge.write()
    monkeypatch.setenv(TRUST, "yes")
    with pytest.raises(ConfigurationError, match="is 'yes', expected 0 or 1"):
        load_archive(path)
    monkeypatch.setenv(TRUST, "1")
    with pytest.raises(OSError, match="127"):
        load_archive(path)
    assert fetched == ["http://127.0.0.1:9/x"]


def test_trusted_configs_are_jsonnet(forge, monkeypatch):
    forge.config_text = json.dumps(forge.config)[:-1] + ', "more": 1 + 1}'
    path = forge.write()
    with pytest.raises(ConfigurationError, match=rf"is no JSON .*{TRUST}=1"):
        load_archive(path)
    monkeypatch.setenv(TRUST, "1")
    assert load_archive(path).config["more"] == 2


def test_the_checks_end_with_the_archive(forge, fetched):
    """After an archive was opened or refused, the user's own configs are not restricted."""
    forge.config["model"] = {"type": "from_archive", "archive_file": "http://127.0.0.1:9/x"}
    with pytest.raises(ConfigurationError, match="would fetch"):
        load_archive(forge.write())
    assert not fetched
    with pytest.raises(OSError):
        Model.from_params(Params({"type": "from_archive", "archive_file": "http://127.0.0.1:9/x"}))
    assert fetched


STATES = {
    "tensors": {"a": torch.rand(2, 3), "b": torch.arange(3), "c": torch.tensor([True])},
    "half": torch.rand(2).half(),
    "bfloat16": torch.rand(2).bfloat16(),
    "views": [torch.rand(4, 4).t(), torch.rand(6)[2:4]],
    "sparse": torch.eye(3).to_sparse(),
    "parameter": torch.nn.Parameter(torch.rand(2), requires_grad=False),
    "optimizer": torch.optim.Adam([torch.nn.Parameter(torch.rand(2))]).state_dict(),
    "module": torch.nn.Linear(2, 2).state_dict(),  # an OrderedDict with an attribute
    "plain": {"x": [1, 2.5, "text", None, True, b"bytes", {1, 2}, (3, 4), 1j], 7: torch.Size([2])},
    "dtype": [torch.float64, torch.device("cpu")],
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize(
    "how", ({}, {"pickle_protocol": 4}, {"_use_new_zipfile_serialization": False}), ids=str
)
def test_our_list_has_what_weights_are_made_of(tmp_path, name, how):
    torch.save(STATES[name], tmp_path / "state.th", **how)
    assert str(load_by_our_list(tmp_path / "state.th")) == str(STATES[name])


class Stateful:
    """Pickled as an object of an allowed class, with a state for it."""

    def __reduce__(self):
        return torch.device, ("cpu",), {"type": "cuda"}


def test_our_list_gives_a_state_to_no_other_class(tmp_path):
    torch.save(Stateful(), tmp_path / "state.th")
    with pytest.raises(Exception, match=r"torch\.device"):
        load_by_our_list(tmp_path / "state.th")


def test_a_file_that_is_no_archive(tmp_path):
    (tmp_path / "model.tar.gz").write_bytes(b"no archive")
    with pytest.raises(ConfigurationError, match=r"model\.tar\.gz is damaged or no archive \("):
        load_archive(tmp_path / "model.tar.gz")
