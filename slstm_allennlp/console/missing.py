"""Explain a missing BERT, spaCy model or GPU in one sentence."""

import os
import re
from functools import partial
from typing import Any, Iterator, List, Optional, Tuple

import torch
import transformers.utils
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.console.config_keys import Original

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


def spacy_download(original: Original, name: str, *args: Any, **kwargs: Any) -> Any:
    """Explain that `spacy_blank` needs no download, where spaCy cannot download a model."""
    try:
        return original(name, *args, **kwargs)
    except (Exception, SystemExit) as error:  # spaCy raises SystemExit
        raise ConfigurationError(
            f"the spaCy model {name} is not installed and could not be fetched; "
            'set "tokenizer": {"type": "spacy_blank"} in the dataset_reader, which needs none, or '
            f"install it where there is a network: python -m spacy download {name}"
        ) from error


def expect_device(key: str, number: Any) -> None:
    """Raise `ConfigurationError` for a GPU that is not there, and for what is no number."""
    if number is None:
        return
    if not isinstance(number, int):
        raise ConfigurationError(f"{key} is {number!r}, expected a number, -1 for the CPU")
    count = torch.cuda.device_count()
    if number >= count:
        available = "no GPU" if count == 0 else f"{count} GPU{'' if count == 1 else 's'}"
        numbers = "" if count == 0 else " or one of " + ", ".join(map(str, range(count)))
        raise ConfigurationError(
            f"{key} is {number}, and PyTorch sees {available} here, expected -1 for the CPU{numbers}"
        )


def device_number(device: Optional[str]) -> int:
    """
    Return the number that AllenNLP has for a device such as `"cuda:1"`: -1 for the CPU. The default is
    the first GPU, if there is one. `ConfigurationError` for a GPU that is not there.
    """
    count = torch.cuda.device_count()
    if device is None:
        return 0 if count else -1
    numbers = {"cpu": -1, **({"cuda": 0} if count else {}), **{f"cuda:{n}": n for n in range(count)}}
    if str(device) not in numbers:
        here = ", ".join(numbers)
        raise ConfigurationError(f"device is {device!r}, expected one of those here: {here}")
    return numbers[str(device)]


def _transformer(needs: _Needs, original: Original, model_name: str, *args: Any, **kwargs: Any) -> Any:
    """
    Load a pretrained transformer, or raise a `ConfigurationError` with the places that were searched, or
    with the missing file of the folder. All other errors are unchanged.
    """
    try:
        return original(model_name, *args, **kwargs)
    except Exception as error:
        cache = kwargs.get("cache_dir") or transformers.utils.hub.TRANSFORMERS_CACHE
        explanation = _explanation(str(model_name), needs, error, cache)
        if explanation is None:
            raise
        raise ConfigurationError(f'no BERT-like model "{model_name}": {explanation}') from error


get = partial(_transformer, [_CONFIG, _WEIGHTS])
get_tokenizer = partial(_transformer, [_CONFIG, _VOCABULARY])


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
    # The type of the hub's error differs between library versions, its text does not.
    said = " ".join(map(str, _causes(error)))
    if "outgoing traffic has been disabled" in said:
        hub = "must not be used (HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set)"
    elif "Connection error" in said or "couldn't connect to" in said:
        hub = "cannot be reached"
    else:
        return None
    return (
        f"it is not a folder (looked for {path}), not completely in the cache (looked in {cache}), "
        f"and the hub {hub}; {_EXPECTED}, or a name on the hub"
    )


def _causes(error: Optional[BaseException]) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
