import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data.tokenizers import Tokenizer


def tokenizer(**params):
    return Tokenizer.from_params(Params({"type": "spacy_blank", **params}))


def test_splits_by_the_rules_of_the_language():
    assert [token.text for token in tokenizer().tokenize("Don't  stop, U.K.!")] == [
        "Do", "n't", "stop", ",", "U.K.", "!"
    ]  # fmt: skip
    assert [token.text for token in tokenizer(language="fr").tokenize("l'ami")] == ["l'", "ami"]
    assert tokenizer().tokenize(" \n ") == []


def test_knows_where_tokens_stand():
    text = "  Café, été."
    tokens = tokenizer(language="xx").tokenize(text)
    assert [text[token.idx : token.idx_end] for token in tokens] == [token.text for token in tokens]


def test_language_without_rules():
    with pytest.raises(
        ConfigurationError, match="language is 'qq', expected a code that spaCy has rules"
    ):
        tokenizer(language="qq")


def test_params_round_trip():
    params = {"type": "spacy_blank", "language": "de", "split_contractions": False}
    assert tokenizer(**params).to_params().as_dict() == params
