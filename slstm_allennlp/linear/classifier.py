from collections import Counter
from itertools import chain
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import lazy_groups_of
from allennlp.data import Batch, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask, masked_mean, move_to_device
from allennlp.training.metrics import CategoricalAccuracy
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from torch import Tensor
from torch.nn.functional import cross_entropy

from slstm_allennlp.linear.fitted_model import FittedModel, Instances, texts_of, words_in
from slstm_allennlp.models.class_weights import ClassWeights, check_class_weights
from slstm_allennlp.models.sentence_pair_classifier import add_likeliest_label, check_features
from slstm_allennlp.training.calibration import calibration_factor

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_WITHOUT_VALIDATION = 1.0
_MAX_ITERATIONS = 1000
_FOLDS = 5
_TOGETHER = 64  # texts that are embedded at a time
# The logit of a class that is not in the train set. It is finite, so that the loss is.
_UNSEEN = -100.0


class LogisticClassifier(FittedModel):
    """
    The base class of the linear classifiers: a logistic regression over TF-IDF vectors, both by
    scikit-learn. The terms are lower-cased word n-grams. A term that occurs n times in a text has the
    term frequency 1 + log n. With a `text_field_embedder`, a text's vector is the mean of its embedded
    words in the place of TF-IDF; the embedder is not trained. Training is deterministic.
    `ConfigurationError` for an instance without a label, and for a train set with fewer than two labels.

    # Parameters

    vocab : `Vocabulary`
    max_words : `int`, optional (default = `None`)
        The largest n of the n-grams. Default: 2, for words and pairs of words.
    strengths : `List[float]`, optional (default = `[0.1, 0.3, 1, 3, 10, 30, 100]`)
        The candidates for C, the inverse strength of the L2 regularisation. Fitting selects the best
        accuracy on the validation set, then the lowest loss, then the smallest C. Without a validation
        set C is 1, or the only candidate.
    label_namespace : `str`, optional (default = `"labels"`)
    calibrated : `bool`, optional (default = `False`)
        Whether to calibrate the probabilities by temperature scaling: multiply the logits by the factor
        with the lowest loss on the train set, in cross-validation with up to 5 folds
        (`calibration_factor`). Predicted labels do not change.
    class_weights : `str` or `Dict[str, float]`, optional (default = `None`)
        `"balanced"`, or the weights of some classes in the loss.
    text_field_embedder : `TextFieldEmbedder`, optional (default = `None`)
        Such as one with a frozen BERT, `transformer_features`. It has no weights to train:
        `ConfigurationError` otherwise, and with `max_words`.
    """

    texts: ClassVar[Tuple[str, ...]]

    def __init__(
        self,
        vocab: Vocabulary,
        max_words: Optional[int] = None,
        strengths: Optional[List[float]] = None,
        label_namespace: str = "labels",
        calibrated: bool = False,
        class_weights: Optional[ClassWeights] = None,
        text_field_embedder: Optional[TextFieldEmbedder] = None,
    ) -> None:
        super().__init__(vocab)
        self._embedder = text_field_embedder
        self._calibrated = calibrated
        self._strengths = list(STRENGTHS if strengths is None else strengths)
        if text_field_embedder is not None:
            if max_words is not None:
                raise ConfigurationError(
                    f"max_words is {max_words} beside a text_field_embedder, expected one of them"
                )
            if any(weight.requires_grad for weight in text_field_embedder.parameters()):
                raise ConfigurationError(
                    "the text_field_embedder of a linear model has weights to train, expected fixed "
                    'ones ("trainable" or "train_parameters": false)'
                )
        max_words = 2 if max_words is None else max_words
        if max_words < 1:
            raise ConfigurationError(f"max_words is {max_words}, expected 1 or more")
        if not self._strengths or min(self._strengths) <= 0:
            raise ConfigurationError(f"strengths is {strengths}, expected numbers above 0")
        self._label_namespace = label_namespace
        self._num_labels = vocab.get_vocab_size(label_namespace)
        self._vectorizer = TfidfVectorizer(
            tokenizer=_lower_cased,
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, max_words),
            sublinear_tf=True,
        )
        self._accuracy = CategoricalAccuracy()
        self.use_class_weights(class_weights)

    def use_class_weights(self, given: Optional[ClassWeights]) -> None:
        """Take the value of the key `class_weights`."""
        self.class_weights = given
        if given is not None:
            check_class_weights(given, self.vocab.get_token_to_index_vocabulary(self._label_namespace))

    def fit(self, train: Instances, validation: Optional[Instances]) -> Dict[str, float]:
        texts, labels = texts_of(train, *self.texts), self._labels_of(train)
        known = sorted(set(labels))
        if len(known) < 2:
            names = self.vocab.get_index_to_token_vocabulary(self._label_namespace)
            found = " and ".join(names.get(label, str(label)) for label in known) or "none"
            raise ConfigurationError(
                f"the {len(labels)} training instances have the label {found}, expected two or more"
            )
        if not any(chain(*texts)):
            raise ConfigurationError(
                f"the {len(labels)} training instances have no words, expected some"
            )
        if self._embedder is None:
            self._vectorizer.set_params(vocabulary=None).fit(chain(*texts))
        features = self._features(train)
        weights: Any = self.class_weights
        if isinstance(weights, dict):
            names = self.vocab.get_index_to_token_vocabulary(self._label_namespace)
            weights = {number: weights.get(names[number], 1) for number in known}
        if validation:
            gold = torch.tensor(self._labels_of(validation))
            held_out = self._features(validation)

            def quality(model: LogisticRegression) -> Tuple[float, float, float]:
                logits = torch.as_tensor(self._logits(model, held_out))
                accuracy = (logits.argmax(dim=1) == gold).double().mean()
                return float(accuracy), -float(cross_entropy(logits, gold)), -model.C

            best = max((_fitted(features, labels, C, weights) for C in self._strengths), key=quality)
        else:
            only = self._strengths[0] if len(self._strengths) == 1 else _WITHOUT_VALIDATION
            best = _fitted(features, labels, only, weights)
        chosen = {"C": best.C}
        if self._calibrated:
            chosen["calibration_factor"] = _calibration_factor(best, features, labels)
        self._fitted = best
        self.scale_logits(chosen.get("calibration_factor", 1.0))
        return chosen

    def scale_logits(self, factor: float) -> None:
        if self.is_fitted:
            self.fitted.coef_ *= factor
            self.fitted.intercept_ *= factor

    def _logits(self, regression: LogisticRegression, features: Any) -> numpy.ndarray:
        """Return logits of all labels, also of unseen ones. *Shape:* (batch_size, num_labels)"""
        logits = numpy.full((features.shape[0], self._num_labels), _UNSEEN)
        logits[:, regression.classes_] = _score_per_class(regression.decision_function(features))
        return logits

    @property
    def num_weights(self) -> int:
        return self.fitted.coef_.size + self.fitted.intercept_.size

    def get_extra_state(self) -> Dict[str, Any]:
        if not self.is_fitted:
            return {}
        terms = {}
        if self._embedder is None:
            terms["terms"] = self._vectorizer.get_feature_names_out().tolist()
            terms["idf"] = torch.as_tensor(self._vectorizer.idf_)
        return {
            **terms,
            "coefficients": torch.as_tensor(self.fitted.coef_),
            "intercepts": torch.as_tensor(self.fitted.intercept_),
            "classes": self.fitted.classes_.tolist(),
        }

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        if not state:
            return
        if self._embedder is None:
            self._vectorizer.set_params(vocabulary=state["terms"])
            self._vectorizer.idf_ = state["idf"].cpu().numpy()
        self._fitted = LogisticRegression()
        self._fitted.coef_ = state["coefficients"].cpu().numpy()
        self._fitted.intercept_ = state["intercepts"].cpu().numpy()
        self._fitted.classes_ = numpy.array(state["classes"])

    def _features(self, instances: Instances) -> Any:
        """Compute the features of indexed instances. *Shape:* (len(instances), num_features)"""
        if self._embedder is None:
            return self._combined(
                list(map(self._vectorizer.transform, texts_of(instances, *self.texts)))
            )
        self._embedder.eval()
        groups = lazy_groups_of(instances, _TOGETHER)
        batches = (move_to_device(Batch(part).as_tensor_dict(), self._nothing.device) for part in groups)
        return numpy.concatenate([self._features_of([b[name] for name in self.texts]) for b in batches])

    def _features_of(self, texts: Sequence[Any]) -> Any:
        """Compute the features of a batch of tensors. *Shape:* (batch_size, num_features)"""
        return self._combined(list(map(self._vectors, texts)))

    def _vectors(self, text: TextFieldTensors) -> Any:
        """Return the vectors of one field. *Shape:* (batch_size, dim)"""
        if self._embedder is None:
            return self._vectorizer.transform(words_in(text))
        mask: Any = get_text_field_mask(text).unsqueeze(-1)
        with torch.no_grad():
            return masked_mean(self._embedder(text).double(), mask, dim=1).cpu().numpy()

    def _combined(self, vectors: List[Any]) -> Any:
        """Combine the vectors of each field, (batch_size, dim), sparse ones of TF-IDF."""
        (only,) = vectors
        return only

    def _labels_of(self, instances: Instances) -> List[int]:
        for instance in instances:
            if "label" not in instance.fields:
                raise ConfigurationError(
                    "an instance of the train or validation set has no label, expected one"
                )
            instance.index_fields(self.vocab)
        labels = [int(instance["label"].as_tensor({})) for instance in instances]
        if max(labels, default=0) >= max(1, self._num_labels):
            raise ConfigurationError(
                f"the labels are numbers up to {max(labels)}, expected strings for a linear model "
                "(skip_label_indexing of the reader is not supported)"
            )
        return labels

    def _outputs(self, texts: Sequence[TextFieldTensors], label: Optional[Tensor]) -> Dict[str, Tensor]:
        regression = self.fitted
        features = self._features_of(texts)
        logits = torch.as_tensor(
            self._logits(regression, features),
            dtype=torch.get_default_dtype(),
            device=get_text_field_mask(texts[0]).device,
        )
        output = {"logits": logits, "probs": torch.softmax(logits, dim=-1)}
        if label is not None:
            output["loss"] = cross_entropy(logits, label.long().view(-1))
            self._accuracy(logits, label)
        return output

    def make_output_human_readable(self, output_dict: Dict[str, Tensor]) -> Dict[str, Tensor]:
        return add_likeliest_label(output_dict, self.vocab, self._label_namespace)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        return {"accuracy": self._accuracy.get_metric(reset)}


@Model.register("linear_classifier")
class LinearClassifier(LogisticClassifier):
    """
    Classify texts by a logistic regression over TF-IDF vectors of words and pairs of words: the baseline
    that every encoder should beat. The inputs are those of `basic_classifier`, `tokens` and `label`,
    with the token indexer `utf8`, or those of the `text_field_embedder`. The trainer is `fit`. The
    metric is `accuracy`.

    Parameters as in `LogisticClassifier`.
    """

    default_predictor = "text_classifier"
    texts = ("tokens",)

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        label: Optional[torch.IntTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Tensor]:
        """Return `logits` and `probs`, (batch_size, num_labels), and `loss` if there are labels."""
        return self._outputs([tokens], label)


@Model.register("linear_pair_classifier")
class LinearPairClassifier(LogisticClassifier):
    """
    Classify pairs of sentences by a logistic regression over φ(a, b), where a and b are their TF-IDF
    vectors or, with a `text_field_embedder`, the means of their words. `sentence_pair_classifier` does
    the same with an encoder's vectors. The inputs are `premise`, `hypothesis` and `label`, with the
    token indexer `utf8` or those of the `text_field_embedder`. The trainer is `fit`. The metric is
    `accuracy`.

    # Parameters, besides those of `LogisticClassifier`

    features : `str`, optional (default = `"nli"`)
        φ: `"nli"`, [a ; b ; |a - b| ; a ⊙ b], or `"paraphrase"`, [|a - b| ; a ⊙ b].
    """

    default_predictor = "sentence_pair"
    texts = ("premise", "hypothesis")

    def __init__(self, vocab: Vocabulary, features: str = "nli", **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        check_features("linear_pair_classifier", features)
        self._phi = features

    def forward(  # type: ignore[override]
        self,
        premise: TextFieldTensors,
        hypothesis: TextFieldTensors,
        label: Optional[torch.IntTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Tensor]:
        """Return `logits` and `probs`, (batch_size, num_labels), and `loss` if there are labels."""
        return self._outputs([premise, hypothesis], label)

    def _combined(self, vectors: List[Any]) -> Any:
        a, b = vectors
        is_sparse = self._embedder is None
        symmetric = [abs(a - b), a.multiply(b) if is_sparse else a * b]
        parts = [a, b, *symmetric] if self._phi == "nli" else symmetric
        return sparse.hstack(parts, format="csr") if is_sparse else numpy.hstack(parts)


def _fitted(features: Any, labels: List[int], strength: float, weights: Any) -> LogisticRegression:
    regression = LogisticRegression(C=strength, max_iter=_MAX_ITERATIONS, class_weight=weights)
    return regression.fit(features, labels)


def _score_per_class(scores: numpy.ndarray) -> numpy.ndarray:
    """Expand scikit-learn's binary scores, which are those of the second class, to two columns."""
    return scores if scores.ndim == 2 else numpy.stack([0 * scores, scores], axis=1)


def _calibration_factor(regression: LogisticRegression, features: Any, labels: List[int]) -> float:
    """Fit the factor of the logits; 1 if a label occurs only once, too rare for cross-validation."""
    folds = min(_FOLDS, min(Counter(labels).values()))
    if folds < 2:
        return 1.0
    # scikit-learn numbers the labels anew, but not those of the weights.
    known, columns = numpy.unique(labels, return_inverse=True)
    regression, weights = clone(regression), regression.class_weight
    if isinstance(weights, dict):
        regression.class_weight = {number: weights[label] for number, label in enumerate(known)}
    scores = cross_val_predict(regression, features, columns, cv=folds, method="decision_function")
    return calibration_factor(torch.as_tensor(_score_per_class(scores)), torch.as_tensor(columns))


def _lower_cased(words: List[str]) -> List[str]:
    return [word.lower() for word in words]
