import functools
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Type

import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.modules.checked_params import CheckedParams


class ModuleEncoder(CheckedParams, torch.nn.Module):
    """
    What AllenNLP's encoders over one of the project's modules share: the module, which has an
    `input_size` and an `output_size`, and masks of integers, as some models have them. A subclass has
    `_encode`: what its role takes of the module's results.

        class CasLstmEncoder(ModuleEncoder, module=CellAwareStackedLSTM, name="cas_lstm"): ...

    takes the arguments of the module, whose errors are `ConfigurationError` under that name.
    """

    _module: Any

    def __init_subclass__(
        cls, module: Optional[Type[torch.nn.Module]] = None, name: str = "", **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if module is None:
            return
        make = module

        @functools.wraps(make.__init__)  # AllenNLP reads the arguments of a config from the signature
        def init(self: Any, *arguments: Any, **named: Any) -> None:
            super(cls, self).__init__()  # type: ignore[misc]
            with errors_of(name):
                self._module = make(*arguments, **named)

        cls.__init__ = init  # type: ignore[assignment, method-assign]

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_dim)
        mask : `torch.Tensor`, optional (default = `None`)
            Booleans or integers; None where there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Of a sequence encoder, zero at padding. *Shape:* (batch_size, seq_len, output_dim)
            Of a vector encoder, zero for what is all padding. *Shape:* (batch_size, output_dim)
        """
        return self._encode(inputs, None if mask is None else mask.bool())

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        raise NotImplementedError

    def is_bidirectional(self) -> bool:
        """Whether the output has a forward and a backward half."""
        return getattr(self._module, "bidirectional", False)

    def get_input_dim(self) -> int:
        return self._module.input_size

    def get_output_dim(self) -> int:
        return self._module.output_size


def zero_without_words(sentences: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
    """Sets what is all padding to zero, as AllenNLP's own encoders do."""
    return sentences if mask is None else sentences.masked_fill(~mask.any(dim=1, keepdim=True), 0)


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """A module's `ValueError` about an argument, as the named encoder's `ConfigurationError`."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{name}: {error}") from None
