from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.padded_lstm import PaddedLSTM


class PaddedLstmEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `padded_lstm`, over a `PaddedLSTM`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("padded_lstm"):
            self._module = PaddedLSTM(input_size, hidden_size, num_layers, bidirectional, dropout)


@Seq2SeqEncoder.register("padded_lstm")
class PaddedLstmSeq2SeqEncoder(PaddedLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    What AllenNLP's `lstm` computes, faster on a CPU, as a sequence encoder. It returns every word's
    state. Parameters as in `PaddedLSTM`; `ConfigurationError` for a value that is out of range.
    """


@Seq2VecEncoder.register("padded_lstm")
class PaddedLstmSeq2VecEncoder(PaddedLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    What AllenNLP's `lstm` computes, faster on a CPU, as a vector encoder. It returns the directions'
    last states concatenated, zero for sentences without words. Parameters as in `PaddedLSTM`;
    `ConfigurationError` for a value that is out of range.
    """
