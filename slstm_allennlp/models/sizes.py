"""
Models of AllenNLP whose input sizes default to the output size of the previous layer, with weights of
classes and a span F1 that counts illegal tag sequences.
"""

from typing import Any, Dict, List, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed
from allennlp.data import TextFieldTensors
from allennlp.models import BasicClassifier as StockBasicClassifier
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp_models.tagging.models import CrfTagger as StockCrfTagger
from torch import Tensor

from slstm_allennlp.encoders.sized import sized
from slstm_allennlp.metrics.span_tags import check_encoding, span_f1
from slstm_allennlp.models.class_weights import ClassWeights, WithClassWeights
from slstm_allennlp.token_indexers.utf8_indexer import NAMESPACE


@Model.register("basic_classifier", constructor="from_partial_objects", exist_ok=True)
class BasicClassifier(StockBasicClassifier, WithClassWeights):
    """
    AllenNLP's `basic_classifier` with optional input sizes of encoders and feed-forward layer. They
    default to the output size of the previous layer.
    `class_weights` (default = `None`) is `"balanced"`, or the weights of some classes in the loss.
    """

    def __init__(self, *args: Any, class_weights: Optional[ClassWeights] = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_class_weights(class_weights)

    def make_output_human_readable(self, output_dict: Dict[str, Tensor]) -> Dict[str, Tensor]:
        # AllenNLP looks the ids of the input up in `namespace`, which has none if they are bytes alone.
        if self.vocab.get_vocab_size(self._namespace) <= 2 < self.vocab.get_vocab_size(NAMESPACE):
            self._namespace = NAMESPACE
        return super().make_output_human_readable(output_dict)

    @classmethod
    def from_partial_objects(
        cls,
        text_field_embedder: TextFieldEmbedder,
        seq2vec_encoder: Lazy[Seq2VecEncoder],
        seq2seq_encoder: Optional[Lazy[Seq2SeqEncoder]] = None,
        feedforward: Optional[Lazy[FeedForward]] = None,
        class_weights: Optional[ClassWeights] = None,
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
            class_weights=class_weights,
            **kwargs,
        )


@Model.register("combined_pair_classifier", constructor="from_partial_objects")
class CombinedPairClassifier(BasicClassifier):
    """
    `basic_classifier` for pairs of texts that the reader makes one text of, as BERT reads them (its key
    `combine_input_fields`). `predict` reads pairs. The arguments are the same, also `class_weights`.
    """

    default_predictor = "sentence_pair"


@Model.register("crf_tagger", constructor="from_partial_objects", exist_ok=True)
class CrfTagger(StockCrfTagger, WithClassWeights):
    """
    AllenNLP's `crf_tagger` with optional input sizes of encoder and feed-forward layer. They default to
    the output size of the previous layer. Its span F1 counts illegal tags, which a tagger without
    constrained decoding may predict, as the CoNLL script does. AllenNLP's raises an error.
    `class_weights` (default = `None`) is `"balanced"`, or the weights of some tags in the loss, by
    AllenNLP's strategy "lannoy".
    """

    def __init__(self, *args: Any, class_weights: Optional[ClassWeights] = None, **kwargs: Any) -> None:
        if class_weights is not None:
            for key in ("label_weights", "weight_strategy"):
                if kwargs.get(key):
                    raise ConfigurationError(
                        f"crf_tagger: class_weights and {key}, expected one of them"
                    )
            kwargs.update(label_weights={}, weight_strategy="lannoy")
        super().__init__(*args, **kwargs)
        self._label_namespace = self.label_namespace
        self.use_class_weights(class_weights)
        if self.calculate_span_f1:
            self._f1_metric = span_f1(self.vocab, self.label_namespace, self.label_encoding)

    def weight_buffer(self) -> Tensor:
        return self.crf.label_weights

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        tags: Optional[torch.LongTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
        ignore_loss_on_o_tags: Optional[bool] = None,
        **kwargs: Any,
    ) -> Dict[str, Tensor]:
        output: Dict[str, Tensor] = super().forward(
            tokens, tags, metadata, ignore_loss_on_o_tags, **kwargs
        )
        if is_distributed() and "loss" in output:
            # Sentences of one word have no transitions, but each process waits for their gradient.
            output["loss"] = output["loss"] + 0 * self.crf.transitions.sum()
        return output

    @classmethod
    def from_partial_objects(
        cls,
        text_field_embedder: TextFieldEmbedder,
        encoder: Lazy[Seq2SeqEncoder],
        feedforward: Optional[Lazy[FeedForward]] = None,
        label_encoding: Optional[str] = None,
        class_weights: Optional[ClassWeights] = None,
        **kwargs: Any,
    ) -> "CrfTagger":
        if label_encoding is not None:
            check_encoding(label_encoding)
        sequence = sized(encoder, text_field_embedder.get_output_dim())
        return cls(
            text_field_embedder=text_field_embedder,
            encoder=sequence,
            feedforward=sized(feedforward, sequence.get_output_dim()) if feedforward else None,
            label_encoding=label_encoding,
            class_weights=class_weights,
            **kwargs,
        )
