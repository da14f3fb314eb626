from typing import Any, Dict, List

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import pad_sequence_to_length
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers.token_indexer import IndexedTokenList

_SEPARATOR = b"\xff"  # between two words: no text has this byte in UTF-8
_FIRST = 2  # the number of the first byte, after those of padding and of the unknown
NAMESPACE = "utf8"


@TokenIndexer.register("utf8")
class Utf8Indexer(TokenIndexer):
    """
    Gives a text's words as their bytes in UTF-8. The model gets every word as it was written, whatever
    the vocabulary has; `words_of` decodes them.

    Its tensors are `token_ids`, *Shape:* (batch_size, num_bytes), each byte plus 2, with the byte 0xFF
    between two words and 0 as padding, and `mask`, *Shape:* (batch_size, num_words). In the vocabulary's
    namespace `utf8`, each byte is a token, for the models that name their input.

    Registered as a `TokenIndexer` with name "utf8".

    # Parameters

    token_min_padding_length : `int`, optional (default = `0`)

    # Errors

    `ConfigurationError` for a token without text.
    """

    def count_vocab_items(self, token: Token, counter: Dict[str, Dict[str, int]]) -> None:
        """Counts nothing: all bytes are known."""

    def tokens_to_indices(self, tokens: List[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        if vocabulary.get_vocab_size(NAMESPACE) <= _FIRST:
            for byte in range(256):
                vocabulary.add_token_to_namespace(f"{byte:02x}", NAMESPACE)
        text = _SEPARATOR.join(_bytes_of(token) for token in tokens)
        return {"token_ids": [byte + _FIRST for byte in text], "mask": [True] * len(tokens)}

    def indices_to_tokens(self, indexed_tokens: IndexedTokenList, vocabulary: Vocabulary) -> List[Token]:
        words = _words(numpy.array(indexed_tokens["token_ids"]), sum(indexed_tokens["mask"]))
        return [Token(word) for word in words]

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"token_ids": [], "mask": []}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: Dict[str, int]
    ) -> Dict[str, torch.Tensor]:
        # The base class gives an empty mask as integers, which do not go into a batch with the others.
        ids = pad_sequence_to_length(tokens["token_ids"], padding_lengths["token_ids"])
        mask = pad_sequence_to_length(tokens["mask"], padding_lengths["mask"], lambda: False)
        return {"token_ids": torch.LongTensor(ids), "mask": torch.BoolTensor(mask)}


def words_of(tensors: Dict[str, torch.Tensor]) -> List[List[str]]:
    """
    Decodes a batch of the indexer `utf8`.

    # Parameters

    tensors : `Dict[str, torch.Tensor]`
        `token_ids` and `mask`, as the indexer gives them.

    # Returns

    `List[List[str]]`
        The words of each text.
    """
    numbers = tensors["mask"].sum(dim=1).tolist()
    rows = tensors["token_ids"].cpu().numpy()
    return [_words(row, number) for row, number in zip(rows, numbers)]


def _words(row: Any, number: int) -> List[str]:
    """Of one text with so many words, of which some may be empty."""
    text = (row[row > 0] - _FIRST).astype(numpy.uint8).tobytes()
    words = text.split(_SEPARATOR) if number else []
    return [word.decode("utf-8", errors="surrogatepass") for word in words]


def _bytes_of(token: Token) -> bytes:
    if token.text is None:
        raise ConfigurationError("utf8: a token has no text, expected a tokenizer that keeps it")
    return token.text.encode("utf-8", errors="surrogatepass")
