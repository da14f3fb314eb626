"""
Errors in a config as one sentence: the closest key for an unknown key, the closest registered name for
an unknown `type`, the value that has the wrong type, and the part of the config that a constructor
refuses. If no name is close, AllenNLP's message is kept.
"""

import copy
import re
from typing import Any, Callable, Dict, Optional

from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.from_params import infer_params

from slstm_allennlp.common.suggestions import did_you_mean, nearest

Original = Callable[..., Any]
_HALF = (
    "an S-LSTM's output has hidden_size numbers, half of a bidirectional LSTM's; with twice the "
    "hidden_size, the rest of the config can stay as it is"
)


def from_params(
    original: Original,
    cls: Any,
    params: Any,
    constructor_to_call: Optional[Callable[..., Any]] = None,
    constructor_to_inspect: Optional[Callable[..., Any]] = None,
    **extras: Any,
) -> Any:
    """Build an object as AllenNLP's method of this name does, with errors that name the key or part."""
    if isinstance(params, str):
        params = Params({"type": params})
    # A copy: AllenNLP removes what it reads.
    given = copy.deepcopy(params.params) if isinstance(params, Params) else {}
    try:
        return original(cls, params, constructor_to_call, constructor_to_inspect, **extras)
    except (ConfigurationError, TypeError, ValueError) as error:
        constructor = constructor_to_inspect or cls.__init__
        unknown = re.search(r" got an unexpected keyword argument '(\w+)'", str(error))
        if str(error).startswith(f"Extra parameters passed to {cls.__name__}: "):
            sentence: Optional[str] = _unknown_keys(cls, params, constructor)
        elif unknown and unknown[1] in given:  # a constructor with **kwargs passes all keys on
            sentence = _unknown_keys(cls, Params({unknown[1]: None}, params.history), constructor)
        else:
            sentence = _wrong_value(error, cls, given, getattr(params, "history", ""))
        if not sentence:
            raise
        raise ConfigurationError(sentence) from error


def _unknown_keys(cls: Any, params: Params, constructor: Callable[..., Any]) -> str:
    known = [name for name in infer_params(cls, constructor) if name not in ("self", "kwargs")]
    wrong = [
        f"{params.history}{key} is no key of {cls.__name__}{did_you_mean(key, known)}"
        for key in params.params
    ]
    if params.history == "dataset_reader.":
        wrong.append("--data FILE puts a reader for it in the place of a bundled config's")
    return "; ".join(wrong)


def _wrong_value(error: Exception, cls: Any, given: Dict[str, Any], history: str) -> Optional[str]:
    """Return the sentence, or `None` for an error that has one, or is of another part of the config."""
    if isinstance(error, TypeError):
        wrong = re.match(r"Expected (\w+)\S* to be ", str(error))  # AllenNLP's check of a value
        is_own = wrong is not None and wrong[1] in given
        return f"{error} {cls.__name__} was given {given[wrong[1]]!r}." if wrong and is_own else None
    if isinstance(error, ConfigurationError):
        sizes = re.search(r"got (\d+) and (\d+) instead$", str(error))  # of AllenNLP's models
        if sizes and 2 * int(sizes[1]) == int(sizes[2]) and "'slstm'" in repr(given):
            return f"{error}: {_HALF}"
        name = given.get("type")
        if not str(error).startswith(f"{name} not in acceptable choices for {history}type: "):
            return None
        match = nearest(name, cls.list_available())
        return match and f"{history}type is {name!r}, did you mean {match!r}?"
    # `TrainModel` does all the work before the first epoch when it is constructed.
    if issubclass(cls, TrainModel):
        return None
    return f"{history.rstrip('.')}: {error}" if history else str(error)


def read_config(original: Original, *arguments: Any, **options: Any) -> Params:
    """Raise `ConfigurationError` for a file that is not Jsonnet, and for overrides without effect."""
    try:
        return original(*arguments, **options)
    except RuntimeError as error:
        raise ConfigurationError(str(error)) from error
    except ValueError as error:
        raise ConfigurationError(f"--overrides: {error}") from error
