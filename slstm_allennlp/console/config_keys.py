"""
Errors in a config as one sentence: the closest key for an unknown key, the closest registered name for
an unknown `type`, the value that has the wrong type, and the part of the config that a constructor
refuses.
If no key is close, the message lists all keys. If no name is close, AllenNLP's message is kept.
"""

from typing import Any, Callable, Dict, List, Type

from allennlp.commands.train import TrainModel
from allennlp.common import Params, from_params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.suggestions import did_you_mean, nearest

Original = Callable[..., Any]


def create_kwargs(
    original: Original, constructor: Callable[..., Any], cls: Type[Any], params: Params, **extras: Any
) -> Dict[str, Any]:
    """Suggest keys in place of `allennlp.common.from_params.create_kwargs`'s list of unknown ones."""
    try:
        return original(constructor, cls, params, **extras)
    except ConfigurationError as error:
        # Skip errors of an object inside this one: their message has another class name.
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


def pop_choice(
    original: Original, params: Params, key: str, choices: List[Any], *arguments: Any, **options: Any
) -> Any:
    """Suggest a name in place of `Params.pop_choice`'s list of all."""
    value = params.params.get(key)
    try:
        return original(params, key, choices, *arguments, **options)
    except ConfigurationError:
        match = nearest(value, choices) if isinstance(value, str) else None
        if match is None:
            raise
        raise ConfigurationError(
            f"{params.history}{key} is {value!r}, did you mean {match!r}?"
        ) from None


def construct_arg(
    original: Original, class_name: str, argument_name: str, value: Any, *arguments: Any, **extras: Any
) -> Any:
    """Raise `ConfigurationError` where AllenNLP raises `TypeError` for a value of the wrong type."""
    try:
        return original(class_name, argument_name, value, *arguments, **extras)
    except TypeError as error:
        if not str(error).startswith(f"Expected {argument_name} to be "):
            raise  # of a constructor
        raise ConfigurationError(f"{error} {class_name} was given {value!r}.") from error


def construct(original: Original, cls: Type[Any], params: Any, *arguments: Any, **extras: Any) -> Any:
    """Name the part of the config whose values a constructor refuses with a `ValueError`."""
    history = getattr(params, "history", "").rstrip(".")
    try:
        return original(cls, params, *arguments, **extras)
    except ValueError as error:
        # `TrainModel` does all the work before the first epoch when it is constructed.
        if isinstance(error, ConfigurationError) or issubclass(cls, TrainModel):
            raise
        raise ConfigurationError(f"{history}: {error}" if history else str(error)) from error


def read_config(original: Original, *arguments: Any, **options: Any) -> Params:
    """Raise `ConfigurationError` for a file that is not Jsonnet, and for overrides without effect."""
    try:
        return original(*arguments, **options)
    except RuntimeError as error:
        raise ConfigurationError(str(error)) from error
    except ValueError as error:
        raise ConfigurationError(f"--overrides: {error}") from error
