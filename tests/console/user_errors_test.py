import pytest
import torch
from allennlp.commands.find_learning_rate import find_learning_rate_model
from allennlp.commands.train import train_model_from_file
from allennlp.common import Params, util
from allennlp.common.checks import ConfigurationError
from allennlp.data import Tokenizer
from allennlp.models import load_archive
from allennlp.training import util as training_util
from allennlp.training.trainer import check_for_gpu

from tests.conftest import ROOT

CONFIG = ROOT / "training_config" / "mr_slstm.jsonnet"


@pytest.mark.parametrize(
    "device, count, message",
    [
        (3, 0, "is 3, and PyTorch sees no GPU here, expected -1 for the CPU$"),
        (torch.device("cuda:0"), 0, "is 0, and PyTorch sees no GPU here"),
        (1, 1, "is 1, and PyTorch sees 1 GPU here, expected -1 for the CPU or one of 0$"),
        ([0, 2], 2, "is 2, and PyTorch sees 2 GPUs here, expected -1 for the CPU or one of 0, 1$"),
    ],
)
def test_a_gpu_that_is_not_there(monkeypatch, device, count, message):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    with pytest.raises(ConfigurationError, match=r"cuda_device \(trainer.cuda_device .*\) " + message):
        check_for_gpu(device)


@pytest.mark.parametrize("device, count", [(-1, 0), (None, 0), (torch.device("cpu"), 0), ([0, 1], 2)])
def test_a_device_that_is_there(monkeypatch, device, count):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    check_for_gpu(device)


def test_a_gpu_that_is_not_there_in_a_config(tmp_path):
    with pytest.raises(ConfigurationError, match=r"cuda_device .* is 3, and PyTorch sees "):
        train_model_from_file(CONFIG, tmp_path / "run", overrides={"trainer.cuda_device": 3})


def test_a_gpu_that_is_not_there_for_an_archive(classifier, monkeypatch):
    """As `evaluate --cuda-device 3` and `Predictor.from_path(…, cuda_device=3)` load it."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ConfigurationError, match="is 3, and PyTorch sees no GPU here"):
        load_archive(classifier / "model.tar.gz", cuda_device=3)


@pytest.mark.parametrize("error", [OSError("no network"), SystemExit(1)])
def test_a_spacy_model_that_cannot_be_fetched(monkeypatch, error):
    def download(*_):
        raise error

    monkeypatch.setattr(util, "spacy_download", download)
    with pytest.raises(ConfigurationError) as caught:
        Tokenizer.from_params(Params({"type": "spacy", "language": "en_core_web_sm"}))
    assert str(caught.value).startswith(
        "the spaCy model en_core_web_sm is not installed and could not be fetched; set "
        '"tokenizer": {"type": "spacy_blank"} in the dataset_reader'
    )


@pytest.mark.parametrize("command", ["train", "find-lr"])
def test_an_output_folder_that_is_used(tmp_path, command):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").write_text("")
    message = (
        r"output folder .*run exists and is not empty: -f \(--force\) deletes .*, --recover goes on"
    )
    with pytest.raises(ConfigurationError, match=message):
        if command == "train":
            train_model_from_file(CONFIG, tmp_path / "run")
        else:
            find_learning_rate_model(Params.from_file(str(CONFIG)), tmp_path / "run")
    assert (tmp_path / "run" / "mine").exists()


def test_an_empty_output_folder_and_force(tmp_path):
    training_util.create_serialization_dir(Params({}), tmp_path, recover=False, force=False)
    (tmp_path / "old").write_text("")
    training_util.create_serialization_dir(Params({}), tmp_path, recover=False, force=True)
    assert list(tmp_path.iterdir()) == []
