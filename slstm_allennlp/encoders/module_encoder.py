import inspect
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Type, TypeVar

import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.encoders.checked_params import CheckedParams

C = TypeVar("C", bound=Callable[..., Any])


class ModuleEncoder(CheckedParams, torch.nn.Module):
    """
    Base class of the AllenNLP encoders over one of this package's modules, which has an `input_size` and
    an `output_size`. The mask may have integers, as in some AllenNLP models. A subclass implements
    `_encode`, which selects the results that its role needs.
    """

    _module: Any

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        # Parameters

        inputs : `torch.Tensor`
            *Shape:* (batch_size, seq_len, input_dim)
        mask : `torch.Tensor`, optional (default = `None`)
            Booleans or integers; None if there is no padding. *Shape:* (batch_size, seq_len)

        # Returns

        `torch.Tensor`
            Sequence encoders: zero at padding. *Shape:* (batch_size, seq_len, output_dim)
            Vector encoders: zero for sentences without real words. *Shape:* (batch_size, output_dim)
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
    """Set the vectors of sentences without real words to zero, as AllenNLP's own encoders do."""
    return sentences if mask is None else sentences.masked_fill(~mask.any(dim=1, keepdim=True), 0)


def with_arguments_of(theirs: Callable[..., Any]) -> Callable[[C], C]:
    """
    Set the signature of a constructor to its own arguments, with those of `theirs` instead of
    `*arguments` and `**named`. AllenNLP reads the keys of a config from the signature.
    """

    def decorated(constructor: C) -> C:
        signature = inspect.signature(constructor)
        own = signature.parameters.values()
        added = inspect.signature(theirs).parameters
        merged = [
            *(argument for argument in own if argument.kind is argument.POSITIONAL_OR_KEYWORD),
            *(
                argument
                for name, argument in added.items()
                if name not in signature.parameters and argument.kind is not argument.VAR_KEYWORD
            ),
            *(argument for argument in own if argument.kind is argument.KEYWORD_ONLY),
        ]
        constructor.__signature__ = signature.replace(parameters=merged)  # type: ignore[attr-defined]
        return constructor

    return decorated


def constructor_of(module: Type[torch.nn.Module], name: str) -> Callable[..., None]:
    """Return the `__init__` of an encoder over this module, with the module's arguments."""

    @with_arguments_of(module.__init__)
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        super(ModuleEncoder, self).__init__()
        with errors_of(name):
            self._module = module(*arguments, **named)

    return __init__


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """Convert a module's `ValueError` to a `ConfigurationError` that names the encoder."""
    try:
        yield
    except ValueError as error:
        raise ConfigurationError(f"{name}: {error}") from None
