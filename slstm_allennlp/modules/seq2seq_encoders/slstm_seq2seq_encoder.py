from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from slstm_allennlp.modules.slstm_encoder import SlstmEncoder


@Seq2SeqEncoder.register("slstm")
class SlstmSeq2SeqEncoder(SlstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The sentence-state LSTM as a sequence encoder: every word's last state.
    Parameters and errors as in `SlstmEncoder`.

    Registered as a `Seq2SeqEncoder` with name "slstm".
    """

    def is_bidirectional(self) -> bool:
        """False: an S-LSTM reads both ways, but its output has no forward and backward half."""
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
        words, _ = self._encode(self._dropout(inputs), mask, need_sentence=False)
        return self._dropout(words)
