from slstm_allennlp.common.training_keys import differences


def test_configs_differ_by_dotted_keys():
    a, b = {"x": {"y": 1, "z": [1, 2]}, "u": None}, {"x": {"y": 2, "z": [1, 2]}}
    assert differences(a, b) == {"x.y": ["1", "2"], "u": ["null", "absent"]}
    assert differences({"x": {"type": "a"}}, {"x": "b"}) == {
        "x.type": ['"a"', "absent"],
        "x": ["absent", '"b"'],
    }
    assert differences({"x": True, "y": 1}, {"x": 1.0, "y": 1.0}) == {"x": ["true", "1.0"]}
    assert differences({"x": "评论"}, {}) == {"x": ['"评论"', "absent"]}
    assert differences({"x": {}}, {}) == {"x": ["{}", "absent"]} and differences(a, a) == {}
