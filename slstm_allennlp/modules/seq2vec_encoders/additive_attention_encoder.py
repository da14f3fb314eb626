from typing import Optional

import torch
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.additive_attention import AdditiveAttention
from slstm_allennlp.modules.module_encoder import ModuleEncoder


@Seq2VecEncoder.register("additive_attention")
class AdditiveAttentionEncoder(  # type: ignore[misc]
    ModuleEncoder, Seq2VecEncoder, module=AdditiveAttention, name="additive_attention"
):
    """
    The external attention of the S-LSTM paper (Section 3.3) as a vector encoder: an
    `slstm_allennlp.modules.AdditiveAttention` over the states that a sequence encoder before it made.
    `compose` puts the two together where a model has room for one.
    Parameters as in `AdditiveAttention`; `ConfigurationError` for a size below one.

    Registered as a `Seq2VecEncoder` with name "additive_attention".
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)
