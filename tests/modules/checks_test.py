"""Error messages of every module for wrong inputs, and inputs in low precision."""

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from slstm_allennlp.modules import (
    AdditiveAttention,
    CellAwareStackedLSTM,
    CoupledLSTM,
    SentenceStateLSTM,
    StackedCNN,
)

MODULES = {
    "slstm": lambda: SentenceStateLSTM(input_size=4, hidden_size=4),
    "cas_lstm": lambda: CellAwareStackedLSTM(input_size=4, hidden_size=4),
    "coupled_lstm": lambda: CoupledLSTM(input_size=4, hidden_size=4),
    "stacked_cnn": lambda: StackedCNN(input_size=4, hidden_size=4),
    "attention": lambda: AdditiveAttention(input_size=4),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    "inputs, message",
    [
        (
            torch.zeros(1, 2, 4, dtype=torch.float64),
            r"have dtype torch.float64 and the weights torch.float32, expected the same: convert the "
            r"\w+ with .to\(torch.float32\), or the module with .to\(torch.float64\)$",
        ),
        (
            torch.zeros(1, 2, 4, dtype=torch.long),
            r"have dtype torch.int64, expected torch.float32, that of the weights$",
        ),
        (
            pack_sequence([torch.zeros(2, 4)]),
            r"are a PackedSequence, expected a padded tensor \(batch_size, seq_len, input_size\) and a "
            "mask; torch.nn.utils.rnn.pad_packed_sequence",
        ),
    ],
)
def test_inputs_that_do_not_fit(name, inputs, message):
    module = MODULES[name]()
    with pytest.raises(ValueError, match=message):
        module(inputs)


@pytest.mark.parametrize("name", MODULES)
def test_autocast_takes_its_own_precision(name):
    module = MODULES[name]()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        results = module(torch.zeros(1, 2, 4, dtype=torch.bfloat16))
    for result in results if isinstance(results, tuple) else [results]:
        assert torch.isfinite(result).all()


def test_an_slstm_that_computes_in_bfloat16_takes_it():
    module = SentenceStateLSTM(input_size=4, hidden_size=4, bfloat16=True)
    words, _ = module(torch.zeros(1, 2, 4, dtype=torch.bfloat16))
    assert torch.isfinite(words).all()
