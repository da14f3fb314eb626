from typing import Any, Dict, List

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import pad_sequence_to_length
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers.token_indexer import IndexedTokenList

_SEPARATOR = b"\xff"  # between two words; this byte does not occur in UTF-8
_OFFSET = 2  # the index of byte 0; 0 is padding and 1 the unknown token
NAMESPACE = "utf8"


@TokenIndexer.register("utf8")
class Utf8Indexer(TokenIndexer):
    """
    Index the words of a text as UTF-8 bytes. So the model gets every word exactly, independent of the
    vocabulary. `words_of` decodes them.

    The tensors are `token_ids`, *Shape:* (batch_size, num_bytes), each byte plus 2, with the byte 0xFF
    between two words and 0 as padding, and `mask`, *Shape:* (batch_size, num_words). In the vocabulary's
    namespace `utf8`, each byte is a token, for models whose output contains the tokens of their input.
    `ConfigurationError` for a token without text.

    # Parameters

    token_min_padding_length : `int`, optional (default = `0`)
    """

    def count_vocab_items(self, token: Token, counter: Dict[str, Dict[str, int]]) -> None:
        """Count nothing: all bytes are known."""

    def tokens_to_indices(self, tokens: List[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        if vocabulary.get_vocab_size(NAMESPACE) <= _OFFSET:
            for byte in range(256):
                vocabulary.add_token_to_namespace(f"{byte:02x}", NAMESPACE)
        text = _SEPARATOR.join(_bytes_of(token) for token in tokens)
        return {"token_ids": [byte + _OFFSET for byte in text], "mask": [True] * len(tokens)}

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"token_ids": [], "mask": []}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: Dict[str, int]
    ) -> Dict[str, torch.Tensor]:
        # The base class returns an empty mask as integers, which cannot be batched with Booleans.
        ids = pad_sequence_to_length(tokens["token_ids"], padding_lengths["token_ids"])
        mask = pad_sequence_to_length(tokens["mask"], padding_lengths["mask"], lambda: False)
        return {"token_ids": torch.LongTensor(ids), "mask": torch.BoolTensor(mask)}


def words_of(tensors: Dict[str, torch.Tensor]) -> List[List[str]]:
    """Decode the words of each text of a batch from the `token_ids` and `mask` of the indexer `utf8`."""
    numbers = tensors["mask"].sum(dim=1).tolist()
    rows = tensors["token_ids"].cpu().numpy()
    return [_words(row, number) for row, number in zip(rows, numbers)]


def _words(row: Any, number: int) -> List[str]:
    """Decode one text with this number of words, some of which may be empty."""
    text = (row[row > 0] - _OFFSET).astype(numpy.uint8).tobytes()
    words = text.split(_SEPARATOR) if number else []
    return [word.decode("utf-8", errors="surrogatepass") for word in words]


def _bytes_of(token: Token) -> bytes:
    if token.text is None:
        raise ConfigurationError("utf8: a token has no text, expected a tokenizer that keeps it")
    return token.text.encode("utf-8", errors="surrogatepass")
