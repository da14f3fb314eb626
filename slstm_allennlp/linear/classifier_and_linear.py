import logging
from typing import Any, Dict, List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, TrainerCallback
from allennlp.training.metrics import CategoricalAccuracy
from torch import Tensor
from torch.nn.functional import cross_entropy

from slstm_allennlp.linear.classifier import LinearClassifier
from slstm_allennlp.linear.fitted_model import FittedModel
from slstm_allennlp.models.class_weights import ClassWeights, WithClassWeights
from slstm_allennlp.models.summary import namespace_of
from slstm_allennlp.training.calibration import scale_logits

logger = logging.getLogger(__name__)


@Model.register("classifier_and_linear")
class ClassifierAndLinear(Model):
    """
    Classify texts by two models that make different errors: one reads words in context, one counts of
    words. Each is trained separately. Evaluation and prediction multiply their probabilities (Hinton's
    product of experts):

        p(y | text) ∝ p_classifier(y | text) · p_linear(y | text)^weight

    The inputs are those of `basic_classifier`. One of the token indexers must be `utf8`, and the trainer
    needs the callback `fit_linear`: without it, evaluation raises `ConfigurationError`. The metric is
    `accuracy`, in training that of the classifier alone.

    # Parameters

    vocab : `Vocabulary`
    classifier : `Model`
        Such as `basic_classifier`: it takes `tokens`, `label` and `metadata`, and returns `logits`.
    linear : `LinearClassifier`, optional (default = `{"calibrated": true}`)
        Without calibration, its probabilities are underconfident.
    weight : `float`, optional (default = `1.0`)
        The exponent of the linear model. 1 weights both models equally, 0 ignores the linear model.
    linear_indexer : `str`, optional (default = `None`)
        The name of the token indexer `utf8` if only the linear model reads it. The classifier does not
        get it.
    class_weights : `str` or `Dict[str, float]`, optional (default = `None`)
        Those of both models. The classifier must have this key, too.
    """

    default_predictor = "text_classifier"

    def __init__(
        self,
        vocab: Vocabulary,
        classifier: Model,
        linear: Optional[LinearClassifier] = None,
        weight: float = 1.0,
        linear_indexer: Optional[str] = None,
        class_weights: Optional[ClassWeights] = None,
    ) -> None:
        super().__init__(vocab)
        if not weight >= 0:
            raise ConfigurationError(f"classifier_and_linear: weight is {weight}, expected 0 or more")
        self.classifier = classifier
        self._label_namespace = namespace_of(classifier)
        if linear is None:
            linear = LinearClassifier(vocab, calibrated=True, label_namespace=self._label_namespace)
        if namespace_of(linear) != self._label_namespace:
            raise ConfigurationError(
                f"classifier_and_linear: the linear model's label_namespace is {namespace_of(linear)}, "
                f"expected the classifier's, {self._label_namespace}"
            )
        self.linear = linear
        self._weight = weight
        self._linear_indexer = linear_indexer
        self._accuracy = CategoricalAccuracy()
        if class_weights is not None:
            if not isinstance(classifier, WithClassWeights):
                raise ConfigurationError(
                    f"classifier_and_linear: class_weights with a {type(classifier).__name__}, expected "
                    "a classifier that has this key"
                )
            if classifier.class_weights is not None or self.linear.class_weights is not None:
                raise ConfigurationError(
                    "classifier_and_linear: class_weights, and a part has its own, expected one of them"
                )
            classifier.use_class_weights(class_weights)
            self.linear.use_class_weights(class_weights)

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        label: Optional[torch.IntTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Tensor]:
        """
        Return the classifier's output. In evaluation, `logits` and `probs`, (batch_size, num_labels),
        are those of the product, and so is `loss`, if there are labels.
        """
        inputs = {name: text for name, text in tokens.items() if name != self._linear_indexer}
        output = self.classifier(tokens=inputs, label=label, metadata=metadata)
        if not self.training:
            linear_logits = self.linear(tokens=tokens)["logits"]
            logits = output["logits"].log_softmax(-1) + self._weight * linear_logits.log_softmax(-1)
            output.update(logits=logits, probs=logits.softmax(-1))
            if label is not None:
                output["loss"] = cross_entropy(logits, label.long().view(-1))
        if label is not None:
            self._accuracy(output["logits"], label)
        return output

    def scale_logits(self, factor: float) -> None:
        """Multiply the logits of both models, and so those of the product."""
        scale_logits(self.classifier, factor)
        self.linear.scale_logits(factor)

    def make_output_human_readable(self, output_dict: Dict[str, Tensor]) -> Dict[str, Tensor]:
        return self.classifier.make_output_human_readable(output_dict)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        return {"accuracy": self._accuracy.get_metric(reset)}


@TrainerCallback.register("fit_linear")
class FitLinear(TrainerCallback):
    """
    Fit the linear models inside a model, such as that of `classifier_and_linear`, to the whole train set
    before the first epoch. Hyperparameters are selected on the validation set.

    `ConfigurationError` for a model without a linear model, and in distributed training, where each
    process has only a part of the train set.
    """

    def on_start(self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any) -> None:
        super().on_start(trainer, is_primary, **kwargs)
        parts = [part for part in trainer.model.modules() if isinstance(part, FittedModel)]
        if not parts:
            raise ConfigurationError(
                f"fit_linear: the model {type(trainer.model).__name__} has no linear model, expected "
                "one such as classifier_and_linear"
            )
        if trainer._distributed:
            raise ConfigurationError("fit_linear: training is distributed, expected one process")
        is_restored = trainer._start_after_epochs_completed or (
            trainer._start_after_batches_in_epoch_completed
        )
        for part in parts:
            if part.is_fitted and is_restored:
                continue
            validation = trainer._validation_data_loader
            chosen = part.fit(
                list(trainer.data_loader.iter_instances()),
                None if validation is None else list(validation.iter_instances()),
            )
            settings = ", ".join(f"{name} {value:.3g}" for name, value in chosen.items())
            logger.info("%s is fitted: %s.", type(part).__name__, settings)
