import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder


@pytest.mark.parametrize(
    "registrable, params, message",
    [
        (
            Seq2VecEncoder,
            {"type": "lstm", "input_size": 4, "hiden_size": 5, "hidden_size": 5, "num_layer": 2},
            "model.encoder.hiden_size is no key of LstmSeq2VecEncoder, did you mean 'hidden_size'?; "
            "model.encoder.num_layer is no key of LstmSeq2VecEncoder, did you mean 'num_layers'?",
        ),
        (
            Seq2VecEncoder,
            {"type": "lstm", "input_size": 4, "hidden_size": 5, "zzz": 1},
            "model.encoder.zzz is no key of LstmSeq2VecEncoder, expected one of 'input_size', "
            "'hidden_size', 'num_layers', 'bias', 'dropout', 'bidirectional'",
        ),
        (
            Seq2SeqEncoder,
            {"type": "slsmt", "input_size": 4, "hidden_size": 5},
            "model.encoder.type is 'slsmt', did you mean 'slstm'?",
        ),
        (
            Seq2SeqEncoder,  # an object within another
            {"type": "compose", "encoders": [{"type": "slstm", "input_size": 4, "hidden": 5}]},
            None,
        ),
        (
            DatasetReader,
            {"type": "tagged_txt"},
            "model.encoder.type is 'tagged_txt', did you mean 'tagged_text'?",
        ),
    ],
)
def test_the_name_that_was_meant(registrable, params, message):
    with pytest.raises(ConfigurationError) as caught:
        registrable.from_params(Params(params, history="model.encoder."))
    if message is not None:
        assert str(caught.value) == message


def test_what_is_near_to_nothing_has_allennlps_message():
    with pytest.raises(ConfigurationError, match=r"zzz not in acceptable choices for type: .*slstm"):
        Seq2SeqEncoder.from_params(Params({"type": "zzz"}))


def test_an_object_within_another_is_named():
    params = {"input_dim": 2, "num_layers": 1, "hidden_dims": 2, "activations": "relu", "dropuot": 0.5}
    with pytest.raises(
        ConfigurationError, match=r"^dropuot is no key of FeedForward, did you mean 'dropout'\?$"
    ):
        FeedForward.from_params(Params(params))
