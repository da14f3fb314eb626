from typing import List, Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.encoders.module_encoder import CheckedParams, errors_of
from slstm_allennlp.modules.checks import check_inputs
from slstm_allennlp.modules.pooling import check_poolings


@Seq2VecEncoder.register("pooling")
class PoolingEncoder(CheckedParams, Seq2VecEncoder):  # type: ignore[misc]
    """
    The maximum and the mean of each feature over the words without padding, concatenated. For a model
    that takes a single encoder, combine it with a sequence encoder by `compose`.

    Registered as a `Seq2VecEncoder` with name "pooling".

    # Parameters

    embedding_dim : `int`
        The size of a word's state, named as in AllenNLP's `bag_of_embeddings`.
    pooling : `List[str]`, optional (default = `["max", "mean"]`)
        `"max"`, `"mean"` or both, in the order of the output.

    # Errors

    `ConfigurationError` for a size below one, and for an empty, unknown or repeated `pooling`.
    """

    def __init__(self, embedding_dim: int, pooling: Optional[List[str]] = None) -> None:
        super().__init__()
        with errors_of("pooling"):
            check_sizes(embedding_dim=embedding_dim)
            self._poolings = check_poolings(["max", "mean"] if pooling is None else pooling)
            if not self._poolings:
                raise ValueError(f"pooling is {pooling!r}, expected at least one")
        self._embedding_dim = embedding_dim

    def forward(self, tokens: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        Pool the tokens, (batch_size, seq_len, embedding_dim), with a mask of (batch_size, seq_len), to
        (batch_size, output_dim): zero for sentences that consist only of padding. `ValueError` for
        shapes that do not match.
        """
        is_word = None if mask is None else mask.bool()
        is_word = check_inputs(tokens, is_word, self._embedding_dim, name="tokens")
        return torch.cat([pool(tokens, is_word) for pool in self._poolings], dim=1)

    def get_input_dim(self) -> int:
        return self._embedding_dim

    def get_output_dim(self) -> int:
        return len(self._poolings) * self._embedding_dim


@Seq2VecEncoder.register("max_pooling")
class MaxPoolingEncoder(PoolingEncoder):
    """
    The maximum of each feature over the words without padding: `pooling` with `["max"]`.

    Registered as a `Seq2VecEncoder` with name "max_pooling".
    """

    def __init__(self, embedding_dim: int) -> None:
        with errors_of("max_pooling"):
            check_sizes(embedding_dim=embedding_dim)
        super().__init__(embedding_dim, ["max"])
