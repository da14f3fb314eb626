"""AllenNLP's `distributed`: two processes learn what one does."""

import pytest
import torch
from allennlp.models import load_archive

from tests.conftest import train

SETTINGS = {
    "model.text_field_embedder.token_embedders.tokens.embedding_dim": 8,
    "model.seq2seq_encoder": {"type": "dropout", "input_dim": 8, "dropout": 0.0},
    "model.dropout": 0.0,
    "dataset_reader.max_instances": 40,
    "evaluate_on_test": False,
    "trainer.num_epochs": 2,
    "trainer.optimizer.weight_decay": 0.0,
}
ENCODERS = {
    "slstm": {"type": "slstm", "input_size": 8, "hidden_size": 8, "num_steps": 3},
    "cas_lstm": {"type": "cas_lstm", "input_size": 8, "hidden_size": 8, "bidirectional": True},
}


@pytest.mark.parametrize("name", ENCODERS)
def test_two_processes_learn_what_one_does(tmp_path, name):
    """A batch of ten in one process is two of five, of every second sentence each."""
    settings = {**SETTINGS, "model.seq2vec_encoder": ENCODERS[name]}
    one = {"data_loader": {"batch_size": 10, "shuffle": False}}
    two = {
        "data_loader": {"batch_size": 5, "shuffle": False},
        "distributed": {"cuda_devices": [-1, -1], "num_nodes": 1},
    }
    weights = []
    for folder, how in (("one", one), ("two", two)):
        train(tmp_path / folder, "mr_slstm", {**settings, **how})
        weights.append(load_archive(tmp_path / folder / "model.tar.gz").model.state_dict())
    assert weights[0].keys() == weights[1].keys()
    for key, exact in weights[0].items():
        torch.testing.assert_close(weights[1][key], exact, atol=1e-4, rtol=0, msg=key)
