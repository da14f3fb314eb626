from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.pooling import max_over_words
from slstm_allennlp.modules.stacked_cnn_encoder import StackedCnnEncoder


@Seq2VecEncoder.register("stacked_cnn")
class StackedCnnSeq2VecEncoder(StackedCnnEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    Stacked convolutions as a vector encoder: the maximum of each feature over the real words.
    Parameters and errors as in `StackedCnnEncoder`.

    Registered as a `Seq2VecEncoder` with name "stacked_cnn".
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
        return max_over_words(self._encode(inputs, mask), None if mask is None else mask.bool())
