import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.nn.util import get_text_field_mask

from slstm_allennlp.token_indexers import words_of

TEXTS = [
    ["The", "café", "日本", "😀"],
    [],
    ["", "a\x00b", ""],  # an empty word, and the character 0
    ["\ud800", "ÿ"],  # half of a surrogate pair, and U+00FF
    [""],
]


def indexer(**params):
    return TokenIndexer.from_params(Params({"type": "utf8", **params}))


def batch_of(texts, **params):
    fields = [TextField(list(map(Token, words)), {"words": indexer(**params)}) for words in texts]
    batch = Batch([Instance({"tokens": field}) for field in fields])
    batch.index_instances(Vocabulary())
    return batch.as_tensor_dict()["tokens"]


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[1:2], TEXTS[:1]], ids=["all", "an empty one", "one"])
@pytest.mark.parametrize("minimum", [0, 7])
def test_a_batch_has_the_words_as_they_were(texts, minimum):
    tensors = batch_of(texts, token_min_padding_length=minimum)
    assert words_of(tensors["words"]) == texts
    mask = get_text_field_mask(tensors)
    assert mask.dtype == torch.bool
    assert mask.sum(dim=1).tolist() == [len(words) for words in texts]
    assert mask.shape[1] == max(minimum, *map(len, texts), 0)


def test_the_numbers_are_the_bytes_of_utf8():
    tensors = batch_of([["é", "a"], ["b"]])["words"]
    ids = tensors["token_ids"].tolist()
    assert ids == [[0xC3 + 2, 0xA9 + 2, 0xFF + 2, 0x61 + 2], [0x62 + 2, 0, 0, 0]]
    assert tensors["mask"].tolist() == [[True, True], [True, False]]


def test_the_vocabulary_has_the_bytes_and_no_words():
    field = TextField([Token("word")], {"words": indexer()})
    vocabulary = Vocabulary.from_instances([Instance({"tokens": field})])
    assert vocabulary.get_namespaces() == set()
    field.index(vocabulary)
    assert vocabulary.get_vocab_size("utf8") == 258
    assert vocabulary.get_token_from_index(0x61 + 2, "utf8") == "61"


def test_a_token_without_text_is_an_error():
    with pytest.raises(ConfigurationError, match="utf8: a token has no text"):
        batch_of([[None]])
