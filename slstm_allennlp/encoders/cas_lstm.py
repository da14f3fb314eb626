from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, constructor_of
from slstm_allennlp.modules.cell_aware_stacked_lstm import CellAwareStackedLSTM


@Seq2SeqEncoder.register("cas_lstm")
class CasLstmSeq2SeqEncoder(ModuleEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a sequence encoder. It returns every word's state.
    Parameters as in `CellAwareStackedLSTM`; `ConfigurationError` for a value that is out of range.

    Registered as a `Seq2SeqEncoder` with name "cas_lstm".
    """

    __init__ = constructor_of(CellAwareStackedLSTM, "cas_lstm")

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)[0]


@Seq2VecEncoder.register("cas_lstm")
class CasLstmSeq2VecEncoder(ModuleEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a vector encoder. It returns the maximum over the real words' states.
    Parameters as in `CellAwareStackedLSTM`; `ConfigurationError` for a value that is out of range.

    Registered as a `Seq2VecEncoder` with name "cas_lstm".
    """

    __init__ = constructor_of(CellAwareStackedLSTM, "cas_lstm")

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)[1]
