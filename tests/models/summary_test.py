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
    return Model.from_params(Params(params), vocab=Vocabulary())


def test_what_a_classifier_is():
    model = build(
        seq2seq_encoder={"type": "dropout", "input_dim": 4, "dropout": 0.5},
        seq2vec_encoder={
            "type": "slstm",
            "input_size": 4,
            "hidden_size": 6,
            "transition": "balanced",
        },
    )
    assert model_name(model) == "basic_classifier"
    assert encoder_names(model) == ["slstm (balanced)"]  # dropout has no weights


def test_encoders_of_others():
    model = build(
        seq2seq_encoder={"type": "lstm", "input_size": 4, "hidden_size": 4},
        seq2vec_encoder={"type": "cnn", "embedding_dim": 4, "num_filters": 2},
    )
    assert encoder_names(model) == ["lstm", "cnn"]


def test_encoders_that_are_composed():
    """The names of the inner encoders are listed, not "compose"."""
    model = build(
        seq2seq_encoder={
            "type": "compose",
            "encoders": [
                {"type": "dropout", "input_dim": 4, "dropout": 0.5},
                {"type": "cas_lstm", "input_size": 4, "hidden_size": 4, "num_layers": 2},
                {"type": "lstm", "input_size": 4, "hidden_size": 4},
            ],
        },
        seq2vec_encoder={"type": "cnn", "embedding_dim": 4, "num_filters": 2},
    )
    assert encoder_names(model) == ["cas_lstm", "lstm", "cnn"]


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
