import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import Tokenizer


def tokenizer(**params):
    return Tokenizer.from_params(Params({"type": "spacy_blank", **params}))


def texts(text, **params):
    return [token.text for token in tokenizer(**params).tokenize(text)]


def test_splits_by_the_rules_of_the_language():
    assert texts("Don't  stop, U.K.!") == ["Do", "n't", "stop", ",", "U.K.", "!"]
    assert texts("l'ami", language="fr") == ["l'", "ami"]
    assert tokenizer().tokenize(" \n ") == []
    text = "  Café, été."
    tokens = tokenizer(language="xx").tokenize(text)
    assert [text[token.idx : token.idx_end] for token in tokens] == [token.text for token in tokens]
    with pytest.raises(ConfigurationError, match="language is 'qq', expected a code that spaCy has"):
        tokenizer(language="qq")


def test_contractions_and_hyphens_stay_whole():
    text = "It's a well-made film -- I cannot say I'd've seen 'em; the dogs' day, y'all."
    whole = "It's a well - made film -- I cannot say I'd've seen 'em ; the dogs ' day , y'all ."
    assert texts(text, split_contractions=False) == whole.split()
    assert texts(text, split_hyphens=False)[:5] == ["It", "'s", "a", "well-made", "film"]
    split = tokenizer(split_contractions=False, split_hyphens=False).tokenize(text)
    assert [token.text for token in split][:5] == ["It's", "a", "well-made", "film", "--"]
    assert all(text[token.idx : token.idx_end] == token.text for token in split)
    assert texts("A film--but long", split_hyphens=False) == ["A", "film", "--", "but", "long"]
    chinese = tokenizer(language="zh", split_contractions=False, split_hyphens=False)
    assert len(chinese.tokenize("我喜欢这部电影")) > 1
