from typing import Any

from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of, with_arguments_of
from slstm_allennlp.modules.cell_aware_stacked_lstm import CellAwareStackedLSTM


class CasLstmEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `cas_lstm`, over a `CellAwareStackedLSTM`."""

    @with_arguments_of(CellAwareStackedLSTM)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        with errors_of("cas_lstm"):
            self._module = CellAwareStackedLSTM(*args, **kwargs)


@Seq2SeqEncoder.register("cas_lstm")
class CasLstmSeq2SeqEncoder(CasLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a sequence encoder. It returns every word's state.
    Parameters as in `CellAwareStackedLSTM`; `ConfigurationError` for a value that is out of range.
    """


@Seq2VecEncoder.register("cas_lstm")
class CasLstmSeq2VecEncoder(CasLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a vector encoder. It returns the maximum over the real words' states.
    Parameters as in `CellAwareStackedLSTM`; `ConfigurationError` for a value that is out of range.
    """
