from slstm_allennlp.linear.tagging_features import features_of, shape_of


def test_the_features_of_a_word_and_its_neighbours():
    first, second, third = (
        {feature.decode() for feature in of_word} for of_word in features_of(["In", "McKay-12", "b"])
    )
    own = {"bias", "word=McKay-12", "lower=mckay-12", "shape=XxXxx-dd", "digit", "hyphen"}
    affixes = {"prefix1=m", "prefix2=mc", "prefix3=mck", "suffix1=2", "suffix2=12", "suffix3=-12"}
    around = {"-2none", "-1lower=in", "-1shape=Xx", "+1lower=b", "+1shape=x", "+2none"}
    assert second == own | affixes | around
    assert {"title", "-1none", "+2lower=b"} <= first and "upper" not in first
    assert {"-2lower=in", "+1none", "prefix3=b", "suffix3=b"} <= third
    capitals, half = features_of(["USA", "\ud800"])  # half of a surrogate pair is a letter
    assert b"upper" in capitals and b"title" not in capitals and b"word=\xed\xa0\x80" in half


def test_shapes():
    words = {"": "", "a": "x", "Abc": "Xxx", "ABCd1234": "XXxdd", "...!": "..!", "日本語": "日本語"}
    assert {word: shape_of(word) for word in words} == words
