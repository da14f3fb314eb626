import logging

import pytest


def test_escapes_stay_and_no_break_spaces_part(read):
    """As in AllenNLP's reader. Blank lines are skipped."""
    text = "(3 (2 9\u00a01\\/2) (2 w\\*\\*s))\n\n \n( 4\t(2 a)(2 b) )\r\n"
    assert read("sst_tokens", text) == [("9 1\\/2 w\\*\\*s", "3"), ("a b", "4")]


TREES = "(3 (2 the) (3 (3 good) (2 film)))\n(2 (2 a) (2 film))\n(1 dull)\n"


@pytest.mark.parametrize(
    "use_subtrees, kept, message",
    [(False, 2, "1 of 3 sentences are neutral"), (True, 4, "5 of 9 phrases are neutral")],
)
def test_what_two_classes_leave_out_is_counted(read, caplog, use_subtrees, kept, message):
    caplog.set_level(logging.INFO)
    assert len(read("sst_tokens", TREES, granularity="2-class", use_subtrees=use_subtrees)) == kept
    assert f"corpus: {message} and were left out for 2-class" in caplog.text
    caplog.clear()
    assert len(read("sst_tokens", TREES, granularity="3-class", use_subtrees=use_subtrees)) > kept
    assert "left out" not in caplog.text
