from typing import Dict

import torch
from allennlp.data import Vocabulary


def add_likeliest_label(
    output: Dict[str, torch.Tensor], vocab: Vocabulary, namespace: str
) -> Dict[str, torch.Tensor]:
    """Add `label`, the name of the most probable class, to a classifier's output."""
    names = vocab.get_index_to_token_vocabulary(namespace)
    best = output["probs"].argmax(dim=-1).tolist()
    labels = [names.get(number, str(number)) for number in best]
    output["label"] = labels  # type: ignore[assignment]
    return output
