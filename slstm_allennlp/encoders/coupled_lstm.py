from typing import Any, Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import (
    ModuleEncoder,
    errors_of,
    with_arguments_of,
    zero_without_words,
)
from slstm_allennlp.modules.coupled_lstm import CoupledLSTM


class CoupledLstmEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `coupled_lstm`, over a `CoupledLSTM`."""

    @with_arguments_of(CoupledLSTM)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        with errors_of("coupled_lstm"):
            self._module = CoupledLSTM(*args, **kwargs)


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
