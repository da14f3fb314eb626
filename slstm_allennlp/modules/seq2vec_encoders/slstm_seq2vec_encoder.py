from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.slstm_encoder import SlstmEncoder


@Seq2VecEncoder.register("slstm")
class SlstmSeq2VecEncoder(SlstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The sentence-state LSTM as a vector encoder: the sentence vector of its transition, g in the paper.
    Parameters and errors as in `SlstmEncoder`.

    Registered as a `Seq2VecEncoder` with name "slstm".
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
            Zero for sentences that are all padding. *Shape:* (batch_size, hidden_size)
        """
        _, sentences = self._encode(self._dropout(inputs), mask, need_words=False)
        return self._zero_without_words(self._dropout(sentences), mask)
