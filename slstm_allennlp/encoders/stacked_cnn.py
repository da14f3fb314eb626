from typing import Optional

import torch
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.pooling import max_over_words
from slstm_allennlp.modules.stacked_cnn import StackedCNN


class StackedCnnEncoder(ModuleEncoder):
    """Base class of the two encoders registered as `stacked_cnn`, over a `StackedCNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        window: int = 3,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("stacked_cnn"):
            self._module = StackedCNN(input_size, hidden_size, num_layers, window, dropout)


@Seq2SeqEncoder.register("stacked_cnn")
class StackedCnnSeq2SeqEncoder(StackedCnnEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    Stacked convolutions as a sequence encoder. It returns every word's features.
    Parameters as in `StackedCNN`; `ConfigurationError` for a value that is out of range.
    """


@Seq2VecEncoder.register("stacked_cnn")
class StackedCnnSeq2VecEncoder(StackedCnnEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    Stacked convolutions as a vector encoder. It returns each feature's maximum over the real words.
    Parameters as in `StackedCNN`; `ConfigurationError` for a value that is out of range.
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return max_over_words(self._module(inputs, mask), mask)
