"""Finding the systems that differ in steps or window alone."""

from slstm_allennlp.comparison.plan import System
from slstm_allennlp.comparison.sweeps import find_sweep
from tests.comparison.common import config


def slstm(**settings):
    return config(type="slstm", **settings)


def test_steps_for_each_window():
    systems = [
        System(f"w{window}t{steps}", slstm(num_steps=steps, window_size=window))
        for window in (1, 2)
        for steps in (9, 3, 5)
    ]
    sweep = find_sweep([*systems, System("lstm", config(type="lstm"))])
    assert sweep.key == "num_steps"
    assert sweep.lines == {
        "window_size=1": [(3, "w1t3"), (5, "w1t5"), (9, "w1t9")],
        "window_size=2": [(3, "w2t3"), (5, "w2t5"), (9, "w2t9")],
    }
    assert sweep.others == ["lstm"]
    assert sweep.line_of("w2t5") == "window_size=2" and sweep.line_of("lstm") == "lstm"


def test_defaults_count():
    """An S-LSTM that says nothing takes nine steps."""
    sweep = find_sweep([System("default", slstm()), System("short", slstm(num_steps=2))])
    assert sweep.lines == {"short to default": [(2, "short"), (9, "default")]}


def test_windows_without_steps():
    systems = [System("narrow", slstm(window_size=1)), System("wide", slstm(window_size=3))]
    sweep = find_sweep(systems)
    assert sweep.key == "window_size"
    assert sweep.lines == {"narrow to wide": [(1, "narrow"), (3, "wide")]}


def test_systems_that_differ_in_more_are_no_sweep():
    systems = [
        System("a", slstm(num_steps=1, hidden_size=2)),
        System("b", slstm(num_steps=2, hidden_size=3)),
    ]
    assert find_sweep(systems) is None
    assert find_sweep([System("a", config(type="lstm")), System("b", config(type="gru"))]) is None
