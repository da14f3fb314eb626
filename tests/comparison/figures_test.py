"""The pictures' data; that they can be read is for a person to see."""

import xml.etree.ElementTree

import numpy
import pytest

from slstm_allennlp.comparison import figures
from slstm_allennlp.comparison.figures import OTHER, Points, Scale


def texts(path):
    """Matplotlib notes in the SVG, as comments, what it draws as shapes."""
    parser = xml.etree.ElementTree.XMLParser(
        target=xml.etree.ElementTree.TreeBuilder(insert_comments=True)
    )
    tree = xml.etree.ElementTree.parse(path, parser)
    return [
        element.text.strip() for element in tree.iter() if element.tag is xml.etree.ElementTree.Comment
    ]


def test_groups_keep_sentences_of_one_length_together():
    lengths = [5, 1, 2, 2, 3, 2, 4, 1]
    groups = figures.groups_by_length(lengths, most=4, least=2)
    assert [[lengths[number] for number in group] for group in groups] == [[1, 1], [2, 2, 2, 3], [4, 5]]
    assert sorted(number for group in groups for number in group) == list(range(8))


@pytest.mark.parametrize("number, groups", [(10, 1), (60, 2), (1000, 10)])
def test_groups_are_not_small(number, groups):
    found = figures.groups_by_length(list(range(number)))
    assert len(found) == groups and max(map(len, found)) - min(map(len, found)) <= 1


def test_sentences_of_one_length_are_one_group():
    assert [len(group) for group in figures.groups_by_length([7] * 100)] == [100]


def test_the_labels_with_most_confusions():
    right = [(f"tag{number:02d}", f"tag{number:02d}") for number in range(30)]
    wrong = [("tag29", "tag28"), ("tag27", "tag00")]
    labels, was_cut = figures.confused_labels(right + wrong)
    assert was_cut and len(labels) == 21 and labels[-1] == OTHER
    assert {"tag00", "tag27", "tag28", "tag29"} < set(labels)
    assert figures.confused_labels(right[:3]) == (["tag00", "tag01", "tag02"], False)


def test_confusion(tmp_path):
    pairs = [("a", "a")] * 3 + [("a", "b")] + [("b", "b")]
    assert not figures.confusion(tmp_path / "c.svg", "lstm", pairs)
    shown = texts(tmp_path / "c.svg")
    # Shares of each row: three of four, one of four, none, all.
    assert {"75", "25", "0", "100", "predicted", "gold", "lstm"} <= set(shown)


def test_lines_and_curves(tmp_path):
    scale = Scale("accuracy (%)", 100)
    points = {"lstm": Points([1, 2], [[0.5, 0.6], [0.7, 0.7]])}
    figures.lines(tmp_path / "l.svg", {scale: points}, "words", levels={scale: {"cnn": [0.6]}})
    assert {"words", "accuracy (%)", "lstm", "cnn"} <= set(texts(tmp_path / "l.svg"))
    # The seeds stop after different epochs.
    curves = {scale: {"lstm": [[0.1, 0.2, 0.3], [0.2]]}, Scale("loss"): {"lstm": [[3.0, 2.0], [2.0]]}}
    figures.learning_curves(tmp_path / "c.svg", curves)
    assert {"epoch", "loss", "accuracy (%)"} <= set(texts(tmp_path / "c.svg"))


def test_the_same_picture_twice(tmp_path):
    for name in ("a.svg", "b.svg"):
        figures.lines(tmp_path / name, {Scale("x"): {"a": Points([1, 2], [[1.0], [2.0]])}}, "y")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_systems_differ_without_colour():
    styles = [style for style, _ in zip(figures._styles(), range(9))]
    assert len({(style["marker"], style["linestyle"]) for style in styles}) == 9
    assert numpy.unique([style["marker"] for style in styles]).size == 9
