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
        for name, argument in inspect.signature(
            constructor_to_inspect or cls.__init__
        ).parameters.items():
            kinds = get_args(argument.annotation) if get_origin(argument.annotation) is Union else ()
            kinds = kinds or (argument.annotation,)
            value = params.params.get(name)
            # AllenNLP passes None on to the encoder.
            if value is not None and not any(_fits(value, kind) for kind in kinds):
                expected = [_NAMES[_class_of(kind)] for kind in kinds if _class_of(kind) in _NAMES]
                raise ConfigurationError(
                    f"{cls.__name__}: {name} is {params.as_dict(quiet=True)[name]!r}, expected "
                    f"{' or '.join(expected)}"
                )
        return super().from_params(  # type: ignore[misc]
            params, constructor_to_inspect=constructor_to_inspect, **extras
        )


def _class_of(annotation: Any) -> Any:
    return get_origin(annotation) or annotation


def _fits(value: Any, annotation: Any) -> bool:
    kind = _class_of(annotation)
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
