"""The shortcut for plain JSON gives the same result as Jsonnet."""

import json

import _jsonnet
import pytest

from tests.conftest import ROOT
from tests.once import plain_json


@pytest.mark.parametrize(
    "text",
    (
        '{"b": 1.0, "a": [1, 2.5, -0.0, 1e-5, 1e3, true, null, {"d": "ä", "c": 0.1}]}',
        '{"seed": 4294967296, "many": 12345678901234567890}',
        '"text"',
        (ROOT / "fixtures" / "pos" / "raw.jsonl").read_text().splitlines()[0],
    ),
)
def test_json_is_what_jsonnet_makes_of_it(text):
    """The keys have the same order, and the same numbers are integers."""
    expected = json.loads(_jsonnet.evaluate_snippet("", text))
    assert repr(json.loads(plain_json(text))) == repr(expected)


@pytest.mark.parametrize(
    "text", ("{", "{a: 1}", '{"a": 1 + 1}', '{"a": NaN}', '{"a": 1, "a": 2}', "1e999")
)
def test_what_is_no_json_is_left_to_jsonnet(text):
    assert plain_json(text) is None
