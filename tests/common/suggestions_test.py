import pytest

from slstm_allennlp.common.suggestions import did_you_mean, nearest


@pytest.mark.parametrize(
    "name, known, expected",
    [
        ("num_step", ["num_steps", "input_size"], "num_steps"),
        ("slsmt", ["lstm", "slstm", "gru"], "slstm"),
        ("xyz", ["lstm", "slstm"], None),
        (True, ["cas_lstm", 0.25], None),
        ("lstm", [], None),
    ],
)
def test_nearest(name, known, expected):
    assert nearest(name, known) == expected


def test_did_you_mean():
    assert did_you_mean("num_step", ["num_steps"]) == ", did you mean 'num_steps'?"
    assert did_you_mean("x", ["paper", True]) == ", expected one of 'paper', True"
    assert did_you_mean("étoile", ["e\u0301toile"]) == r", did you mean 'e\u0301toile'?"
    assert did_you_mean("e\u0301toile", ["étoile"]) == r", did you mean '\xe9toile'?"
