from typing import Any, Optional

import torch
from allennlp.modules.seq2vec_encoders import CnnEncoder, Seq2VecEncoder
from torch.nn.functional import pad


@Seq2VecEncoder.register("cnn", exist_ok=True)
class PaddedCnnEncoder(CnnEncoder):
    """
    AllenNLP's `cnn`, also for texts, and words of characters, that are shorter than a filter: zeros
    follow them. PyTorch refuses a batch of such texts alone. Other batches have the same output as with
    AllenNLP's class. Parameters as in AllenNLP's.
    """

    def forward(self, tokens: torch.Tensor, mask: Optional[torch.Tensor]) -> Any:
        # tokens: (batch, words, embedding_dim), mask: (batch, words)
        missing = max(self._ngram_filter_sizes) - tokens.size(1)
        if missing > 0:
            if mask is None:
                mask = tokens.new_ones(tokens.shape[:2], dtype=torch.bool)
            tokens, mask = pad(tokens, (0, 0, 0, missing)), pad(mask, (0, missing))
        return super().forward(tokens, mask)  # type: ignore[arg-type]
