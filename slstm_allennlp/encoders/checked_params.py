import inspect
from typing import Any, Dict, Union, get_args, get_origin

from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError

_NAMES: Dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    list: "a list",
    dict: "an object",
    Lazy: "an encoder",
}


class CheckedParams:
    """
    A mixin that rejects a config value of the wrong type. AllenNLP itself converts `"input_size": true`
    to 1 before the encoder sees it, and its error for a string does not name the value.
    """

    @classmethod
    def from_params(cls, params: Params, constructor_to_inspect: Any = None, **extras: Any) -> Any:
        """Check the types of the values, then build as AllenNLP does."""
        constructor = constructor_to_inspect or cls.__init__
        for name, argument in inspect.signature(constructor).parameters.items():
            if name in params and not _fits(params.params[name], argument.annotation):
                raise ConfigurationError(
                    f"{cls.__name__}: {name} is {params.as_dict(quiet=True)[name]!r}, expected "
                    f"{_described(argument.annotation)}"
                )
        return super().from_params(  # type: ignore[misc]
            params, constructor_to_inspect=constructor_to_inspect, **extras
        )


def _kind(annotation: Any) -> Any:
    """The annotation's class, without its type arguments."""
    return get_origin(annotation) or annotation


def _fits(value: Any, annotation: Any) -> bool:
    kind = _kind(annotation)
    if value is None:
        return True  # AllenNLP passes None on to the encoder
    if kind is Union:
        return any(_fits(value, part) for part in get_args(annotation))
    if kind is bool:
        return isinstance(value, int) and value in (0, 1)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool)
    if kind is list:
        (part,) = get_args(annotation)
        return isinstance(value, list) and all(isinstance(each, part) for each in value)
    if kind is dict:
        return isinstance(value, (dict, Params))
    if kind is Lazy:
        return isinstance(value, (dict, Params, str))
    return not isinstance(kind, type) or isinstance(value, kind)


def _described(annotation: Any) -> str:
    parts = get_args(annotation) if _kind(annotation) is Union else [annotation]
    return " or ".join(_NAMES[_kind(part)] for part in parts if _kind(part) in _NAMES)
