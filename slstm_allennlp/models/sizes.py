"""Models of AllenNLP whose input sizes default to the output size of the previous layer."""

from typing import Any, Optional

from allennlp.common import Lazy
from allennlp.models import BasicClassifier as StockBasicClassifier
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp_models.tagging.models import CrfTagger as StockCrfTagger

from slstm_allennlp.encoders.sized import sized


@Model.register("basic_classifier", constructor="from_partial_objects", exist_ok=True)
class BasicClassifier(StockBasicClassifier):
    """
    AllenNLP's `basic_classifier` with optional input sizes of encoders and feed-forward layer. They
    default to the output size of the previous layer.

    Registered as a `Model` with name "basic_classifier", in AllenNLP's place and with its parameters.
    """

    @classmethod
    def from_partial_objects(
        cls,
        text_field_embedder: TextFieldEmbedder,
        seq2vec_encoder: Lazy[Seq2VecEncoder],
        seq2seq_encoder: Optional[Lazy[Seq2SeqEncoder]] = None,
        feedforward: Optional[Lazy[FeedForward]] = None,
        **kwargs: Any,
    ) -> "BasicClassifier":
        size = text_field_embedder.get_output_dim()
        sequence = sized(seq2seq_encoder, size) if seq2seq_encoder else None
        vector = sized(seq2vec_encoder, sequence.get_output_dim() if sequence else size)
        return cls(
            text_field_embedder=text_field_embedder,
            seq2seq_encoder=sequence,  # type: ignore[arg-type]
            seq2vec_encoder=vector,
            feedforward=sized(feedforward, vector.get_output_dim()) if feedforward else None,
            **kwargs,
        )


@Model.register("crf_tagger", constructor="from_partial_objects", exist_ok=True)
class CrfTagger(StockCrfTagger):
    """
    AllenNLP's `crf_tagger` with optional input sizes of encoder and feed-forward layer. They default to
    the output size of the previous layer.

    Registered as a `Model` with name "crf_tagger", in AllenNLP's place and with its parameters.
    """

    @classmethod
    def from_partial_objects(
        cls,
        text_field_embedder: TextFieldEmbedder,
        encoder: Lazy[Seq2SeqEncoder],
        feedforward: Optional[Lazy[FeedForward]] = None,
        **kwargs: Any,
    ) -> "CrfTagger":
        sequence = sized(encoder, text_field_embedder.get_output_dim())
        return cls(
            text_field_embedder=text_field_embedder,
            encoder=sequence,
            feedforward=sized(feedforward, sequence.get_output_dim()) if feedforward else None,
            **kwargs,
        )
