from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.coupled_lstm_encoder import CoupledLstmEncoder


@Seq2VecEncoder.register("coupled_lstm")
class CoupledLstmSeq2VecEncoder(CoupledLstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The LSTM with coupled gates as a vector encoder: the last state of each direction, side by side.
    Parameters and errors as in `CoupledLstmEncoder`.

    Registered as a `Seq2VecEncoder` with name "coupled_lstm".
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
        return self._zero_without_words(sentences, mask)
