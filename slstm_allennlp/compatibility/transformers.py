"""
A BERT that is not there, said in one sentence; tokenizers of current transformers; and a frozen BERT
without dropout of its own.
"""

import os
import re
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Tuple

import transformers.utils
from allennlp.common import cached_transformers
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders import PretrainedTransformerMismatchedEmbedder, TokenEmbedder

from slstm_allennlp.common.changes import Original, replaces

# What a folder has to hold: for each thing, the files that it may come in.
_Needs = List[Tuple[str, ...]]
_CONFIG = ("config.json",)
_VOCABULARY = (
    *("vocab.txt", "tokenizer.json"),  # BERT's; below, those of models like it
    *("vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
)
_WEIGHTS = tuple(
    getattr(transformers.utils, name)
    for name in ("WEIGHTS_NAME", "SAFE_WEIGHTS_NAME", "WEIGHTS_INDEX_NAME", "SAFE_WEIGHTS_INDEX_NAME")
    if hasattr(
        transformers.utils, name
    )  # safetensors are unknown to the transformers of AllenNLP's pins
)
_EXPECTED = "expected a folder with config.json, the vocabulary and the weights"
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


# All of AllenNLP calls the two by way of their module.
@replaces(cached_transformers, "get")
def _get(original: Original, model_name: str, *args: Any, **kwargs: Any) -> Any:
    with _explained(model_name, [_CONFIG, _WEIGHTS], kwargs.get("cache_dir")):
        return original(model_name, *args, **kwargs)


@replaces(cached_transformers, "get_tokenizer")
def _get_tokenizer(
    original: Original, model_name: str, *args: Any, add_special_tokens: bool = True, **kwargs: Any
) -> Any:
    """
    Without `add_special_tokens`, which AllenNLP gives to every call besides: at a tokenizer's making,
    transformers 4.40 ignores it, and 4.46 refuses it.
    """
    with _explained(model_name, [_CONFIG, _VOCABULARY], kwargs.get("cache_dir")):
        return original(model_name, *args, **kwargs)


@contextmanager
def _explained(model_name: str, needs: _Needs, cache: Optional[str]) -> Iterator[None]:
    """
    Says in a `ConfigurationError` which pretrained transformer was looked for and where, or which file
    its folder lacks, when it cannot be loaded for that. All other errors stay as they are.
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
    """What is missing, or None if it is something else that is wrong."""
    path = os.path.abspath(name)
    if os.path.isdir(name):
        missing = _missing_files(path, needs)
        return f"the folder {path} has no {missing}; {_EXPECTED}" if missing else None
    if os.path.exists(name):
        return f"{path} is a file, {_EXPECTED}"
    if not _HUB_NAME.fullmatch(name):
        return f"there is no folder {path}; {_EXPECTED}, or a name on the hub"
    hub = _why_not_from_the_hub(error)
    if hub is None:
        return None
    return (
        f"it is not a folder (looked for {path}), not or not wholly in the cache (looked in {cache}), "
        f"and the hub {hub}; {_EXPECTED}, or a name on the hub"
    )


def _missing_files(folder: str, needs: _Needs) -> str:
    there = set(os.listdir(folder))
    return " and no ".join(" or ".join(names[:2]) for names in needs if there.isdisjoint(names))


def _why_not_from_the_hub(error: Optional[BaseException]) -> Optional[str]:
    """None if the hub has answered, or was not what the error is about."""
    # The libraries have an error of another type for it in every version; the words have stayed.
    said = " ".join(str(cause) for cause in _causes(error))
    if "outgoing traffic has been disabled" in said:
        return "is not to be asked (HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set)"
    if "Connection error" in said or "couldn't connect to" in said:
        return "cannot be reached"
    return None


def _causes(error: Optional[BaseException]) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@TokenEmbedder.register("pretrained_transformer_mismatched", exist_ok=True)
class EvalModeMismatchedEmbedder(PretrainedTransformerMismatchedEmbedder):
    """
    AllenNLP's embedder, with the `eval_mode` of its `pretrained_transformer`: without it, the dropout in
    a transformer is on in training also where its parameters are frozen.

    Registered as a `TokenEmbedder` with name "pretrained_transformer_mismatched", in AllenNLP's place
    and with its parameters.

    # Parameters

    eval_mode : `Optional[bool]`, optional (default = `False`)
        Whether the transformer is in evaluation mode at all times. If `None`, it is unless
        `train_parameters` is true.
    """

    def __init__(
        self,
        model_name: str,
        *,
        eval_mode: Optional[bool] = False,
        train_parameters: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(model_name, train_parameters=train_parameters, **kwargs)
        # Its `train` looks at this whenever the mode changes, which a trainer and a predictor do first.
        self._matched_embedder.eval_mode = not train_parameters if eval_mode is None else eval_mode
