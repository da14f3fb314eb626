"""A model's prediction for each instance, beside its gold label."""

import dataclasses
import json
from pathlib import Path
from typing import Any, Dict, List, Optional

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance
from allennlp.data.fields import LabelField, SequenceLabelField, TextField

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.metrics.class_scores import Labels

_MARKS = (START_SYMBOL, END_SYMBOL)
_PREFERRED = ("label", "tags", "labels")  # the usual names of the field to predict


@dataclasses.dataclass(frozen=True)
class Prediction:
    length: int  # number of words in all texts of the instance
    gold: Optional[Labels] = None  # None if the model's output has no such labels
    predicted: Optional[Labels] = None
    output: Optional[Dict[str, Any]] = None  # in that case, the words in the output
    # The texts by field name, a target text too, as words joined by spaces.
    texts: Dict[str, str] = dataclasses.field(default_factory=dict)


def prediction_of(instance: Instance, output: Dict[str, Any]) -> Prediction:
    """Make the prediction from an instance and its `forward_on_instances` output, by field name."""
    length = length_of(instance)
    texts = {
        name: " ".join(str(token) for token in field.tokens if token.text not in _MARKS)
        for name, field in instance.fields.items()
        if isinstance(field, TextField)
    }
    for name in sorted(instance.fields, key=lambda name: (name not in _PREFERRED, name)):
        field, predicted = instance.fields[name], output.get(name)
        if isinstance(field, LabelField) and isinstance(predicted, str):
            return Prediction(length, str(field.label), predicted, texts=texts)
        if not isinstance(field, SequenceLabelField) or not isinstance(predicted, list):
            continue
        if all(isinstance(tag, str) for tag in predicted):
            gold = [str(label) for label in field.labels]
            if len(predicted) < len(gold):
                raise CorpusError(
                    f"the model gives {len(predicted)} {name} for {len(gold)} words, expected one for "
                    "each"
                )
            # Some models tag padding, too.
            return Prediction(length, gold, predicted[: len(gold)], texts=texts)
    words = {key: value for key, value in output.items() if _is_text(value)}
    return Prediction(length, output=words, texts=texts)


def length_of(instance: Instance) -> int:
    """Return the number of words in the input texts."""
    return sum(
        len(field.tokens)
        for name, field in instance.fields.items()
        if isinstance(field, TextField) and not name.startswith("target")
    )


def _is_text(value: Any) -> bool:
    """Return whether the value is a string, or a nested, non-empty list of strings."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_text, value))
    return isinstance(value, str)


def write_predictions(path: Path, predictions: List[Prediction]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for prediction in predictions:
            found = {key: value for key, value in vars(prediction).items() if value is not None}
            file.write(json.dumps(found, ensure_ascii=False) + "\n")


def read_predictions(path: Path) -> List[Prediction]:
    with path.open(encoding="utf-8") as file:
        return [Prediction(**json.loads(line)) for line in file]
