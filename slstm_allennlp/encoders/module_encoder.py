import inspect
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional, Union, get_args, get_origin

import torch
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

_NAMES: Dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    list: "a list",
    Lazy: "an encoder",
}


class CheckedParams:
    """
    A mixin that rejects a config value of the wrong type. AllenNLP itself converts `"input_size": true`
    to 1 before the encoder sees it, and its error for a string does not name the value.
    """

    @classmethod
    def from_params(cls, params: Params, constructor_to_inspect: Any = None, **extras: Any) -> Any:
        constructor = constructor_to_inspect or cls.__init__
        for name, argument in inspect.signature(constructor).parameters.items():
            annotation, value = argument.annotation, params.params.get(name)
            kinds = get_args(annotation) if get_origin(annotation) is Union else (annotation,)
            # AllenNLP passes None on to the encoder.
            if value is not None and not any(_fits(value, kind) for kind in kinds):
                classes = (get_origin(kind) or kind for kind in kinds)
                raise ConfigurationError(
                    f"{cls.__name__}: {name} is {params.as_dict(quiet=True)[name]!r}, expected "
                    f"{' or '.join(_NAMES[kind] for kind in classes if kind in _NAMES)}"
                )
        return super().from_params(  # type: ignore[misc]
            params, constructor_to_inspect=constructor_to_inspect, **extras
        )


def _fits(value: Any, annotation: Any) -> bool:
    kind = get_origin(annotation) or annotation
    if isinstance(value, bool):
        return kind is bool
    if kind is bool:
        return isinstance(value, int) and value in (0, 1)
    if kind is float:
        return isinstance(value, (int, float))
    if kind is list:
        (part,) = get_args(annotation)
        return isinstance(value, list) and all(isinstance(each, part) for each in value)
    if kind is Lazy:
        return isinstance(value, (dict, Params, str))
    return not isinstance(kind, type) or isinstance(value, kind)


class ModuleEncoder(CheckedParams, torch.nn.Module):
    """
    Base class of the AllenNLP encoders over one of this package's modules, which has an `input_size` and
    an `output_size`. If it returns the words' states and sentence vectors, the role selects one of them.
    """

    _module: Any

    def forward(self, inputs: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        """
        Encode inputs, (batch_size, seq_len, input_dim), with a mask of Booleans or, as in some AllenNLP
        models, integers, (batch_size, seq_len); None if there is no padding. Sequence encoders return
        (batch_size, seq_len, output_dim), zero at padding; vector encoders return (batch_size,
        output_dim), zero for sentences without real words. `ValueError` for a mask of other numbers.
        """
        if mask is not None and mask.is_floating_point():  # perhaps one to be added to scores
            raise ValueError(f"mask has dtype {mask.dtype}, expected torch.bool or integers")
        return self._encode(inputs, None if mask is None else mask.bool())

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        result = self._module(inputs, mask)
        if isinstance(result, tuple):
            words, sentences = result
            return sentences if isinstance(self, Seq2VecEncoder) else words
        return result

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
