from contextlib import contextmanager
from typing import Any, Iterator, Optional

import torch
from allennlp.common.checks import ConfigurationError


class ModuleEncoder(torch.nn.Module):
    """
    Base class of the AllenNLP encoders over one of this package's modules, which has an `input_size` and
    an `output_size`. If it returns several results, `_encode` selects those that the role needs.
    """

    _module: Any

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        Encode inputs, (batch_size, seq_len, input_dim), with a mask of Booleans or, as in some AllenNLP
        models, integers, (batch_size, seq_len); None if there is no padding. Sequence encoders return
        (batch_size, seq_len, output_dim), zero at padding; vector encoders return (batch_size,
        output_dim), zero for sentences without real words.
        """
        return self._encode(inputs, None if mask is None else mask.bool())

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        return self._module(inputs, mask)

    def is_bidirectional(self) -> bool:
        return getattr(self._module, "bidirectional", False)

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.output_size


def zero_without_words(sentences: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
    """Set the vectors of sentences without real words to zero, as AllenNLP's own encoders do."""
    return sentences if mask is None else sentences.masked_fill(~mask.any(dim=1, keepdim=True), 0)


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """Convert a module's `ValueError` to a `ConfigurationError` that names the encoder."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{name}: {error}") from None
