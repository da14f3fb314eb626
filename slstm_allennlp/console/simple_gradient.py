"""
Make `SimpleGradient` multiply each word's gradient by that word's embedding. AllenNLP removes the batch
dimension of the embeddings twice, so that it multiplies all gradients by the first word's embedding.
"""

from typing import List

import numpy
import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter, SimpleGradient

from slstm_allennlp.common.changes import replace


def _with_batch(
    embeddings_list: List[torch.Tensor], token_offsets: List[torch.Tensor]
) -> List[numpy.ndarray]:
    """Restore the batch dimension of each text's embeddings: (seq_len, size) to (1, seq_len, size)."""
    batches = [embeddings.unsqueeze(0) for embeddings in embeddings_list]
    return SaliencyInterpreter._aggregate_token_embeddings(batches, token_offsets)


replace(SimpleGradient, "_aggregate_token_embeddings", staticmethod(_with_batch))
