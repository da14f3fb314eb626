"""Count the labels of the data of a training, and say what was found."""

import logging
from collections import Counter
from typing import Any, Dict, Iterator, Mapping, Optional

from allennlp.data import DataLoader, Instance
from allennlp.data.fields import LabelField, SequenceLabelField, TextField
from allennlp.models import Model

logger = logging.getLogger(__name__)

_MAX_LABELS = 12
_MAX_WORDS = 12


def count_labels(model: Any, loader: DataLoader) -> Counter:
    """Return how often the instances have each label of a classifier or each tag of a tagger."""
    return Counter(label for instance in loader.iter_instances() for label in labels_of(model, instance))


def say_labels(model: Model, loaders: Mapping[str, Optional[DataLoader]]) -> None:
    """
    Log the labels of the train set with their counts, and a warning with file and line for each label
    that only another part has. Only instances that are in memory are counted.
    """
    counts: Counter = Counter()
    for part, loader in loaders.items():
        if not getattr(loader, "_instances", None):
            continue
        assert loader is not None
        if part == "train":
            counts = count_labels(model, loader)
            if counts:
                logger.info("%s: %s", part, labels_found(counts, "labels"))
            continue
        for number, instance in enumerate(loader.iter_instances(), start=1):
            for label in labels_of(model, instance):
                if counts and label not in counts:
                    counts[label] = 1  # said once
                    where = _where(loader, number, label)
                    words = words_of(instance)
                    logger.warning("%s%s: no example for training has the label %r", where, words, label)


def labels_of(model: Any, instance: Instance) -> Iterator[str]:
    """Yield the labels or tags of an instance that the model learns, unless they are numbers."""
    namespace = getattr(model, "label_namespace", getattr(model, "_label_namespace", "labels"))
    for field in instance.fields.values():
        if isinstance(field, (LabelField, SequenceLabelField)) and field._label_namespace == namespace:
            labels = [field.label] if isinstance(field, LabelField) else field.labels
            yield from (label for label in labels if isinstance(label, str))


def _where(loader: Any, number: int, label: str) -> str:
    """Return the file and the line of a label or, if the reader does not know it, the instance."""
    line_with = getattr(getattr(loader, "reader", None), "line_with", None)
    line = line_with(str(loader.data_path), label) if line_with else None
    return (
        f"{loader.data_path}, sentence {number}" if line is None else f"{line.path}, line {line.number}"
    )


def words_of(instance: Optional[Instance]) -> str:
    """Return the first words of the first text field in brackets, for a message."""
    fields = instance.fields.values() if instance is not None else ()
    for field in fields:
        if isinstance(field, TextField):
            words = [str(token.text) for token in field.tokens]
            more = " …" if len(words) > _MAX_WORDS else ""
            return f' ("{" ".join(words[:_MAX_WORDS])}{more}")'
    return ""


def labels_found(counts: Dict[str, int], what: str) -> str:
    """Return a phrase such as `2 classes: 210 negative, 190 positive`, the most frequent first."""
    names = sorted(counts, key=lambda name: (-counts[name], name))
    what = {"classes": "class", "labels": "label"}.get(what, what) if len(names) == 1 else what
    listed = ", ".join(f"{counts[name]:,} {name}" for name in names[:_MAX_LABELS])
    more = f" and {len(names) - _MAX_LABELS:,} more" if len(names) > _MAX_LABELS else ""
    return f"{len(names):,} {what}: {listed or 'none'}{more}"
