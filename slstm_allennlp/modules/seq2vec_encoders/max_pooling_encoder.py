from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.checked_params import CheckedParams
from slstm_allennlp.modules.checks import check_inputs, check_sizes
from slstm_allennlp.modules.module_encoder import errors_of
from slstm_allennlp.modules.pooling import max_over_words


@Seq2VecEncoder.register("max_pooling")
class MaxPoolingEncoder(CheckedParams, Seq2VecEncoder):  # type: ignore[misc]
    """
    The maximum of each feature over the real words. (For the mean, AllenNLP has `bag_of_embeddings` with
    `"averaged": true`.) `compose` puts it behind a sequence encoder where a model has room for one.

    Registered as a `Seq2VecEncoder` with name "max_pooling".

    # Parameters

    embedding_dim : `int`
        The size of a word's state, named as in `bag_of_embeddings`.

    # Errors

    `ConfigurationError` for a size below one.
    """

    def __init__(self, embedding_dim: int) -> None:
        super().__init__()
        with errors_of("max_pooling"):
            check_sizes(embedding_dim=embedding_dim)
        self._embedding_dim = embedding_dim

    def forward(self, tokens: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        tokens : `torch.Tensor`
            *Shape:* (batch_size, seq_len, embedding_dim)
        mask : `torch.BoolTensor`, optional (default = `None`)
            None where there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Zero for sentences that are all padding. *Shape:* (batch_size, embedding_dim)

        # Errors

        `ValueError` for shapes that do not fit.
        """
        is_word = None if mask is None else mask.bool()
        return max_over_words(tokens, check_inputs(tokens, is_word, self._embedding_dim, "tokens"))

    def get_input_dim(self) -> int:
        return self._embedding_dim

    def get_output_dim(self) -> int:
        return self._embedding_dim
