from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of, zero_without_words
from slstm_allennlp.modules.coupled_lstm import CoupledLSTM


class CoupledLstmEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `coupled_lstm`, over a `CoupledLSTM`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        boundary: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("coupled_lstm"):
            self._module = CoupledLSTM(
                input_size, hidden_size, num_layers, bidirectional, boundary, dropout
            )


@Seq2SeqEncoder.register("coupled_lstm")
class CoupledLstmSeq2SeqEncoder(CoupledLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a sequence encoder. It returns every word's state.
    Parameters as in `CoupledLSTM`; `ConfigurationError` for a value that is out of range.
    """


@Seq2VecEncoder.register("coupled_lstm")
class CoupledLstmSeq2VecEncoder(CoupledLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a vector encoder. It returns the directions' last states concatenated.
    Parameters as in `CoupledLSTM`; `ConfigurationError` for a value that is out of range.
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return zero_without_words(super()._encode(inputs, mask), mask)
