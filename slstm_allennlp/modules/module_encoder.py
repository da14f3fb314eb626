from contextlib import contextmanager
from typing import Any, Iterator, Optional

import torch
from allennlp.common.checks import ConfigurationError


class ModuleEncoder(torch.nn.Module):
    """
    What the encoders over one of the project's modules share: the module, which has an `input_size` and
    an `output_size`, and masks of integers, as some models have them.
    """

    _module: Any

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor], **needs: bool) -> Any:
        """What the module makes of them, and of what it is told is needed."""
        return self._module(inputs, None if mask is None else mask.bool(), **needs)

    def _zero_without_words(self, sentences: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        """As AllenNLP's own encoders have it: what is all padding has no state."""
        if mask is None:
            return sentences
        return sentences.masked_fill(~mask.bool().any(dim=1, keepdim=True), 0)

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.output_size


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """A module's `ValueError` about an argument, as the named encoder's `ConfigurationError`."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{name}: {error}") from None
