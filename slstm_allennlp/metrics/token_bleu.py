from typing import Any, Dict, List

import torch
from allennlp.training.metrics import BLEU, Metric
from torch.nn.utils.rnn import pad_sequence


@Metric.register("token_bleu")
class TokenBleu(BLEU):
    """
    AllenNLP's `bleu` over words in the place of indices, from 0 to 1.

    `bleu` has to be given the indices of the padding, start and end symbols, which in most vocabularies
    no config can know: they follow from how often the words occur. Words come without them. What the
    vocabulary lacks is one word, `@@UNKNOWN@@`, on both sides, so that with a `min_count` this is above
    the BLEU of the text itself.

    Registered as a `Metric` with name "token_bleu"; the `token_based_metric` of a `SeqDecoder`.
    """

    def __init__(self) -> None:
        super().__init__(exclude_indices={0})
        self._indices: Dict[str, int] = {}

    def __call__(  # type: ignore[override]
        self, predictions: List[List[str]], gold_targets: List[List[str]], mask: Any = None
    ) -> None:
        super().__call__(self._tensor(predictions), self._tensor(gold_targets))

    def _tensor(self, texts: List[List[str]]) -> torch.LongTensor:
        """Numbers from 1 for words, zeros behind. *Shape:* (number of texts, length of the longest)"""
        numbers = self._indices
        rows = [[numbers.setdefault(token, len(numbers) + 1) for token in text] for text in texts]
        tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
        return pad_sequence(tensors, batch_first=True)  # type: ignore[return-value]
