"""Files that are one corpus: `FILE#train`, `FILE#dev` and `FILE#test` are parts of the file."""

import random
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, TypeVar

from slstm_allennlp.common.errors import CorpusError

T = TypeVar("T")

_PARTS = ("train", "dev", "test")
_TENTHS = {2: "dev", 7: "test"}  # of ten examples, the number of each that is not for training


def file_of(path: str) -> str:
    """Return the file of `FILE#PART`, or the path itself."""
    return path if Path(path).is_file() else path.rpartition("#")[0] or path


def examples_of(
    path: str,
    seed: int,
    read: Callable[[str], Iterable[T]],
    label_of: Callable[[T], Any] = lambda example: None,
) -> Iterator[T]:
    """
    Yield the examples that `read(file)` yields, those of the whole file or, for `FILE#train`, `FILE#dev`
    and `FILE#test`, 80, 10 and 10 per cent of them, in the file's order. `FILE#train+test` joins two
    parts. The seed decides which example is in which part. Examples that are the same are in one part,
    and each part has its share of each frequent label. `CorpusError` for an unknown part, and for fewer
    than 10 different examples.
    """
    file = file_of(path)
    if file == path:
        yield from read(path)
        return
    parts = path[len(file) + 1 :].split("+")
    for part in parts:
        if part not in _PARTS:
            raise CorpusError(f"{file}: there is no part {part!r}, expected one of {', '.join(_PARTS)}")
    examples = list(read(file))
    same: Dict[str, List[int]] = {}
    for number, example in enumerate(examples):
        same.setdefault(str(example), []).append(number)
    if len(same) < 10:
        raise CorpusError(
            f"{file}: {len(same)} different examples, expected at least 10 to split them into "
            f"{', '.join(_PARTS)}, or a file for each"
        )
    order = list(same.values())
    random.Random(seed).shuffle(order)
    order.sort(key=lambda numbers: str(label_of(examples[numbers[0]])))
    part_of = {n: _TENTHS.get(place % 10, "train") for place, group in enumerate(order) for n in group}
    yield from (example for number, example in enumerate(examples) if part_of[number] in parts)
