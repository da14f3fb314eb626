"""A key or a name that a config has wrong, with the right one."""

from typing import Any, Callable, Dict, List, Type

from allennlp.common import Params, from_params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.compatibility.changes import replace
from slstm_allennlp.suggestions import did_you_mean, nearest

_create_kwargs = from_params.create_kwargs
_pop_choice = Params.pop_choice


def suggest_names() -> None:
    """
    Has AllenNLP name the key that was meant where a config has one that a class does not take, and the
    registered name that was meant where a `type` is unknown. What is near to no name has AllenNLP's own
    message, or a list.
    """
    replace(from_params, "create_kwargs", _create_or_suggest)
    replace(Params, "pop_choice", _pop_or_suggest)


def _create_or_suggest(
    constructor: Callable[..., Any], cls: Type[Any], params: Params, **extras: Any
) -> Dict[str, Any]:
    try:
        return _create_kwargs(constructor, cls, params, **extras)
    except ConfigurationError as error:
        # Not one of an object within this one, whose message is the same but for the name.
        if (
            not str(error).startswith(f"Extra parameters passed to {cls.__name__}: ")
            or not params.params
        ):
            raise
        known = [name for name in from_params.infer_params(cls, constructor) if name != "self"]
        found = [
            f"{params.history}{key} is no key of {cls.__name__}{did_you_mean(key, known)}"
            for key in params.params
        ]
        raise ConfigurationError("; ".join(found)) from None


def _pop_or_suggest(
    params: Params, key: str, choices: List[Any], *arguments: Any, **options: Any
) -> Any:
    value = params.params.get(key)
    try:
        return _pop_choice(params, key, choices, *arguments, **options)
    except ConfigurationError:
        match = nearest(value, choices) if isinstance(value, str) else None
        if match is None:
            raise
        raise ConfigurationError(
            f"{params.history}{key} is {value!r}, did you mean {match!r}?"
        ) from None
