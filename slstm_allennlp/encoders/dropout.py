from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import PassThroughEncoder, Seq2SeqEncoder

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.encoders.module_encoder import CheckedParams, errors_of
from slstm_allennlp.modules.checks import check_rate


@Seq2SeqEncoder.register("dropout")
class DropoutEncoder(CheckedParams, PassThroughEncoder):  # type: ignore[misc]
    """
    Apply dropout to the word embeddings, and nothing else. Use it for models without dropout between
    embedder and encoder. In `basic_classifier`, make it the `seq2seq_encoder`. `ConfigurationError` for
    a size below one and for a rate outside [0, 1].

    # Parameters

    input_dim : `int`
        The size of a word embedding, named as in `pass_through`.
    dropout : `float`, optional (default = `0.5`)
    """

    def __init__(self, input_dim: int, dropout: float = 0.5) -> None:
        with errors_of("dropout"):
            check_sizes(input_dim=input_dim)
            check_rate(dropout)
        super().__init__(input_dim)
        self._dropout = torch.nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """Return the inputs, (batch_size, seq_len, input_dim), after dropout. The mask is not used."""
        return self._dropout(inputs)
