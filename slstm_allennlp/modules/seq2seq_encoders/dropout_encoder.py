from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from slstm_allennlp.modules.checked_params import CheckedParams
from slstm_allennlp.modules.checks import check_rate, check_sizes
from slstm_allennlp.modules.module_encoder import errors_of


@Seq2SeqEncoder.register("dropout")
class DropoutEncoder(CheckedParams, Seq2SeqEncoder):  # type: ignore[misc]
    """
    Applies dropout to the words, and nothing else: for models without a dropout between embedding
    and encoder. In `basic_classifier` it is the `seq2seq_encoder` before the `seq2vec_encoder`.

    Registered as a `Seq2SeqEncoder` with name "dropout".

    # Parameters

    input_dim : `int`
        The size of a word, named as in `pass_through`.
    dropout : `float`, optional (default = `0.5`)
        The rate.

    # Errors

    `ConfigurationError` for a size below one and a rate that is not from 0 to 1.
    """

    def __init__(self, input_dim: int, dropout: float = 0.5) -> None:
        super().__init__()
        with errors_of("dropout"):
            check_sizes(input_dim=input_dim)
            check_rate(dropout)
        self._input_dim = input_dim
        self._dropout = torch.nn.Dropout(dropout)

    def is_bidirectional(self) -> bool:
        """False: the output has no forward and backward half."""
        return False

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_dim)
        mask : `torch.BoolTensor`, optional (default = `None`)
            Not needed. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_dim)
        """
        return self._dropout(inputs)

    def get_input_dim(self) -> int:
        return self._input_dim

    def get_output_dim(self) -> int:
        return self._input_dim
