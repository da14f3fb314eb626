from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from slstm_allennlp.modules.cas_lstm_encoder import CasLstmEncoder


@Seq2SeqEncoder.register("cas_lstm")
class CasLstmSeq2SeqEncoder(CasLstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a sequence encoder: every word's state.
    Parameters and errors as in `CasLstmEncoder`.

    Registered as a `Seq2SeqEncoder` with name "cas_lstm".
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
