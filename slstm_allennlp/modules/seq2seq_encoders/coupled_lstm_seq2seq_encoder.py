from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from slstm_allennlp.modules.coupled_lstm_encoder import CoupledLstmEncoder


@Seq2SeqEncoder.register("coupled_lstm")
class CoupledLstmSeq2SeqEncoder(CoupledLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a sequence encoder: every word's state.
    Parameters and errors as in `CoupledLstmEncoder`.

    Registered as a `Seq2SeqEncoder` with name "coupled_lstm".
    """

    def is_bidirectional(self) -> bool:
        """Whether the output has a forward and a backward half."""
        return self._module.bidirectional

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_size)
        mask : `torch.BoolTensor`, optional (default = `None`)
            None where there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Zero at padding. *Shape:* (batch_size, seq_len, directions * hidden_size)
        """
        words, _ = self._encode(inputs, mask)
        return words
