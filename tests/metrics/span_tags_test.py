"""Entities and their F1 agree with the CoNLL script. The oracle is a re-implementation of its rules."""

import itertools

import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.data.dataset_readers.dataset_utils.span_utils import bioul_tags_to_spans

from slstm_allennlp.metrics.span_tags import bioul_spans, missing_tags, span_f1, spans_of


def conlleval(tags):
    """Return the chunks of BIO tags, by the script's startOfChunk and endOfChunk."""
    chunks, start = [], None
    previous, previous_type = "O", ""
    for index, tag in enumerate([*tags, "O"]):
        letter, _, kind = tag.partition("-")
        inside = previous != "O"
        ends = inside and (letter in ("B", "O") or kind != previous_type)
        starts = letter != "O" and (letter == "B" or not inside or kind != previous_type)
        if ends:
            chunks.append((previous_type, (start, index - 1)))
        if starts:
            start = index
        previous, previous_type = letter, kind
    return chunks


def as_bio(tags):
    """Replace U by B and L by I: the script does not know U and L."""
    return [{"U": "B", "L": "I"}.get(tag[0], tag[0]) + tag[1:] for tag in tags]


TAGS = ["O", *(f"{letter}-{kind}" for letter in "BIUL" for kind in ("PER", "LOC"))]


def is_legal(tags):
    """Return whether each B or I, and nothing else, is followed by an I or L of its type."""
    opened = None
    for tag in [*tags, "O"]:
        letter, _, kind = tag.partition("-")
        if (letter in ("I", "L")) != (opened is not None) or opened not in (None, kind):
            return False
        opened = kind if letter in ("B", "I") else None
    return True


def test_every_sequence_of_four_tags():
    for tags in itertools.product(TAGS, repeat=4):
        spans = bioul_spans(list(tags))
        assert spans == conlleval(as_bio(tags))
        if is_legal(tags):
            assert spans == bioul_tags_to_spans(list(tags))


def test_ignored_types_and_other_encodings():
    assert bioul_spans(["U-PER", "U-LOC"], ["PER"]) == [("LOC", (1, 1))]
    assert spans_of(["I-PER", "I-PER", "B-PER"], "IOB1") == [("PER", (0, 1)), ("PER", (2, 2))]
    assert spans_of(["B-PER", "I-PER"], "BIO") == [("PER", (0, 1))]
    for encoding in ("BIO", "IOB1"):  # AllenNLP's have no order
        starts = [start for _, (start, _) in spans_of(["B-PER", "O", "I-LOC"] * 9, encoding)]
        assert starts == sorted(starts) and len(starts) == 18
    assert spans_of(["S-PER", "B-LOC", "E-LOC"], "BMES") == [("PER", (0, 0)), ("LOC", (1, 2))]


def test_the_missing_tags_of_each_type():
    assert (
        missing_tags(["O", "B-PER", "L-PER", "U-LOC"], "BIOUL")
        == "I-PER U-PER B-LOC I-LOC L-LOC".split()
    )
    assert missing_tags(["B-PER", "I-PER", "NN", "INTJ", "X-Y"], "BIO") == []
    assert missing_tags(["S-A"], "BMES") == ["B-A", "M-A", "E-A"]


@pytest.mark.parametrize(
    "gold, predicted, precision, recall",
    [
        ("U-PER O B-LOC L-LOC", "U-PER O B-LOC L-LOC", 1, 1),
        ("U-PER O B-LOC L-LOC", "U-LOC O B-LOC L-LOC", 1 / 2, 1 / 2),  # wrong type
        ("B-LOC I-LOC L-LOC O", "B-LOC L-LOC O O", 0, 0),  # wrong length
        ("U-PER O O O", "U-PER U-PER U-LOC O", 1 / 3, 1),
        ("U-PER U-LOC O O", "U-PER O O O", 1, 1 / 2),
        # Invalid tag sequences, for which AllenNLP's own function raises an error.
        ("B-LOC L-LOC O U-PER", "I-LOC L-LOC O B-PER", 1, 1),
        ("B-LOC L-LOC O U-PER", "B-LOC L-PER O L-PER", 1 / 3, 1 / 2),
        ("O O O O", "I-LOC O O O", 0, 0),
    ],
)
def test_span_f1_is_the_scripts(gold, predicted, precision, recall):
    vocabulary = Vocabulary(non_padded_namespaces=["labels"], tokens_to_add={"labels": TAGS})
    metric = span_f1(vocabulary, "labels", "BIOUL")
    ids = [[vocabulary.get_token_index(tag, "labels") for tag in t.split()] for t in (gold, predicted)]
    logits = torch.nn.functional.one_hot(torch.tensor([ids[1]]), len(TAGS)).float()
    metric(logits, torch.tensor([ids[0]]))
    result = metric.get_metric()
    assert result["precision-overall"] == pytest.approx(precision)
    assert result["recall-overall"] == pytest.approx(recall)
    chunks = [set(conlleval(as_bio(t.split()))) for t in (gold, predicted)]
    f1 = 2 * len(chunks[0] & chunks[1]) / max(1, len(chunks[0]) + len(chunks[1]))
    assert result["f1-measure-overall"] == pytest.approx(f1)
