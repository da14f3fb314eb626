"""What a model says of each instance, beside what stands there."""

import dataclasses
import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, TypeGuard, Union

from allennlp.data import Instance
from allennlp.data.fields import LabelField, SequenceLabelField, TextField

Labels = Union[str, List[str]]  # of a text or a pair, or one for each word
_FIRST = ("label", "tags", "labels")  # the usual names of what is to be predicted


@dataclasses.dataclass(frozen=True)
class Prediction:
    length: int  # words, of all texts of the instance together
    gold: Optional[Labels] = None  # None where the model gives none that can be compared
    predicted: Optional[Labels] = None
    output: Optional[Dict[str, Any]] = None  # in that case, the words that it gives
    # What the model has read, by the field's name: its words with spaces between them.
    texts: Dict[str, str] = dataclasses.field(default_factory=dict)


def prediction_of(instance: Instance, output: Dict[str, Any]) -> Prediction:
    """From an instance and what `forward_on_instances` gave for it: labels go by the field's name."""
    length = length_of(instance)
    texts = {name: " ".join(map(str, text.tokens)) for name, text in _texts_of(instance)}
    for name in sorted(instance.fields, key=lambda name: (name not in _FIRST, name)):
        field, predicted = instance.fields[name], output.get(name)
        if isinstance(field, LabelField) and isinstance(predicted, str):
            return Prediction(length, str(field.label), predicted, texts=texts)
        if isinstance(field, SequenceLabelField) and _is_words(predicted):
            gold = [str(label) for label in field.labels]
            if len(predicted) < len(gold):
                raise ValueError(
                    f"the model gives {len(predicted)} {name} for {len(gold)} words, expected one for "
                    "each"
                )
            # Beyond that, some models tag padding.
            return Prediction(length, gold, predicted[: len(gold)], texts=texts)
    words = {key: value for key, value in output.items() if _is_text(value)}
    return Prediction(length, output=words, texts=texts)


def length_of(instance: Instance) -> int:
    """Words in the texts that a model reads."""
    return sum(len(text.tokens) for _, text in _texts_of(instance))


def _texts_of(instance: Instance) -> List[Tuple[str, TextField]]:
    """Those that a model reads, not those that it is to write."""
    return [
        (name, text)
        for name, text in instance.fields.items()
        if isinstance(text, TextField) and not name.startswith("target")
    ]


def _is_words(value: Any) -> TypeGuard[List[str]]:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_text(value: Any) -> bool:
    """Strings, and lists of them within lists."""
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(_is_text(part) for part in value)
    )


def write_predictions(path: Path, predictions: List[Prediction]) -> None:
    """A JSON object a line, in the order of the test set."""
    with path.open("w", encoding="utf-8") as file:
        for prediction in predictions:
            file.write(json.dumps(dataclasses.asdict(prediction), ensure_ascii=False) + "\n")


def read_predictions(path: Path) -> List[Prediction]:
    with path.open(encoding="utf-8") as file:
        return [Prediction(**json.loads(line)) for line in file]
