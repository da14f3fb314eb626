from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.cas_lstm_encoder import CasLstmEncoder


@Seq2VecEncoder.register("cas_lstm")
class CasLstmSeq2VecEncoder(CasLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The cell-aware stacked LSTM as a vector encoder: the maximum over the real words.
    Parameters and errors as in `CasLstmEncoder`.

    Registered as a `Seq2VecEncoder` with name "cas_lstm".
    """

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_size)
        mask : `torch.BoolTensor`, optional (default = `None`)
            None where there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Zero for sentences that are all padding. *Shape:* (batch_size, directions * hidden_size)
        """
        _, sentences = self._encode(inputs, mask)
        return sentences
