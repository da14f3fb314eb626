import copy

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from slstm_allennlp.models.summary import encoder_names, model_name, num_weights, preset
from slstm_allennlp.modules import SentenceStateLSTM


def build(**encoders):
    embedder = {
        "token_embedders": {"tokens": {"type": "embedding", "num_embeddings": 5, "embedding_dim": 4}}
    }
    params = {"type": "basic_classifier", "text_field_embedder": embedder, "num_labels": 2, **encoders}
    return Model.from_params(Params(copy.deepcopy(params)), vocab=Vocabulary())


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
def test_what_a_classifier_is(sequence, vector, names):
    model = build(seq2seq_encoder=sequence, seq2vec_encoder=vector)
    assert model_name(model) == "basic_classifier" and encoder_names(model) == names


def test_the_name_of_a_transition():
    def name_of(transition):
        return preset(SentenceStateLSTM(input_size=4, hidden_size=4, transition=transition))

    names = ["paper", "released", "fastnlp", "balanced"]
    assert [name_of(name) for name in names] == names
    assert name_of({"preset": "paper", "candidate": "input"}) == "own transition"


def test_weights_that_are_not_trained():
    module = torch.nn.Linear(2, 3)
    module.bias.requires_grad_(False)
    assert num_weights(module) == {"all": 9, "trained": 6}
