from typing import Optional

from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.additive_attention import AdditiveAttention


@Seq2VecEncoder.register("additive_attention")
class AdditiveAttentionEncoder(ModuleEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The external attention of the S-LSTM paper (Section 3.3) as a vector encoder. It applies
    `slstm_allennlp.modules.AdditiveAttention` to the states of a sequence encoder. For a model that
    takes a single encoder, combine the two with `compose`. Parameters as in `AdditiveAttention`;
    `ConfigurationError` for a size below one.
    """

    def __init__(self, input_size: int, attention_size: Optional[int] = None) -> None:
        super().__init__()
        with errors_of("additive_attention"):
            self._module = AdditiveAttention(input_size, attention_size)
