"""Config of the linear baseline of a comparison, derived from a system's config."""

import logging
from typing import Any, Dict

from allennlp.common.checks import ConfigurationError
from allennlp.common.from_params import infer_params
from allennlp.models import Model

from slstm_allennlp.common.extras import needs
from slstm_allennlp.common.training_keys import DATA_KEYS, is_fitted, section, validation_metrics
from slstm_allennlp.models.summary import inputs_of

logger = logging.getLogger(__name__)

_READERS = ("dataset_reader", "validation_dataset_reader")
_KEPT = (*DATA_KEYS, "data_loader", "validation_data_loader", "evaluate_on_test")
# By an input of the models that it can stand in for.
_LINEAR = {
    "tags": "linear_tagger",
    "premise": "linear_pair_classifier",
    "label": "linear_classifier",
}
_BATCH_SIZE = 64
_METRICS = ["accuracy", "loss"]
_SPAN_METRICS = ["precision-overall", "recall-overall", "f1-measure-overall"]


def stand_in(name: str, config: Dict[str, Any], metric: str) -> Dict[str, Any]:
    """Return the config of a linear model on the same instances as the config of the system `name`."""
    given = config.get("model", {})
    inputs = inputs_of(given.get("type"))
    linear = next((linear for key, linear in _LINEAR.items() if key in inputs), "")
    kept = {key: config[key] for key in _KEPT if key in config}
    if section(config, "dataset_reader").get("combine_input_fields"):  # pairs that are one text
        linear, inputs = _LINEAR["premise"], inputs_of(_LINEAR["premise"])
        # A sampler may sort by that text.
        kept = {**kept, "data_loader": {"batch_size": _BATCH_SIZE}, "validation_data_loader": None}
    needed = {
        key
        for key, argument in inputs.items()
        if argument.default is argument.empty
        and argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
    }
    is_the_same = is_fitted(config) and given.get("text_field_embedder") is None
    if is_the_same or not linear or not needed <= {*inputs_of(linear)}:
        raise ConfigurationError(
            f"compare: --linear has no model that can stand in for {given.get('type')}, the model of "
            f"{name}, expected a classifier of texts or pairs, or a tagger"
        )
    given = {**given.get("classifier", {}), **given}  # the label_namespace is the classifier's
    shared = infer_params(Model.resolve_class_name(linear)[0]).keys() - {"text_field_embedder"}
    model = {"type": linear, **{key: given[key] for key in given if key in shared}}
    if given.get("class_weights") is not None and "class_weights" not in shared:
        logger.warning("--linear: %s has no class_weights, unlike %s", linear, name)
    if linear == "linear_tagger":
        needs("pycrfsuite", "linear")
    has_spans = model.get("calculate_span_f1")
    if has_spans is None:
        has_spans = model.get("label_encoding") is not None
    known = [*_METRICS, *(_SPAN_METRICS if has_spans else [])]
    if metric.lstrip("+-") not in known:
        raise ConfigurationError(
            f"compare: the metric is {metric}, which {linear} does not have, expected with --linear one "
            f"of {', '.join(known)}"
        )
    own = validation_metrics(config)[0]  # as the other systems: not the metric of this report
    return {
        **{key: _with_words(config[key]) for key in _READERS if config.get(key) is not None},
        **kept,
        "model": model,
        "trainer": {"type": "fit", "validation_metric": own if own.lstrip("+-") in known else metric},
    }


def _with_words(reader: Any) -> Dict[str, Any]:
    """
    Return the config of the reader (or its name) with a token indexer that keeps words as strings, and
    with the two texts of a pair as two fields.
    """
    config = reader if isinstance(reader, dict) else {"type": reader}
    apart = {"combine_input_fields": False} if config.get("combine_input_fields") else {}
    return {**config, **apart, "token_indexers": {"words": {"type": "utf8"}}}
