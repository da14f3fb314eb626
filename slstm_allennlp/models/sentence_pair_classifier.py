from typing import Any, Dict, List, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2VecEncoder, TextFieldEmbedder
from allennlp.nn import InitializerApplicator, util
from allennlp.training.metrics import CategoricalAccuracy
from torch import Tensor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.encoders.sized import sized, sized_seq2vec
from slstm_allennlp.models.class_weights import ClassWeights, WithClassWeights

_FEATURES = ("nli", "paraphrase")


def check_features(model: str, features: str) -> None:
    """Raise a `ConfigurationError` that names the model, for unknown features φ of a pair."""
    if features not in _FEATURES:
        names = " or ".join(f'"{name}"' for name in _FEATURES)
        raise ConfigurationError(f"{model}: features is {features!r}, expected {names}")


def add_likeliest_label(
    output: Dict[str, Tensor], vocab: Vocabulary, namespace: str
) -> Dict[str, Tensor]:
    """Add `label`, the name of the most probable class, to a classifier's output."""
    names = vocab.get_index_to_token_vocabulary(namespace)
    best = output["probs"].argmax(dim=-1).tolist()
    output["label"] = [names.get(number, str(number)) for number in best]  # type: ignore[assignment]
    return output


@Model.register("sentence_pair_classifier")
class SentencePairClassifier(Model, WithClassWeights):
    """
    Classify pairs of sentences from one vector each, as in the CAS-LSTM paper (Choi, Kim and Lee, ACML
    2019, Section 3.3). One encoder reads both sentences separately. A multi-layer perceptron reads the
    features φ of the two vectors.

        P(y | a, b) = softmax(W MLP(φ(a, b)))      (Eq. 14)

    The inputs are those of the readers `snli` and `quora_paraphrase`: `premise`, `hypothesis` and
    `label`. The metrics are `accuracy` and the accuracy on the pairs of each class, such as
    `accuracy_entailment`. `ConfigurationError` if an input size does not match; `ValueError` for a
    sentence without words.

    # Parameters

    vocab : `Vocabulary`
    text_field_embedder : `TextFieldEmbedder`
    seq2vec_encoder : `Seq2VecEncoder`
        The sentence encoder, of output size s, or its `Lazy`. Its input size is optional in a config.
    feedforward : `FeedForward`, optional (default = `None`)
        The hidden layers of the perceptron. The default `input_dim` is 4s or 2s, the size of φ.
    features : `str`, optional (default = `"nli"`)
        φ: `"nli"`, [a ; b ; |a - b| ; a ⊙ b] (Eq. 15), or `"paraphrase"`, [|a - b| ; a ⊙ b] (Eq. 16),
        which does not depend on the order of the sentences.
    dropout : `float`, optional (default = `0.0`)
        The dropout rate on the embeddings. `feedforward` has its own.
    label_namespace : `str`, optional (default = `"labels"`)
    num_labels : `int`, optional (default = `None`)
        Default: the number of labels in the vocabulary. Further classes are named by their number.
    initializer : `InitializerApplicator`, optional (default = `None`)
    class_weights : `str` or `Dict[str, float]`, optional (default = `None`)
        `"balanced"`, or the weights of some classes in the loss.
    """

    default_predictor = "sentence_pair"

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        seq2vec_encoder: Lazy[Seq2VecEncoder],
        feedforward: Optional[Lazy[FeedForward]] = None,
        features: str = "nli",
        dropout: float = 0.0,
        label_namespace: str = "labels",
        num_labels: Optional[int] = None,
        initializer: Optional[InitializerApplicator] = None,
        class_weights: Optional[ClassWeights] = None,
    ) -> None:
        super().__init__(vocab)
        check_features("sentence_pair_classifier", features)
        self._text_field_embedder = text_field_embedder
        self._encoder = sized_seq2vec(
            "sentence_pair_classifier: text_field_embedder",
            seq2vec_encoder,
            text_field_embedder.get_output_dim(),
        )
        self._features = features
        self._dropout = torch.nn.Dropout(dropout)
        self._label_namespace = label_namespace
        size = self._encoder.get_output_dim() * (4 if features == "nli" else 2)
        self._feedforward = None if feedforward is None else sized(feedforward, size)
        if self._feedforward is not None:
            if self._feedforward.get_input_dim() != size:
                raise ConfigurationError(
                    "sentence_pair_classifier: feedforward.input_dim is "
                    f"{self._feedforward.get_input_dim()}, expected {size}, the number of features that "
                    "the encoder and `features` give, or no such key"
                )
            size = self._feedforward.get_output_dim()
        self._num_labels = num_labels or vocab.get_vocab_size(label_namespace)
        self._classification_layer = torch.nn.Linear(size, self._num_labels)
        self._accuracy = CategoricalAccuracy()
        self._class_accuracies = [CategoricalAccuracy() for _ in range(self._num_labels)]
        self._loss = torch.nn.CrossEntropyLoss()
        self.use_class_weights(class_weights)
        if initializer is not None:
            initializer(self)

    def forward(  # type: ignore[override]
        self,
        premise: TextFieldTensors,
        hypothesis: TextFieldTensors,
        label: Optional[torch.IntTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Tensor]:
        """Return `logits` and `probs`, (batch_size, num_labels), and `loss` if there are labels."""
        vectors = [self._encode("premise", premise), self._encode("hypothesis", hypothesis)]
        pair = self._phi(*vectors)
        if self._feedforward is not None:
            pair = self._feedforward(pair)
        logits = self._classification_layer(pair)
        output = {"logits": logits, "probs": torch.softmax(logits, dim=-1)}
        if label is not None:
            output["loss"] = self._loss(logits, label.long().view(-1))
            # From a GPU in one copy, not in one for each class
            scores, gold = logits.detach().cpu(), label.cpu()
            self._accuracy(scores, gold)
            for number, accuracy in enumerate(self._class_accuracies):
                accuracy(scores, gold, gold == number)  # type: ignore[arg-type]
        return output

    def _phi(self, a: Tensor, b: Tensor) -> Tensor:
        """Compute φ from two tensors (batch_size, s). *Shape:* (batch_size, 4s) or (batch_size, 2s)"""
        symmetric = [(a - b).abs(), a * b]
        return torch.cat([a, b, *symmetric] if self._features == "nli" else symmetric, dim=-1)

    def _encode(self, name: str, sentence: TextFieldTensors) -> Tensor:
        mask = util.get_text_field_mask(sentence)
        if not mask.any(dim=1).all():
            empty = int((~mask.any(dim=1)).nonzero()[0])
            raise CorpusError(f"the {name} of pair {empty} of the batch has no words, expected some")
        return self._encoder(self._dropout(self._text_field_embedder(sentence)), mask)

    def make_output_human_readable(self, output_dict: Dict[str, Tensor]) -> Dict[str, Tensor]:
        return add_likeliest_label(output_dict, self.vocab, self._label_namespace)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        names = self.vocab.get_index_to_token_vocabulary(self._label_namespace)
        metrics = {"accuracy": self._accuracy.get_metric(reset)}
        for number, accuracy in enumerate(self._class_accuracies):
            metrics[f"accuracy_{names.get(number, number)}"] = accuracy.get_metric(reset)
        return metrics
