from typing import Union

from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.cell_aware_stacked_lstm import CellAwareStackedLSTM


class CasLstmEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `cas_lstm`, over a `CellAwareStackedLSTM`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 2,
        bidirectional: bool = False,
        fusion: Union[float, str] = 0.5,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("cas_lstm"):
            self._module = CellAwareStackedLSTM(
                input_size, hidden_size, num_layers, bidirectional, fusion, dropout
            )


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
