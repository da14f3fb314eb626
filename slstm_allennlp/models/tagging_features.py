"""What a linear tagger looks at: the usual features of a word and its neighbours."""

from typing import Iterator, List, Sequence

_AFFIXES = (1, 2, 3)
_NEIGHBOURS = (-2, -1, 1, 2)


def features_of(words: Sequence[str]) -> List[List[bytes]]:
    """
    The features of each word of a sentence: the word, in lower case, too; its first and last one to
    three letters; its shape; whether it has a digit or a hyphen, a capital first or nothing but
    capitals; and the two words on each side, in lower case, with their shapes.

    # Returns

    `List[List[bytes]]`
        In UTF-8, half surrogates included.
    """
    lowered, shapes = [word.lower() for word in words], [shape_of(word) for word in words]
    return [
        [feature.encode("utf-8", errors="surrogatepass") for feature in of_word]
        for of_word in (
            [*_own(word, low, shape), *_of_neighbours(place, lowered, shapes)]
            for place, (word, low, shape) in enumerate(zip(words, lowered, shapes))
        )
    ]


def _own(word: str, low: str, shape: str) -> Iterator[str]:
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


def _of_neighbours(place: int, lowered: Sequence[str], shapes: Sequence[str]) -> Iterator[str]:
    for offset in _NEIGHBOURS:
        if 0 <= place + offset < len(lowered):
            yield f"{offset:+d}lower={lowered[place + offset]}"
            yield f"{offset:+d}shape={shapes[place + offset]}"
        else:
            yield f"{offset:+d}none"


def shape_of(word: str) -> str:
    """
    Capitals as X, other letters with a case as x, digits as d, the rest as it is, and no more than two
    alike in a row: `Xxxdd-x` for `Abcd123-x`.
    """
    shape = ""
    for letter in word:
        kind = (
            "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        )
        if not shape.endswith(2 * kind):
            shape += kind
    return shape
