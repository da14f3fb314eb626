"""Check before training that all gold tags are in the model's `label_encoding`."""

from itertools import count
from typing import Iterator, List, Sequence, Tuple

import torch.distributed as dist
from allennlp.common.util import is_distributed
from allennlp.data import DataLoader
from allennlp.data.fields import SequenceLabelField
from allennlp.models import Model

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.metrics.span_tags import ENCODINGS, may_follow
from slstm_allennlp.models.summary import encoding_of, namespace_of

_BIOES_TO_BIOUL = str.maketrans("SEM", "ULI")
_BIOES = "BIOUL, and tags with U for S, L for E and I for M (BMES has no O)"


def check_tags(model: Model, loader: DataLoader) -> None:
    """
    Check the tags of each sentence if the model has a `label_encoding` or a span F1: AllenNLP's
    constrained decoding cannot predict tags of another encoding, and its F1 does not count them.
    `CorpusError` for tags that are not in it: the message has the file, the sentence, and the encoding
    that fits.
    """
    encoding = encoding_of(model)
    if encoding is None:
        return
    namespace = namespace_of(model)
    for number, tags in _tags(loader, namespace):
        if not is_in(encoding, tags):
            path = getattr(loader, "data_path", "the data")
            all_tags = [tags for _, tags in _tags(loader, namespace)]
            raise CorpusError(
                f"{path}, sentence {number}: the tags {' '.join(tags)} are not {encoding}, which is the "
                f"model's label_encoding; expected {_what_fits(encoding, all_tags)}"
            )


def is_in(encoding: str, tags: Sequence[str]) -> bool:
    """Return whether AllenNLP's constrained decoding in this encoding can predict the tags."""
    if encoding == _BIOES:
        return is_in("BIOUL", [tag[:1].translate(_BIOES_TO_BIOUL) + tag[1:] for tag in tags])
    return all(may_follow(encoding, *pair) for pair in zip(["START", *tags], [*tags, "END"]))


def _what_fits(encoding: str, sentences: List[List[str]]) -> str:
    counts = {name: sum(is_in(name, tags) for tags in sentences) for name in (*ENCODINGS, _BIOES)}
    most = max(counts.values())
    if most == 0:
        return "tags such as B-PER, I-PER and O; no sentence is in an encoding that AllenNLP knows"
    fitting = [name for name in ENCODINGS if counts[name] == most] or [_BIOES]
    if most == len(sentences):
        return f"label_encoding {' or '.join(fitting)}"
    found = f"{most:,} of {len(sentences):,} sentences"
    if counts[encoding] == most:
        return f"it in every sentence, as in {found}"
    return f"the same encoding in every sentence; {found} are {' or '.join(fitting)}"


def _tags(loader: DataLoader, namespace: str) -> Iterator[Tuple[int, List[str]]]:
    """Yield the number of each sentence in its file, from 1, and its tags."""
    # Of several processes, each reads every n-th sentence.
    rank, step = (dist.get_rank(), dist.get_world_size()) if is_distributed() else (0, 1)
    for number, instance in zip(count(1 + rank, step), loader.iter_instances()):
        for field in instance.fields.values():
            if isinstance(field, SequenceLabelField) and field._label_namespace == namespace:
                yield number, list(map(str, field.labels))
