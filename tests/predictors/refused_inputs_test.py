"""Inputs that are not those of a predictor."""

import pytest


@pytest.mark.parametrize(
    "name, json_dict, message",
    [
        ("tagger", {"title": "a"}, 'is {"title": "a"}, expected {"sentence": "raw text"} or {"words"'),
        ("tagger", {"sentence": "a", "words": ["a"]}, "expected {"),
        ("tagger", ["a"], "expected {"),
        ("tagger", {"sentence": 3}, "sentence is 3, expected"),
        ("tagger", {"words": "a b"}, "words is 'a b', expected a list of words"),
        ("tagger", {"words": ["a", " "]}, "expected a list of words, none of them empty"),
        (
            "tagger",
            {"words": ["It", "rains"], "tags": ["PRP"]},
            "there are 1 tags for 2 words, expected",
        ),
        ("classifier", {}, r"the input is \{\}, expected"),
        ("classifier", {"sentence": 3}, "sentence is 3, expected"),
        ("classifier", {"words": "text"}, "words is 'text', expected a list of words"),
        ("classifier", {"sentence": "a", "words": ["a"]}, "the input is"),
        ("pairs", {"premise": "A dog"}, r'the input is \{"premise": "A dog"\}, expected'),
        ("pairs", ["a", "b"], 'input is .*, expected {"premise": "raw text", "hypothesis": "raw text"}'),
        ("pairs", {"premise": ["A", "dog"], "hypothesis": "a"}, r"premise is \['A', 'dog'\], expected"),
    ],
)
def test_input_of_another_form(predictors, name, json_dict, message):
    with pytest.raises(ValueError, match=message):
        predictors[name].predict_json(json_dict)


@pytest.mark.parametrize(
    "name, line, message",
    [
        ("tagger", "The dog.\n", r"'The dog\.' is not JSON .* expected {\"sentence\""),
        ("tagger", '{"sentence": \n', r"is not JSON \(Expecting value at character 13\)"),
        ("classifier", "a film\n", r"'a film' is not JSON .*, expected"),
        ("pairs", "A dog\n", r"'A dog' is not JSON .* expected .*premise"),
    ],
)
def test_a_line_that_is_no_json(predictors, name, line, message):
    with pytest.raises(ValueError, match=message):
        predictors[name].load_line(line)
