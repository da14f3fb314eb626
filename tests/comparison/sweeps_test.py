"""Find the systems that differ only in the number of steps or the window size."""

import pytest

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
    # Systems that differ in more are no sweep.
    sizes = [System(f"t{n}", slstm(num_steps=n, hidden_size=n)) for n in (1, 2)]
    kinds = [System(kind, config(type=kind)) for kind in ("lstm", "gru")]
    twins = [System(name, slstm()) for name in ("a", "b")]
    assert find_sweep(sizes) is find_sweep(kinds) is find_sweep(twins) is None


SIZES = (("a", 1), ("b", "1"))


@pytest.mark.parametrize(
    "systems, key, lines",
    [
        # The defaults of num_steps and window_size are 9 and 1.
        ({"a": {}, "b": {"num_steps": 2}}, "num_steps", {"b to a": [(2, "b"), (9, "a")]}),
        ({"a": {}, "b": {"window_size": 3}}, "window_size", {"a to b": [(1, "a"), (3, "b")]}),
        # The sizes 1 and "1" have the same label, so the lines have the names of their ends.
        (
            {f"{name}{n}": {"num_steps": n, "size": size} for name, size in SIZES for n in (2, 3)},
            "num_steps",
            {"a2 to a3": [(2, "a2"), (3, "a3")], "b2 to b3": [(2, "b2"), (3, "b3")]},
        ),
    ],
)
def test_names_of_lines(systems, key, lines):
    sweep = find_sweep([System(name, slstm(**settings)) for name, settings in systems.items()])
    assert (sweep.key, sweep.lines) == (key, lines)


@pytest.mark.parametrize("values", ([100, 200], [[1, 2], [1]]))
def test_num_steps_outside_an_slstm_are_no_sweep(values):
    def scheduled(number, **encoder):
        trainer = {"scheduler": {"type": "warmup", "num_steps": number}}
        return {**config(**encoder), "trainer": trainer}

    lstms = [System(f"lstm{n}", scheduled(value, type="lstm")) for n, value in enumerate(values)]
    assert find_sweep(lstms) is None
    steps = [System(f"t{n}", scheduled(values[0], type="slstm", num_steps=n)) for n in (1, 2)]
    assert find_sweep([*lstms, *steps]).lines == {"t1 to t2": [(1, "t1"), (2, "t2")]}
    # A system that differs in both is on no line.
    assert find_sweep([steps[0], System("t2", scheduled(values[1], type="slstm", num_steps=2))]) is None


def test_slstms_in_a_list():
    def listed(**settings):
        encoders = [{"type": "boe"}, {"type": "slstm", **settings}]
        return {"model": {"encoders": encoders, "sizes": [1, settings["window_size"]]}}

    systems = [
        System(f"w{window}t{steps}", listed(window_size=window, num_steps=steps))
        for window in (2, 3)
        for steps in (3, 5)
    ]
    sweep = find_sweep([*systems, System("default", listed(window_size=2))])
    assert sweep.lines == {
        "window_size=2, sizes=[1, 2]": [(3, "w2t3"), (5, "w2t5"), (9, "default")],
        "window_size=3, sizes=[1, 3]": [(3, "w3t3"), (5, "w3t5")],
    }
