from typing import List, Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.checks import check_inputs
from slstm_allennlp.modules.pooling import check_poolings


@Seq2VecEncoder.register("pooling")
class PoolingEncoder(ModuleEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The maximum and the mean of each feature over the words without padding, concatenated. For a model
    that takes a single encoder, combine it with a sequence encoder by `compose`. `ConfigurationError`
    for a size below one, and for an empty, unknown or repeated `pooling`.

    # Parameters

    embedding_dim : `int`
        The size of a word's state, named as in AllenNLP's `bag_of_embeddings`.
    pooling : `List[str]`, optional (default = `["max", "mean"]`)
        `"max"`, `"mean"` or both, in the order of the output.
    """

    def __init__(self, embedding_dim: int, pooling: Optional[List[str]] = None) -> None:
        super().__init__()
        with errors_of("pooling"):
            check_sizes(embedding_dim=embedding_dim)
            self._poolings = check_poolings(["max", "mean"] if pooling is None else pooling)
            if not self._poolings:
                raise ValueError(f"pooling is {pooling!r}, expected at least one")
        self._embedding_dim = embedding_dim

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        mask = check_inputs(inputs, mask, self._embedding_dim, name="tokens")
        return torch.cat([pool(inputs, mask) for pool in self._poolings], dim=1)

    def get_input_dim(self) -> int:
        return self._embedding_dim

    def get_output_dim(self) -> int:
        return len(self._poolings) * self._embedding_dim


@Seq2VecEncoder.register("max_pooling")
class MaxPoolingEncoder(PoolingEncoder):
    """
    The maximum of each feature over the words without padding: `pooling` with `["max"]`.
    """

    def __init__(self, embedding_dim: int) -> None:
        with errors_of("max_pooling"):
            check_sizes(embedding_dim=embedding_dim)
        super().__init__(embedding_dim, ["max"])
