import inspect
from typing import Any, get_args

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError


class CheckedParams:
    """
    What an encoder inherits to refuse a flag for a size in its config: of `"input_size": true` AllenNLP
    makes the number 1 before the encoder sees it.
    """

    @classmethod
    def from_params(cls, params: Params, **extras: Any) -> Any:
        """As AllenNLP's own, behind that check."""
        for name, argument in inspect.signature(cls.__init__).parameters.items():
            is_integer = argument.annotation is int or int in get_args(argument.annotation)
            if is_integer and isinstance(params.get(name), bool):
                raise ConfigurationError(
                    f"{cls.__name__}: {name} is {params[name]}, expected an integer"
                )
        return super().from_params(params, **extras)  # type: ignore[misc]
