import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder
from allennlp.training import Trainer

from slstm_allennlp.console import config_keys


class Linear(Model):
    def __init__(self, vocab):
        super().__init__(vocab)
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, **_):
        return {"loss": self.weight.sum()}


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
            Seq2SeqEncoder,  # a nested object
            {"type": "compose", "encoders": [{"type": "pass_through", "input_dim": 4, "num": 5}]},
            "model.encoder.encoders.0.num is no key of PassThroughEncoder, expected one of 'input_dim'",
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


def test_a_key_that_the_trainer_ignores(tmp_path, caplog):
    """AllenNLP ignores `num_epoch` without a message and trains for 20 epochs. Here it is a warning."""
    config = {"type": "gradient_descent", "optimizer": "adam", "num_epoch": 1, "zzz": 2, "num_epochs": 3}
    trainer = Trainer.from_params(
        Params(config, history="trainer."),
        model=Linear(Vocabulary()),
        data_loader=SimpleDataLoader([], batch_size=1),
        serialization_dir=str(tmp_path),
    )
    assert trainer._num_epochs == 3
    warnings = [r.getMessage() for r in caplog.records if r.name == config_keys.__name__]
    assert warnings == [
        "trainer.num_epoch is no key of the trainer and is ignored; did you mean 'num_epochs'?",
        "trainer.zzz is no key of the trainer and is ignored",
    ]
