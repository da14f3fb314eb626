"""The data in the pictures. Whether they are readable is for a person to judge."""

import xml.etree.ElementTree
from collections import Counter
from contextlib import contextmanager

import numpy
import pytest
from matplotlib.figure import Figure

from slstm_allennlp.comparison import figures
from slstm_allennlp.comparison.figures import OTHER, Chart, Line, Scale


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
    # They are not small.
    for lengths, count in ((range(10), 1), (range(60), 2), (range(1000), 10), ([7] * 100, 1)):
        sizes = [len(group) for group in figures.groups_by_length(list(lengths))]
        assert len(sizes) == count and max(sizes) - min(sizes) <= 1


TAGS = [f"tag{number:02d}" for number in range(30)]


def test_the_labels_with_most_confusions():
    """In the last case, each of 22 labels is confused twice, but one other pair ten times."""
    right = [(tag, tag) for tag in TAGS]
    wrong = [("tag29", "tag28"), ("tag27", "tag00")]
    labels = figures.confused_labels(Counter(right + wrong))
    assert len(labels) == 21 and labels[-1] == OTHER
    assert {"tag00", "tag27", "tag28", "tag29"} < set(labels)
    assert figures.confused_labels(Counter(right[:20])) == TAGS[:20]
    assert OTHER in figures.confused_labels(Counter(right[:21]))
    pairs = Counter(zip(TAGS[:22], TAGS[1:22] + TAGS[:1]))
    labels = figures.confused_labels(pairs + Counter({("tag28", "tag29"): 10}))
    assert labels == [*TAGS[:18], "tag28", "tag29", OTHER]
    # All systems have the same labels.
    right, wrong = [(tag, tag) for tag in TAGS], {"lstm": ("tag29", "tag28"), "cnn": ("tag27", "new")}
    found = figures.confusions({name: Counter([*right, pair]) for name, pair in wrong.items()})
    labels = found["lstm"].labels
    assert labels == found["cnn"].labels and {"new", "tag27", "tag28", "tag29"} < set(labels)
    place = labels.index
    assert found["lstm"].counts[place("tag29"), place("tag28")] == 1
    assert found["cnn"].counts[place("tag29")].sum() == 1  # the right prediction
    assert found["cnn"].counts[place("tag27"), place("new")] == 1


def test_confusion(tmp_path):
    found, shown = drawn(tmp_path, Counter([("a", "a")] * 3 + [("a", "b")] + [("b", "b")]))
    numbers = {"labels": ["a", "b"], "counts": [[3, 1], [0, 1]]}
    assert found.numbers() == {"x": "predicted", "y": "gold", **numbers}
    # The shares of each row (3 of 4, 1 of 4, none, all), and below them the counts.
    axes = {"predicted (% of row, count)", "gold", "lstm"}
    assert {"75", "25", "0", "100", "3", "1", *axes} <= set(shown)
    assert shown.count("1") == 2
    # Those of many labels are shades.
    pairs = [(str(label), str(label)) for label in range(13)]
    _, numbers = drawn(tmp_path, Counter(pairs[:12]))
    assert "predicted (% of row, count)" in numbers and numbers.count("100") == 12
    _, shades = drawn(tmp_path, Counter(pairs))
    assert "share of the row (%)" in shades and shades.count("100") == 1  # on the colour bar


def drawn(folder, pairs):
    found = figures.confusions({"lstm": pairs})["lstm"]
    figures.confusion(folder / "c.svg", "lstm", found)
    return found, texts(folder / "c.svg")


@pytest.mark.filterwarnings("error")  # Matplotlib warns if there is no room for the axes
@pytest.mark.parametrize(
    "label, lines",
    [
        ("request_refund_not_showing_up_in_account", ["request_refund_not_s", "howing_up_in_account"]),
        ("正面", ["正面"]),  # letters that the font lacks stay text
    ],
)
def test_labels_of_any_length_and_letters(tmp_path, label, lines):
    found, shown = drawn(tmp_path, Counter({(label, label): 1, ("a", "a"): 1}))
    assert found.labels == ["a", label] and set(lines) <= set(shown)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", (2, 7))
def test_names_of_any_length_and_letters(tmp_path, number):
    """Long names are in lines of their own."""
    name = "mr_slstm,patient,num_steps=3,window_size=2,layer_norm=True"
    names = ["影评", "a$b{$c", *many(number), *[name][: number - 2]]
    systems = {name: Line([1, 2], [[0.5], [0.6]]) for name in names}
    figures.chart(tmp_path / "l.svg", Chart({Scale("accuracy"): systems}, "words", "影评"))
    svg = (tmp_path / "l.svg").read_text(encoding="utf-8")
    lines = ["mr_slstm, patient, num_steps=3,", "window_size=2, layer_norm=True"]
    assert all(f"{line}</text>" in svg for line in ["影评", *lines[: number - 2]])


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


def test_more_have_a_panel_each_over_the_baseline(tmp_path, panels):
    lines = {Scale("accuracy", 100): many(7), Scale("loss"): many(7)}
    assert figures.chart(tmp_path / "l.svg", Chart(lines, "words", "system3"))
    found = texts(tmp_path / "l.svg")
    assert all(found.count(name) == 2 for name in many(7))
    assert found.count("in every panel: system3") == 1
    # Labels only below columns and beside rows. Each quantity has a row of four panels and one of three.
    assert (found.count("words"), found.count("accuracy"), found.count("loss")) == (8, 2, 2)
    assert len({panel.get_ylim() for panel in panels[:7]}) == 1
    for number, panel in enumerate(panels[:7]):
        beneath, above = (line.get_ydata().tolist() for line in panel.lines[:2])
        assert beneath == pytest.approx([50, 30]) and above == pytest.approx([50, 10 * number])
    assert figures.chart(tmp_path / "none.svg", Chart(lines, "words", "none"))  # without a baseline
    assert not [text for text in texts(tmp_path / "none.svg") if "every panel" in text]


def test_a_system_looks_the_same_in_every_panel(tmp_path, panels):
    """In the same file each time, and systems differ without colour. A level has no marker."""
    curves = {name: Line.over_epochs([[2.0, 1.0]]) for name in ("lstm", "cnn")}
    for name in ("a.svg", "b.svg"):
        figures.chart(tmp_path / name, Chart({Scale("a"): curves, Scale("b"): curves}, "epoch", "lstm"))
    first, second, *_ = (
        [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in panel.lines]
        for panel in panels
    )
    assert first == second and len(set(first)) == 2
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    for key in ("marker", "linestyle"):
        assert len({style[key] for style in figures._STYLES}) == figures.MOST_TOGETHER


def test_axes_from_zero(tmp_path, panels):
    lines = {"lstm": Line([1, 2], [[5.0], [6.0]])}
    for from_zero in (True, False):
        figures.chart(tmp_path / "l.svg", Chart({Scale("ms"): lines}, "words", "", from_zero=from_zero))
    assert [panel.get_ylim()[0] == 0 for panel in panels] == [True, False]


@pytest.mark.parametrize("number", (2, 7))
@pytest.mark.parametrize("given, ticks", [([1, 3], {"1", "3"}), (None, {"1", "2", "3"})])
def test_ticks_are_whole_numbers(tmp_path, number, given, ticks):
    panels = {Scale("accuracy"): {name: Line([1, 3], [[70.0], [70.0]]) for name in many(number)}}
    figures.chart(tmp_path / "t.svg", Chart(panels, "steps", "", ticks=given))
    assert {"1", "1.5", "2", "2.5", "3"} & {*texts(tmp_path / "t.svg")} == ticks


@pytest.fixture
def draw():
    """Draw a line, and return the points of its mean and what is around them."""
    axis = Figure().subplots()

    def draw(line, factor=1, among=1):
        axis.clear()
        line.draw(axis, factor, {"color": "black", "marker": "o"}, among)
        mean, *caps = axis.get_lines()
        assert (mean.get_marker() == "None") == (line.xs is None)
        return mean.get_xydata().tolist(), [*caps, *axis.collections]

    return draw


def test_points_have_bars_and_a_level_goes_right_across(draw):
    mean, (*_, bars) = draw(Line([1, 3], [[0.25, 0.75], [0.5]]), factor=100)
    assert mean == [[1, 50], [3, 50]]
    sizes = [numpy.ptp(bar[:, 1]) for bar in bars.get_segments()]
    assert sizes == [pytest.approx(2 * 100 * numpy.std([0.25, 0.75], ddof=1)), 0]  # 0 for one seed
    mean, _ = draw(Line(None, [[0.5, 0.25]]), factor=100)
    assert mean == [[0, 37.5], [1, 37.5]]


def test_a_mean_goes_as_far_as_all_seeds(draw):
    curves = Line.over_epochs([[4.0, 2.0, 1.0, 9.0], [2.0, 1.0], [3.0, 3.0, 9.0]])
    mean, (shade,) = draw(curves, among=4)
    assert mean == [[1, 3], [2, 2]]
    corners = set(map(tuple, shade.get_paths()[0].vertices.tolist()))
    assert corners == {(1, 2), (1, 4), (2, 1), (2, 3)}
    mean, around = draw(curves, among=5)  # many curves have no shade
    assert mean == [[1, 3], [2, 2]] and not around
    mean, _ = draw(Line.over_epochs([[None, 2.0, None, 4.0]]))  # not every epoch was validated
    assert mean == [[2, 2], [4, 4]]
    # report_test.py has the numbers of other lines.
    values = [[4, 2, 3], [2, 1, 3], [1, None, 9], [9, None, None]]
    assert curves.numbers(1) == {"x": [1, 2, 3, 4], "values": values}


@pytest.mark.parametrize(
    "line", (Line([1, 2], [[1.0, 3.0], [4.0]]), Line.over_epochs([[2.0, 4.0]]), Line(None, [[2.0]]))
)
def test_an_outline_is_the_mean_alone(draw, line):
    mean, around = draw(line, among=0)
    assert mean[0][1] == 2 and not around
