"""
Explain a missing BERT in one sentence, support the tokenizers of current transformers versions, and add
an option to disable dropout in a frozen BERT.
"""

import os
import re
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Tuple

import transformers.utils
from allennlp.common import cached_transformers
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.changes import Original, replaces

# Required files of a folder. Each tuple has alternative names for one of them.
_Needs = List[Tuple[str, ...]]
_CONFIG = ("config.json",)
_VOCABULARY = (
    *("vocab.txt", "tokenizer.json"),  # BERT; the next line is for similar models
    *("vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
)
_WEIGHTS = tuple(
    getattr(transformers.utils, name)
    for name in ("WEIGHTS_NAME", "SAFE_WEIGHTS_NAME", "WEIGHTS_INDEX_NAME", "SAFE_WEIGHTS_INDEX_NAME")
    if hasattr(transformers.utils, name)  # AllenNLP's pinned transformers has no safetensors
)
_EXPECTED = "expected a folder with config.json, the vocabulary and the weights"
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


# All of AllenNLP calls these two functions as attributes of their module.
@replaces(cached_transformers, "get")
def _get(original: Original, model_name: str, *args: Any, **kwargs: Any) -> Any:
    with _explained(model_name, [_CONFIG, _WEIGHTS], kwargs.get("cache_dir")):
        return original(model_name, *args, **kwargs)


@replaces(cached_transformers, "get_tokenizer")
def _get_tokenizer(original: Original, model_name: str, *args: Any, **kwargs: Any) -> Any:
    with _explained(model_name, [_CONFIG, _VOCABULARY], kwargs.get("cache_dir")):
        return original(model_name, *args, **kwargs)


@contextmanager
def _explained(model_name: str, needs: _Needs, cache: Optional[str]) -> Iterator[None]:
    """
    Raise a `ConfigurationError` for a pretrained transformer that is not found. It names the places that
    were searched, or the missing file of the folder. All other errors are unchanged.
    """
    try:
        yield
    except Exception as error:
        cache = cache or transformers.utils.hub.TRANSFORMERS_CACHE
        explanation = _explanation(str(model_name), needs, error, cache)
        if explanation is None:
            raise
        raise ConfigurationError(f'no BERT-like model "{model_name}": {explanation}') from error


def _explanation(name: str, needs: _Needs, error: Exception, cache: str) -> Optional[str]:
    """Return what is missing, or `None` for any other error."""
    path = os.path.abspath(name)
    if os.path.isdir(name):
        present = set(os.listdir(path))
        missing = " and no ".join(" or ".join(names[:2]) for names in needs if present.isdisjoint(names))
        return f"the folder {path} has no {missing}; {_EXPECTED}" if missing else None
    if os.path.exists(name):
        return f"{path} is a file, {_EXPECTED}"
    if not _HUB_NAME.fullmatch(name):
        return f"there is no folder {path}; {_EXPECTED}, or a name on the hub"
    hub = _why_not_from_the_hub(error)
    if hub is None:
        return None
    return (
        f"it is not a folder (looked for {path}), not completely in the cache (looked in {cache}), "
        f"and the hub {hub}; {_EXPECTED}, or a name on the hub"
    )


def _why_not_from_the_hub(error: Optional[BaseException]) -> Optional[str]:
    """Return why the hub gave no answer, or `None` for any other error."""
    # The type of this error differs between library versions, its text does not.
    said = " ".join(str(cause) for cause in _causes(error))
    if "outgoing traffic has been disabled" in said:
        return "must not be used (HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set)"
    if "Connection error" in said or "couldn't connect to" in said:
        return "cannot be reached"
    return None


def _causes(error: Optional[BaseException]) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
