from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, constructor_of, zero_without_words
from slstm_allennlp.modules.coupled_lstm import CoupledLSTM


@Seq2SeqEncoder.register("coupled_lstm")
class CoupledLstmSeq2SeqEncoder(ModuleEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a sequence encoder. It returns every word's state.
    Parameters as in `CoupledLSTM`; `ConfigurationError` for a value that is out of range.

    Registered as a `Seq2SeqEncoder` with name "coupled_lstm".
    """

    __init__ = constructor_of(CoupledLSTM, "coupled_lstm")

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)[0]


@Seq2VecEncoder.register("coupled_lstm")
class CoupledLstmSeq2VecEncoder(ModuleEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a vector encoder. It returns the directions' last states concatenated.
    Parameters as in `CoupledLSTM`; `ConfigurationError` for a value that is out of range.

    Registered as a `Seq2VecEncoder` with name "coupled_lstm".
    """

    __init__ = constructor_of(CoupledLSTM, "coupled_lstm")

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return zero_without_words(self._module(inputs, mask)[1], mask)
