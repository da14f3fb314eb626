from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.coupled_lstm import CoupledLSTM
from slstm_allennlp.modules.module_encoder import ModuleEncoder, errors_of, zero_without_words


class CoupledLstmEncoder(ModuleEncoder):
    """
    What the two encoders registered as `coupled_lstm` share: a `CoupledLSTM`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `1`)
    bidirectional : `bool`, optional (default = `False`)
    boundary : `bool`, optional (default = `True`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.CoupledLSTM`; the dropout is between layers, as in `lstm`.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

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
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                bidirectional=bidirectional,
                boundary=boundary,
                dropout=dropout,
            )


@Seq2SeqEncoder.register("coupled_lstm")
class CoupledLstmSeq2SeqEncoder(CoupledLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a sequence encoder: every word's state.
    Parameters and errors as in `CoupledLstmEncoder`.

    Registered as a `Seq2SeqEncoder` with name "coupled_lstm".
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)[0]


@Seq2VecEncoder.register("coupled_lstm")
class CoupledLstmSeq2VecEncoder(CoupledLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a vector encoder: the last state of each direction, side by side.
    Parameters and errors as in `CoupledLstmEncoder`.

    Registered as a `Seq2VecEncoder` with name "coupled_lstm".
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return zero_without_words(self._module(inputs, mask)[1], mask)
