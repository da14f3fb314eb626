"""Count the labels of the data of a training."""

import logging
from collections import Counter
from typing import Any, Dict, Iterable, Iterator, Optional

from allennlp.data import DataLoader, Instance
from allennlp.data.fields import LabelField, SequenceLabelField, TextField
from allennlp.models import Model

from slstm_allennlp.metrics.span_tags import type_of
from slstm_allennlp.models.summary import encoding_of, namespace_of

logger = logging.getLogger(__name__)

_MAX_WORDS, _MAX_LETTERS = 12, 40
_SINGULAR = {"classes": "class", "kinds of entities": "kind of entity", "labels": "label", "tags": "tag"}


def count_labels(model: Any, loader: DataLoader) -> Counter:
    """Return how often the instances have each label of a classifier or each tag of a tagger."""
    return Counter(label for instance in loader.iter_instances() for label in labels_of(model, instance))


def num_instances(loader: Any) -> Optional[int]:
    """Return the number of instances in memory, or `None` if the loader reads them in each epoch."""
    return len(getattr(loader, "_instances", None) or ()) or None


def warn_of_unseen(model: Model, train: Any, others: Iterable[Any]) -> None:
    """
    Log a warning with file and line for each label, or kind of entity, that only the loaders of the
    other data have. All instances must be in memory.
    """
    has_kinds = encoding_of(model) is not None  # one kind has several tags: B-PER, I-PER, …
    loaders = [loader for loader in (train, *others) if loader is not None]
    if not all(map(num_instances, loaders)):
        return
    known = {_kind_of(label, has_kinds) for label in count_labels(model, train)}
    for loader in loaders[1:]:
        for number, instance in enumerate(loader.iter_instances(), start=1):
            for label in labels_of(model, instance):
                label = _kind_of(label, has_kinds)
                if label not in known:
                    known.add(label)  # said once
                    where = f"{_where(loader, number, label)}{words_of(instance)}"
                    logger.warning("%s: no example for training has the label %r", where, label)


def _kind_of(label: str, has_kinds: bool) -> str:
    return type_of(label) if has_kinds else label


def labels_of(model: Any, instance: Instance) -> Iterator[str]:
    """Yield the labels or tags of an instance that the model learns, unless they are numbers."""
    namespace = namespace_of(model)
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


def _short(label: str) -> str:
    return label if len(label) <= _MAX_LETTERS else f"{label[:_MAX_LETTERS]}…"


def labels_found(counts: Dict[str, int], what: str = "labels", shown: int = 5) -> str:
    """Return a phrase such as `2 labels: 210 negative, 190 positive`, the most frequent first."""
    names = sorted(counts, key=lambda name: (-counts[name], name))
    what = _SINGULAR.get(what, what) if len(names) == 1 else what
    listed = ", ".join(f"{counts[name]:,} {_short(name)}" for name in names[:shown])
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return f"{len(names):,} {what}: {listed or 'none'}{more}"
