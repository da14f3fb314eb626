"""
Suggest the closest key for an unknown key of a config, and the closest registered name for an unknown
`type`. If no key is close, the message lists all keys. If no name is close, AllenNLP's message is kept.
AllenNLP's trainer ignores unknown keys: they cause only a warning, since old configs have some.
"""

import logging
from typing import Any, Callable, Dict, List, Type

from allennlp.common import Params, from_params
from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.common.suggestions import did_you_mean, nearest

logger = logging.getLogger(__name__)


@replaces(from_params, "create_kwargs")
def _create_or_suggest(
    original: Original, constructor: Callable[..., Any], cls: Type[Any], params: Params, **extras: Any
) -> Dict[str, Any]:
    if cls is GradientDescentTrainer:
        _warn_of_ignored_keys(constructor, params)
        if params.params.get("num_epochs") == 0:
            raise ConfigurationError(
                f"{params.history}num_epochs is 0, expected 1 or more: without an epoch there are no "
                "weights to archive"
            )
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


def _warn_of_ignored_keys(constructor: Callable[..., Any], params: Params) -> None:
    known = [*from_params.infer_params(GradientDescentTrainer, constructor), "run_sanity_checks"]
    for key in params.params:
        if key not in known:
            match = nearest(key, known)
            meant = "" if match is None else f"; did you mean {match!r}?"
            logger.warning("%s%s is no key of the trainer and is ignored%s", params.history, key, meant)


@replaces(Params, "pop_choice")
def _pop_or_suggest(
    original: Original, params: Params, key: str, choices: List[Any], *arguments: Any, **options: Any
) -> Any:
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
