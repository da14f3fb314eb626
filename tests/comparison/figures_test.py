"""The data in the pictures. Whether they are readable is for a person to judge."""

import re
import warnings
import xml.etree.ElementTree
from collections import Counter
from contextlib import contextmanager

import pytest

from slstm_allennlp.comparison import figures
from slstm_allennlp.comparison.figures import OTHER
from slstm_allennlp.comparison.lines import Chart, Line, Scale


def texts(path):
    """Return the texts in an SVG."""
    tree = xml.etree.ElementTree.parse(path)
    return [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]


@pytest.fixture
def panels(monkeypatch):
    """The axes of all pictures that the test draws."""
    kept, drawing = [], figures.drawing

    @contextmanager
    def keeping(*arguments):
        with drawing(*arguments) as axes:
            kept.extend(axes.flat)
            yield axes

    monkeypatch.setattr(figures, "drawing", keeping)
    return kept


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
    labels, was_cut = figures.confused_labels(Counter(right + wrong))
    assert was_cut and len(labels) == 21 and labels[-1] == OTHER
    assert {"tag00", "tag27", "tag28", "tag29"} < set(labels)
    assert figures.confused_labels(Counter(right[:3])) == (["tag00", "tag01", "tag02"], False)
    assert not figures.confused_labels(Counter(right[:20]))[1]
    assert figures.confused_labels(Counter(right[:21]))[1]


def test_confusions_are_counted():
    """Each of 22 labels is confused twice, but one other pair ten times."""
    pairs = Counter((f"tag{number:02d}", f"tag{(number + 1) % 22:02d}") for number in range(22))
    labels, _ = figures.confused_labels(pairs + Counter({("tag28", "tag29"): 10}))
    assert labels == [*(f"tag{number:02d}" for number in range(18)), "tag28", "tag29", OTHER]


def test_confusion(tmp_path):
    pairs = [("a", "a")] * 3 + [("a", "b")] + [("b", "b")]
    found = figures.confusions({"lstm": Counter(pairs)})["lstm"]
    assert found.numbers() == {
        "x": "predicted",
        "y": "gold",
        "labels": ["a", "b"],
        "counts": [[3, 1], [0, 1]],
    }
    assert not found.was_cut
    figures.confusion(tmp_path / "c.svg", "lstm", found)
    shown = texts(tmp_path / "c.svg")
    # The shares of each row (3 of 4, 1 of 4, none, all), and below them the counts.
    axes = {"predicted (% of row, count)", "gold", "lstm"}
    assert {"75", "25", "0", "100", "3", "1", *axes} <= set(shown)
    assert shown.count("1") == 2


def test_confusions_of_all_systems_have_the_same_labels():
    right = [(f"tag{number:02d}", f"tag{number:02d}") for number in range(30)]
    found = figures.confusions(
        {"lstm": Counter([*right, ("tag29", "tag28")]), "cnn": Counter([*right, ("tag27", "new")])}
    )
    labels = found["lstm"].labels
    assert labels == found["cnn"].labels and {"new", "tag27", "tag28", "tag29"} < set(labels)
    place = labels.index
    assert found["lstm"].counts[place("tag29"), place("tag28")] == 1
    assert found["cnn"].counts[place("tag29")].sum() == 1  # the right prediction
    assert found["cnn"].counts[place("tag27"), place("new")] == 1
    assert all(one.was_cut for one in found.values())


def test_long_labels_are_shortened():
    long = ["request_refund_not_showing_up_in_account", "card_payment_wrong_exchange_rate_applied"]
    assert figures.short_labels([*long, "other"]) == [
        "request_re…n_account",
        "card_payme…e_applied",
        "other",
    ]
    alike = [f"card_payment_{middle}_rate_applied" for middle in ("wrong_exchange", "right_exchange")]
    assert figures.short_labels(alike) == ["1. card_payme…e_applied", "2. card_payme…e_applied"]


def test_long_labels_leave_room_for_the_matrix(tmp_path):
    labels = ["request_refund_not_showing_up_in_account", "card_payment_wrong_exchange_rate_applied"]
    found = figures.confusions({"lstm": Counter((label, label) for label in labels)})["lstm"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Matplotlib warns if there is no room for the axes
        figures.confusion(tmp_path / "c.svg", "lstm", found)
    assert figures.short_labels(labels)[0] in texts(tmp_path / "c.svg")
    assert found.numbers()["labels"] == sorted(labels)


def test_letters_that_the_font_lacks_stay_text(tmp_path):
    found = figures.confusions({"lstm": Counter({("正面", "正面"): 2, ("负面", "正面"): 1})})["lstm"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures.confusion(tmp_path / "c.svg", "lstm", found)
    svg = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert re.search("<text[^>]*>正面</text>", svg) and re.search("<text[^>]*>负面</text>", svg)


def test_names_of_any_letters(tmp_path):
    names = ["影评", "a$b{$c", "lstm"]
    for number in (2, 7):
        systems = {name: Line([1, 2], [[0.5], [0.6]]) for name in [*names, *many(number)]}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figures.chart(tmp_path / "l.svg", Chart({Scale("accuracy"): systems}, "words", "影评"))
        assert "影评</text>" in (tmp_path / "l.svg").read_text(encoding="utf-8")


def test_long_names_are_in_lines(tmp_path):
    name = "mr_slstm,patient,num_steps=3,window_size=2,layer_norm=True"
    systems = {**many(7), name: Line([1, 2], [[0.5], [0.5]])}
    figures.chart(tmp_path / "l.svg", Chart({Scale("accuracy"): systems}, "words", name))
    shown = texts(tmp_path / "l.svg")
    assert {"mr_slstm, patient, num_steps=3,", "window_size=2, layer_norm=True"} <= set(shown)


def test_confusions_of_many_labels_are_shades(tmp_path):
    found = figures.confusions({"lstm": Counter((str(number), str(number)) for number in range(13))})[
        "lstm"
    ]
    figures.confusion(tmp_path / "c.svg", "lstm", found)
    shown = texts(tmp_path / "c.svg")
    assert {"share of the row (%)", "predicted"} <= set(shown)
    assert shown.count("100") == 1  # on the colour bar


def test_confusions_of_twelve_labels_have_their_numbers(tmp_path):
    pairs = Counter((str(number), str(number)) for number in range(12))
    figures.confusion(tmp_path / "c.svg", "lstm", figures.confusions({"lstm": pairs})["lstm"])
    shown = texts(tmp_path / "c.svg")
    assert "predicted (% of row, count)" in shown and shown.count("100") == 12


def test_up_to_six_lines_are_in_one_panel(tmp_path):
    score, loss = Scale("accuracy (%)", 100), Scale("loss")
    panels = {
        score: {"lstm": Line([1, 2], [[0.5, 0.6], [0.7, 0.7]]), "cnn": Line(None, [[0.6]])},
        # The seeds stop after different epochs.
        loss: {"lstm": Line.over_epochs([[3.0, 2.0, 1.0], [2.0]])},
    }
    assert not figures.chart(tmp_path / "l.svg", Chart(panels, "words", "lstm"))
    found = texts(tmp_path / "l.svg")
    assert {"words", "accuracy (%)", "loss", "lstm", "cnn"} <= set(found)
    assert found.count("words") == 2


def many(number):
    return {f"system{count}": Line([1, 2], [[0.5], [0.1 * count]]) for count in range(number)}


def test_more_have_a_panel_each_over_the_baseline(tmp_path):
    panels = {Scale("accuracy"): many(7), Scale("loss"): many(7)}
    assert figures.chart(tmp_path / "l.svg", Chart(panels, "words", "system3"))
    found = texts(tmp_path / "l.svg")
    assert (
        all(found.count(name) == 2 for name in many(7)) and found.count("in every panel: system3") == 1
    )
    # Labels only below columns and beside rows. Each quantity has a row of four panels and one of three.
    assert (found.count("words"), found.count("accuracy"), found.count("loss")) == (8, 2, 2)


def test_small_panels_have_the_same_axes_and_the_baseline(tmp_path, panels):
    chart = Chart({Scale("accuracy (%)", 100): many(7)}, "words", "system3")
    figures.chart(tmp_path / "l.svg", chart)
    assert len({panel.get_ylim() for panel in panels[:7]}) == 1
    for number, panel in enumerate(panels[:7]):
        beneath, above = (line.get_ydata().tolist() for line in panel.lines[:2])
        assert beneath == pytest.approx([50, 30]) and above == pytest.approx([50, 10 * number])


def test_a_system_looks_the_same_in_every_panel(tmp_path, panels):
    curves = {name: Line.over_epochs([[2.0, 1.0]]) for name in ("lstm", "cnn")}
    figures.chart(tmp_path / "l.svg", Chart({Scale("a"): curves, Scale("b"): curves}, "epoch", "lstm"))
    first, second = (
        [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in panel.lines]
        for panel in panels
    )
    assert first == second and len(set(first)) == 2


@pytest.mark.parametrize("from_zero", (True, False))
def test_axes_from_zero(tmp_path, panels, from_zero):
    lines = {"lstm": Line([1, 2], [[5.0], [6.0]])}
    figures.chart(tmp_path / "l.svg", Chart({Scale("ms"): lines}, "words", "", from_zero=from_zero))
    assert (panels[0].get_ylim()[0] == 0) == from_zero


def test_panels_without_a_baseline(tmp_path):
    assert figures.chart(tmp_path / "l.svg", Chart({Scale("accuracy"): many(7)}, "words", "none"))
    assert not [text for text in texts(tmp_path / "l.svg") if "every panel" in text]


@pytest.mark.parametrize("number", (2, 7))
def test_ticks_are_whole_numbers(tmp_path, number):
    panels = {Scale("accuracy"): {name: Line([1, 3], [[70.0], [70.0]]) for name in many(number)}}
    figures.chart(tmp_path / "given.svg", Chart(panels, "steps", "", ticks=[1, 3]))
    found = texts(tmp_path / "given.svg")
    assert {"1", "3"} <= set(found) and "2" not in found
    figures.chart(tmp_path / "free.svg", Chart(panels, "steps", ""))
    assert {"1", "2", "3"} <= set(texts(tmp_path / "free.svg"))
    assert not {"1.5", "2.5"} & set(texts(tmp_path / "free.svg"))


def test_the_same_picture_twice(tmp_path):
    chart = Chart({Scale("x"): {"a": Line([1, 2], [[1.0], [2.0]])}}, "y", "a")
    for name in ("a.svg", "b.svg"):
        figures.chart(tmp_path / name, chart)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_systems_differ_without_colour():
    styles = figures._STYLES
    assert len({style["marker"] for style in styles}) == len(styles)
    # A level has no marker.
    assert len({style["linestyle"] for style in styles}) == len(styles)
