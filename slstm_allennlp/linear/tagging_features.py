"""The features of the linear tagger, from a word and its neighbours."""

import re
from typing import Iterator, List, Sequence

_AFFIXES = (1, 2, 3)
_NEIGHBOURS = (-2, -1, 1, 2)


def features_of(words: Sequence[str]) -> List[List[bytes]]:
    """Return the features of each word of a sentence, encoded as UTF-8, lone surrogates included."""
    lowered, shapes = [word.lower() for word in words], [shape_of(word) for word in words]
    return [
        [
            feature.encode("utf-8", errors="surrogatepass")
            for feature in (*_of_word(word, low, shape), *_of_neighbours(index, lowered, shapes))
        ]
        for index, (word, low, shape) in enumerate(zip(words, lowered, shapes))
    ]


def _of_word(word: str, low: str, shape: str) -> Iterator[str]:
    yield "bias"
    yield f"word={word}"
    yield f"lower={low}"
    yield f"shape={shape}"
    for size in _AFFIXES:
        yield f"prefix{size}={low[:size]}"
        yield f"suffix{size}={low[-size:]}"
    if any(letter.isdigit() for letter in word):
        yield "digit"
    if "-" in word:
        yield "hyphen"
    if word.istitle():
        yield "title"
    if word.isupper():
        yield "upper"


def _of_neighbours(index: int, lowered: Sequence[str], shapes: Sequence[str]) -> Iterator[str]:
    for offset in _NEIGHBOURS:
        if 0 <= index + offset < len(lowered):
            yield f"{offset:+d}lower={lowered[index + offset]}"
            yield f"{offset:+d}shape={shapes[index + offset]}"
        else:
            yield f"{offset:+d}none"


def shape_of(word: str) -> str:
    """Return the kinds of letters, of which runs are cut to two: `Abcd123-x` becomes `Xxxdd-x`."""
    kinds = (
        "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        for letter in word
    )
    return re.sub(r"(.)\1+", r"\1\1", "".join(kinds), flags=re.DOTALL)
