from typing import Any, Dict, List

import torch
from allennlp.training.metrics import BLEU, Metric
from torch.nn.utils.rnn import pad_sequence


@Metric.register("token_bleu")
class TokenBleu(BLEU):
    """
    AllenNLP's `bleu`, computed on words instead of indices: the `token_based_metric` of a `SeqDecoder`.
    Scores are from 0 to 1.

    `bleu` needs the indices of the padding, start and end symbols. A config usually cannot give them,
    because they depend on word frequencies. The words of a prediction do not include these symbols.
    Out-of-vocabulary words are `@@UNKNOWN@@` in both prediction and reference. With a `min_count`, the
    score is therefore higher than the BLEU of the original text.
    """

    def __init__(self) -> None:
        super().__init__(exclude_indices={0})
        self._indices: Dict[str, int] = {}

    def __call__(  # type: ignore[override]
        self, predictions: List[List[str]], gold_targets: List[List[str]], mask: Any = None
    ) -> None:
        super().__call__(self._tensor(predictions), self._tensor(gold_targets))

    def _tensor(self, texts: List[List[str]]) -> torch.LongTensor:
        """Map words to indices from 1, padded with 0. *Shape:* (number of texts, longest length)"""
        numbers = self._indices
        rows = [[numbers.setdefault(token, len(numbers) + 1) for token in text] for text in texts]
        tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
        return pad_sequence(tensors, batch_first=True)  # type: ignore[return-value]
