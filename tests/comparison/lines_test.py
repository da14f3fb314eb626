"""What each kind of line draws, and its numbers."""

import numpy
import pytest
from matplotlib.figure import Figure

from slstm_allennlp.comparison.figures import Chart, Line, Scale

STYLE = {"color": "black"}


@pytest.fixture
def axis():
    return Figure().subplots()


def drawn(axis):
    return [line.get_xydata().tolist() for line in axis.get_lines()]


def test_points_have_bars(axis):
    Line([1, 3], [[0.25, 0.75], [0.5]]).draw(axis, 100, STYLE, among=1)
    assert drawn(axis)[0] == [[1, 50], [3, 50]]
    bars = axis.collections[0].get_segments()
    assert numpy.ptp(bars[0][:, 1]) == pytest.approx(2 * 100 * numpy.std([0.25, 0.75], ddof=1))
    assert numpy.ptp(bars[1][:, 1]) == 0  # one seed


CURVES = Line.over_epochs([[4.0, 2.0, 1.0, 9.0], [2.0, 1.0], [3.0, 3.0, 9.0]])


def test_a_mean_goes_as_far_as_all_seeds(axis):
    CURVES.draw(axis, 1, STYLE, among=4)
    assert drawn(axis) == [[[1, 3], [2, 2]]]
    (shade,) = axis.collections
    corners = set(map(tuple, shade.get_paths()[0].vertices.tolist()))
    assert corners == {(1, 2), (1, 4), (2, 1), (2, 3)}
    shade.remove()
    CURVES.draw(axis, 1, STYLE, among=5)  # many curves have no shade
    assert drawn(axis) == [[[1, 3], [2, 2]]] * 2 and not axis.collections


def test_a_level_goes_right_across(axis):
    Line(None, [[0.5, 0.25]]).draw(axis, 100, {**STYLE, "marker": "o"}, among=1)
    (line,) = axis.get_lines()
    assert line.get_ydata() == [37.5, 37.5] and list(line.get_xdata()) == [0, 1]
    assert line.get_marker() == "None"


@pytest.mark.parametrize(
    "line", (Line([1, 2], [[1.0, 3.0], [4.0]]), Line.over_epochs([[2.0, 4.0]]), Line(None, [[2.0]]))
)
def test_an_outline_is_the_mean_alone(axis, line):
    line.draw(axis, 1, STYLE, among=0)
    (found,) = drawn(axis)
    assert found[0][1] == 2 and not axis.collections


def test_numbers():
    points = Line([1, 2], [[0.5, 0.25], [1.0]])
    assert points.numbers(100) == {"x": [1, 2], "values": [[50, 25], [100]]}
    assert CURVES.numbers(1) == {
        "x": [1, 2, 3, 4],
        "values": [[4, 2, 3], [2, 1, 3], [1, None, 9], [9, None, None]],
    }
    assert Line(None, [[0.5]]).numbers(100) == {"values": [50]}
    assert Line([], []).numbers(100) == {"x": [], "values": []}


def test_numbers_of_a_chart_are_in_its_units():
    chart = Chart(
        {Scale("accuracy (%)", 100): {"cnn": Line(None, [[0.5]])}, Scale("loss"): {}}, "epoch", "cnn"
    )
    accuracy = {"y": "accuracy (%)", "lines": {"cnn": {"values": [50]}}}
    assert chart.numbers() == {"x": "epoch", "panels": [accuracy, {"y": "loss", "lines": {}}]}
