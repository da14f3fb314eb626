"""Sizes that do not match, in every AllenNLP model with a feed-forward network."""

import copy
import functools
import operator
from types import SimpleNamespace
from unittest import mock

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp.modules.seq2vec_encoders import CnnEncoder

from slstm_allennlp.training.size_check import check_sizes
from tests.conftest import EMBEDDING, SMALL_TEXTS, train
from tests.models.swap_test import CASES, build, name_of

CPU = torch.device("cpu")


def feedforwards(model, path=()):
    for key, value in model.items():
        if isinstance(value, dict):
            is_one = {"input_dim", "hidden_dims"} <= set(value)
            yield from [(*path, key)] if is_one else feedforwards(value, (*path, key))


WITH_FEEDFORWARD = [(name, path) for name, case in CASES.items() for path in feedforwards(case.model)]


def built(case, name):
    reader, instances, model = build(case, name)
    for instance in instances:
        reader.apply_token_indexers(instance)
    return model, SimpleNamespace(iter_instances=lambda: iter(instances))


@pytest.mark.parametrize("name, path", WITH_FEEDFORWARD, ids=str)
def test_a_feedforward_that_does_not_fit(name, path):
    case = copy.deepcopy(CASES[name])
    config = functools.reduce(operator.getitem, path, case.model)
    right, config["input_dim"] = config["input_dim"], config["input_dim"] + 3
    # The error is from the size check, or from the model itself.
    by_check = rf"{path[-1]}\.input_dim is {right + 3}, expected {right}$"
    message = rf"{by_check}|must match .* {right + 3}|{right + 3} and"
    with pytest.raises(ConfigurationError, match=message):
        check_sizes(*built(case, name_of(name)), CPU)


@pytest.mark.parametrize("name", sorted({name for name, _ in WITH_FEEDFORWARD}))
def test_sizes_that_fit(name, caplog):
    model, loader = built(CASES[name], name_of(name))
    with caplog.at_level("DEBUG", logger="slstm_allennlp.training.size_check"):
        check_sizes(model, loader, CPU)
    assert "not checked" not in caplog.text
    assert model.training


MLP = {"input_dim": 100, "num_layers": 1, "hidden_dims": 5, "activations": "relu"}


@pytest.mark.parametrize(
    "overrides, message",
    [
        ({"model.feedforward": MLP}, "the seq2vec_encoder gives 10, model.feedforward.input_dim is 100"),
        ({EMBEDDING: 12}, "the text_field_embedder gives 12, model.seq2seq_encoder.input_dim is 10"),
        ({"model.num_labels": 1}, r"the data have labels that the model has no place for \(positive\)"),
    ],
)
def test_before_the_training(tmp_path, overrides, message):
    with pytest.raises(ConfigurationError, match=f"^{message}, expected (1[02]$|its 1: negative )"):
        train(tmp_path / "run", "mr_slstm", {**SMALL_TEXTS, **overrides})
    assert not list((tmp_path / "run").glob("*.th"))


@pytest.fixture
def classifier():
    config = {
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 8}}},
        "seq2vec_encoder": {"type": "slstm", "input_size": 8, "hidden_size": 6},
        "dropout": 0.5,
    }
    return built(CASES["basic_classifier"]._replace(model=config), "basic_classifier")


def test_an_embedder_that_is_called_by_keyword(classifier, monkeypatch):
    model, loader = classifier

    def forward(tokens, **_):
        model._seq2vec_encoder(model._text_field_embedder(text_field_input=tokens)[..., :5])

    monkeypatch.setattr(model, "forward", forward)
    with pytest.raises(ConfigurationError, match=r"seq2vec_encoder\.input_size is 8, expected 5"):
        check_sizes(model, loader, CPU)


def test_other_errors_are_left_to_the_training(classifier, caplog):
    model, loader = classifier
    model._seq2vec_encoder = CnnEncoder(8, 2, ngram_filter_sizes=(99,))  # longer than the sentence
    with caplog.at_level("DEBUG", logger="slstm_allennlp.training.size_check"):
        check_sizes(model, loader, CPU)
    assert "not checked" in caplog.text and model.training


def test_a_stateful_encoder_starts_anew(classifier):
    model, loader = classifier
    size = model._text_field_embedder.get_output_dim()
    lstm = torch.nn.LSTM(size, size, batch_first=True)
    model._seq2seq_encoder = PytorchSeq2SeqWrapper(lstm, stateful=True)
    assert "accuracy" in check_sizes(model, loader, CPU)
    assert model._seq2seq_encoder._states is None


def test_a_signal_ends_the_check(classifier, monkeypatch):
    model, loader = classifier
    monkeypatch.setattr(type(model), "forward", mock.Mock(side_effect=SigTermReceived))
    with pytest.raises(SigTermReceived):
        check_sizes(model, loader, CPU)


def test_data_that_are_not_in_memory(caplog):
    """No worker of the loader is started and ended for one instance."""
    (path, _), _ = CASES["basic_classifier"]
    reader, _, model = build(CASES["basic_classifier"], "basic_classifier")
    lazy = {"batch_size": 2, "num_workers": 1, "max_instances_in_memory": 2}
    loader = MultiProcessDataLoader(reader, f"fixtures/swap/{path}", **lazy)
    assert "accuracy" in check_sizes(model, loader, CPU)
    assert "terminating" not in caplog.text
    reader.read = mock.Mock(side_effect=SigTermReceived)
    with pytest.raises(SigTermReceived):
        check_sizes(model, loader, CPU)


def test_a_loader_of_another_project(classifier):
    model, loader = classifier
    loader.num_workers = 1
    assert "accuracy" in check_sizes(model, loader, CPU)


def test_the_check_changes_nothing(classifier):
    """The metrics and the weights are as before."""
    model, loader = classifier
    before = copy.deepcopy(model.state_dict())
    check_sizes(model, loader, CPU)
    assert model._accuracy.total_count == 0
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert not model._seq2vec_encoder._forward_pre_hooks
