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
    What an encoder inherits to refuse a value of another kind in its config. Of `"input_size": true`
    AllenNLP makes the number 1 before the encoder sees it, and of text for a size an error that has no
    value in it.
    """

    @classmethod
    def from_params(cls, params: Params, constructor_to_inspect: Any = None, **extras: Any) -> Any:
        """As AllenNLP's own, behind that check."""
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
    """The class that it names, without what that holds."""
    return get_origin(annotation) or annotation


def _fits(value: Any, annotation: Any) -> bool:
    kind = _kind(annotation)
    if value is None:
        return True  # AllenNLP hands it on, and the encoder knows what it means
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
