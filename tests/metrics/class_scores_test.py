import pytest

from slstm_allennlp.metrics.class_scores import class_scores

# Half of what was predicted as N is N, and that is all that is N.
WORDS = [(["N", "V"], ["N", "N"]), (["V"], ["V"])]
# One of two people is found, and a place is taken for an organisation.
PERSON = ["B-PER", "I-PER"]
NAMES = [([*PERSON, "O", "B-LOC"], [*PERSON, "O", "B-ORG"]), (PERSON, ["B-PER", "O"])]
CLASSES = [("b", "b"), ("a", "a"), ("b", "a")]


@pytest.mark.parametrize(
    "pairs, encoding, expected",
    [
        (CLASSES, None, [("b", 1, 1 / 2, 2 / 3, 2), ("a", 1 / 2, 1, 2 / 3, 1)]),
        ([("a", "c")], None, [("a", 0, 0, 0, 1), ("c", 0, 0, 0, 0)]),
        (WORDS, None, [("V", 1, 1 / 2, 2 / 3, 2), ("N", 1 / 2, 1, 2 / 3, 1)]),
        (NAMES, "BIO", [("PER", 1 / 2, 1 / 2, 1 / 2, 2), ("LOC", 0, 0, 0, 1), ("ORG", 0, 0, 0, 0)]),
    ],
    ids=["classes", "a class that is never gold", "tags", "entities"],
)
def test_the_scores_of_each_class(pairs, encoding, expected):
    found = class_scores(pairs, encoding)
    assert [score.name for score in found] == [name for name, *_ in expected]
    for score, (_, *numbers) in zip(found, expected):
        assert list(score[1:]) == pytest.approx(numbers)
