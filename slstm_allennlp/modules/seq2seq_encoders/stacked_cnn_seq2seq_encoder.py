from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from slstm_allennlp.modules.stacked_cnn_encoder import StackedCnnEncoder


@Seq2SeqEncoder.register("stacked_cnn")
class StackedCnnSeq2SeqEncoder(StackedCnnEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    Stacked convolutions as a sequence encoder: every word's features.
    Parameters and errors as in `StackedCnnEncoder`.

    Registered as a `Seq2SeqEncoder` with name "stacked_cnn".
    """

    def is_bidirectional(self) -> bool:
        """False: the output has no forward and backward half."""
        return False

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_size)
        mask : `torch.BoolTensor`, optional (default = `None`)
            None where there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Zero at padding. *Shape:* (batch_size, seq_len, hidden_size)
        """
        return self._encode(inputs, mask)
