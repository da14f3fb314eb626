from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.additive_attention import AdditiveAttention
from slstm_allennlp.modules.module_encoder import ModuleEncoder, errors_of


@Seq2VecEncoder.register("additive_attention")
class AdditiveAttentionEncoder(ModuleEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The external attention of the S-LSTM paper (Section 3.3) as a vector encoder: an
    `slstm_allennlp.modules.AdditiveAttention` over the states that a sequence encoder before it made.
    `compose` puts the two together where a model has room for one.

    Registered as a `Seq2VecEncoder` with name "additive_attention".

    # Parameters

    input_size : `int`
        The size of a word's state.
    attention_size : `int`, optional (default = `input_size`)
        The size of ε, and of u.

    # Errors

    `ConfigurationError` for a size below one.
    """

    def __init__(self, input_size: int, attention_size: Optional[int] = None) -> None:
        super().__init__()
        with errors_of("additive_attention"):
            self._module = AdditiveAttention(input_size=input_size, attention_size=attention_size)

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)
