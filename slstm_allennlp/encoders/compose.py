from typing import Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.encoders.module_encoder import CheckedParams, errors_of
from slstm_allennlp.encoders.sized import sized, sized_seq2vec


@Seq2VecEncoder.register("compose")
class ComposeSeq2VecEncoder(CheckedParams, Seq2VecEncoder):  # type: ignore[misc]
    """
    Combine a sequence encoder and a vector encoder into one vector encoder: any pooling over any
    sequence encoder, for models that take a single encoder. `ConfigurationError` for a missing encoder,
    for an `input_size` below 1, and if the sizes of the two encoders do not match.

    # Parameters

    seq2seq_encoder : `Seq2SeqEncoder`
    seq2vec_encoder : `Seq2VecEncoder`
        Such as `additive_attention`, `max_pooling` or `bag_of_embeddings` with `"averaged": true`. Its
        input size is optional in a config.
    input_size : `int`, optional (default = `None`)
        The input size of the sequence encoder, if its config has none.
    """

    def __init__(
        self,
        seq2seq_encoder: Lazy[Seq2SeqEncoder],
        seq2vec_encoder: Lazy[Seq2VecEncoder],
        input_size: Optional[int] = None,
    ) -> None:
        super().__init__()
        for name, part in (("seq2seq_encoder", seq2seq_encoder), ("seq2vec_encoder", seq2vec_encoder)):
            if not isinstance(part, (Lazy, torch.nn.Module)):
                raise ConfigurationError(f"compose: {name} is {part!r}, expected an encoder")
        if input_size is not None:
            with errors_of("compose"):
                check_sizes(input_size=input_size)
        self._seq2seq_encoder = sized(seq2seq_encoder, input_size)
        self._seq2vec_encoder = sized_seq2vec(
            "compose: seq2seq_encoder", seq2vec_encoder, self._seq2seq_encoder.get_output_dim()
        )

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        Encode inputs, (batch_size, seq_len, input_dim), with a mask of (batch_size, seq_len), as
        (batch_size, output_dim).
        """
        if mask is None:  # some encoders require a mask
            mask = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)  # type: ignore
        return self._seq2vec_encoder(self._seq2seq_encoder(inputs, mask), mask)

    def get_input_dim(self) -> int:
        return self._seq2seq_encoder.get_input_dim()

    def get_output_dim(self) -> int:
        return self._seq2vec_encoder.get_output_dim()
