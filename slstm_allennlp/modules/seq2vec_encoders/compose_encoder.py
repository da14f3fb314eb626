from typing import Any, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.modules.checked_params import CheckedParams
from slstm_allennlp.modules.sized import sized


@Seq2VecEncoder.register("compose", constructor="from_partial_objects")
class ComposeSeq2VecEncoder(CheckedParams, Seq2VecEncoder):  # type: ignore[misc]
    """
    Puts a vector encoder over a sequence encoder, as one vector encoder: any pooling over any
    sequence encoder, for models that take one encoder.

    Registered as a `Seq2VecEncoder` with name "compose", like AllenNLP's `Seq2SeqEncoder` of that name.

    # Parameters

    seq2seq_encoder : `Seq2SeqEncoder`
    seq2vec_encoder : `Seq2VecEncoder`
        Such as `additive_attention`, `max_pooling` or `bag_of_embeddings` with `"averaged": true`. Its
        input size may be left out.

    # Errors

    `ConfigurationError` for a missing encoder and for sizes that do not fit together.
    """

    def __init__(self, seq2seq_encoder: Seq2SeqEncoder, seq2vec_encoder: Seq2VecEncoder) -> None:
        super().__init__()
        _expect_both(torch.nn.Module, seq2seq_encoder, seq2vec_encoder)
        given, taken = seq2seq_encoder.get_output_dim(), seq2vec_encoder.get_input_dim()
        if given != taken:
            raise ConfigurationError(
                f"compose: seq2seq_encoder gives {given} numbers a word and seq2vec_encoder takes "
                f"{taken}, expected the same"
            )
        self._seq2seq_encoder = seq2seq_encoder
        self._seq2vec_encoder = seq2vec_encoder

    @classmethod
    def from_partial_objects(
        cls,
        seq2seq_encoder: Lazy[Seq2SeqEncoder],
        seq2vec_encoder: Lazy[Seq2VecEncoder],
        input_size: Optional[int] = None,
    ) -> "ComposeSeq2VecEncoder":
        """From a config. Without `input_size` the sequence encoder's config has its own."""
        _expect_both(Lazy, seq2seq_encoder, seq2vec_encoder)
        sequence = (
            seq2seq_encoder.construct() if input_size is None else sized(seq2seq_encoder, input_size)
        )
        return cls(sequence, sized(seq2vec_encoder, sequence.get_output_dim()))

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.BoolTensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_dim of the sequence encoder)
        mask : `torch.BoolTensor`, optional (default = `None`)
            *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            *Shape:* (batch_size, output_dim of the vector encoder)
        """
        if mask is None:  # not every encoder can do without
            mask = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device)  # type: ignore
        return self._seq2vec_encoder(self._seq2seq_encoder(inputs, mask), mask)

    def get_input_dim(self) -> int:
        return self._seq2seq_encoder.get_input_dim()

    def get_output_dim(self) -> int:
        return self._seq2vec_encoder.get_output_dim()


def _expect_both(kind: type, sequence: Any, vector: Any) -> None:
    for name, part in (("seq2seq_encoder", sequence), ("seq2vec_encoder", vector)):
        if not isinstance(part, kind):
            raise ConfigurationError(f"compose: {name} is {part!r}, expected an encoder")
