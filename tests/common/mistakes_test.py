import pathlib

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules import FeedForward

from slstm_allennlp.common.mistakes import users_mistake
from slstm_allennlp.modules import SentenceStateLSTM


def raised(function):
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def a_config():
    raise ConfigurationError("two\n  lines")


@pytest.mark.parametrize(
    "function, sentence",
    [
        (a_config, "two lines"),
        (pathlib.Path("nowhere.txt").read_text, "nowhere.txt: No such file or directory"),
        (
            lambda: SentenceStateLSTM(input_size=0, hidden_size=1),
            "input_size is 0, expected an integer of at least 1",
        ),
    ],
)
def test_a_mistake(function, sentence):
    assert users_mistake(raised(function)) == sentence


def test_a_config_that_is_no_jsonnet(tmp_path):
    (tmp_path / "broken.jsonnet").write_text('{ "model": ')
    error = raised(lambda: Params.from_file(str(tmp_path / "broken.jsonnet")))
    assert "broken.jsonnet" in users_mistake(error)


def test_a_value_of_another_kind_in_a_config():
    error = raised(lambda: FeedForward.from_params(Params({"input_dim": "two"})))
    assert users_mistake(error) == "Expected input_dim to be a int."


@pytest.mark.parametrize(
    "function",
    [
        lambda: FeedForward(2, 1, 2),  # type: ignore[call-arg]  (Python's own TypeError)
        lambda: int("x"),  # not raised by AllenNLP or the plugin
        lambda: {}["x"],
        lambda: torch.zeros(2) @ torch.zeros(3),
        lambda: numpy.random.default_rng().choice([]),  # from compiled code, which has no bytecode
        lambda: SentenceStateLSTM(4, 4)(3),
    ],
)
def test_a_bug(function):
    assert users_mistake(raised(function)) is None


def test_a_value_error_of_another_package():
    def foreign():
        raise ValueError("foreign")

    assert users_mistake(raised(foreign)) is None
