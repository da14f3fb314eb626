import copy

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from slstm_allennlp.models.summary import encoder_names, model_name, num_weights, preset
from slstm_allennlp.modules import SentenceStateLSTM

EMBEDDER = {"token_embedders": {"tokens": {"num_embeddings": 5, "embedding_dim": 4}}}
SIZES = {"input_size": 4, "hidden_size": 4}
DROPOUT = {"type": "dropout", "input_dim": 4, "dropout": 0.5}  # it has no weights
LSTM = {"type": "lstm", **SIZES}
CNN = {"type": "cnn", "embedding_dim": 4, "num_filters": 2}
COMPOSED = {"type": "compose", "encoders": [DROPOUT, {"type": "cas_lstm", **SIZES}, LSTM]}


@pytest.mark.parametrize(
    "sequence, vector, names",
    [
        (DROPOUT, {"type": "slstm", **SIZES, "transition": "balanced"}, ["slstm (balanced)"]),
        (LSTM, CNN, ["lstm", "cnn"]),
        (COMPOSED, CNN, ["cas_lstm", "lstm", "cnn"]),
    ],
)
def test_what_a_classifier_is(sequence, vector, names, caplog):
    params = {"type": "basic_classifier", "text_field_embedder": EMBEDDER, "num_labels": 2}
    params.update(seq2seq_encoder=sequence, seq2vec_encoder=vector)
    model = Model.from_params(Params(copy.deepcopy(params)), vocab=Vocabulary())
    assert model_name(model) == "basic_classifier" and encoder_names(model) == names
    assert "found in both" not in caplog.text  # a size that is given twice


def test_a_size_that_only_the_second_encoder_has():
    """The first one has that of the embedder."""
    encoder = {"type": "compose", "encoders": [{"type": "lstm", "hidden_size": 4}, LSTM]}
    params = {"type": "basic_classifier", "text_field_embedder": EMBEDDER, "num_labels": 2}
    params.update(seq2seq_encoder=encoder, seq2vec_encoder=CNN)
    model = Model.from_params(Params(copy.deepcopy(params)), vocab=Vocabulary())
    assert encoder_names(model) == ["lstm", "lstm", "cnn"]


@pytest.mark.parametrize("given", ["paper", "released", "fastnlp", "balanced", {"candidate": "input"}])
def test_the_name_of_a_transition(given):
    name = given if isinstance(given, str) else "own transition"
    assert preset(SentenceStateLSTM(4, 4, transition=given)) == name


def test_weights_that_are_not_trained():
    module = torch.nn.Linear(2, 3)
    module.bias.requires_grad_(False)
    assert num_weights(module) == {"all": 9, "trained": 6}
