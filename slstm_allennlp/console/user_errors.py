"""Explain a missing GPU or a missing spaCy model in one sentence."""

import os
from typing import Any, List, Union

import spacy
import torch
from allennlp.common import checks, util
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model, archival

from slstm_allennlp.common.changes import Original, replaces


@replaces(checks, "check_for_gpu", wherever_imported=True)
def _check_device(
    _: Original, device: Union[int, torch.device, List[Union[int, torch.device]], None]
) -> None:
    """Raise an error with the missing device and the available GPUs."""
    if isinstance(device, list):
        for each in device:
            checks.check_for_gpu(each)
        return
    if device is None:
        return
    # `torch.device(3)` raises an error in PyTorch if there is no GPU.
    number = device if isinstance(device, int) else (device.index or 0) if device.type == "cuda" else -1
    count = torch.cuda.device_count()
    if number >= count:
        available = "no GPU" if count == 0 else f"{count} GPU{'' if count == 1 else 's'}"
        numbers = "" if count == 0 else " or one of " + ", ".join(map(str, range(count)))
        raise ConfigurationError(
            f"cuda_device (trainer.cuda_device of a config, --cuda-device of a command) is {number}, "
            f"and PyTorch sees {available} here, expected -1 for the CPU{numbers}"
        )


@replaces(archival, "_load_model")
def _load_model_on_device(
    original: Original, config: Any, weights_path: Any, serialization_dir: Any, cuda_device: int
) -> Model:
    """Check the device before the model is loaded."""
    checks.check_for_gpu(cuda_device)
    return original(config, weights_path, serialization_dir, cuda_device)


@replaces(util, "get_spacy_model", wherever_imported=True)
def _spacy_model_or_explain(
    original: Original, spacy_model_name: str, *arguments: Any, **options: Any
) -> Any:
    """Explain that the tokenizer `spacy_blank` needs no download."""
    try:
        return original(spacy_model_name, *arguments, **options)
    except (Exception, SystemExit) as error:  # spaCy raises SystemExit if its download fails
        if spacy.util.is_package(spacy_model_name) or os.path.exists(spacy_model_name):
            raise
        raise ConfigurationError(
            f"the spaCy model {spacy_model_name} is not installed and could not be fetched; "
            'set "tokenizer": {"type": "spacy_blank"} in the dataset_reader, which needs none, or '
            f"install it where there is a network: python -m spacy download {spacy_model_name}"
        ) from error
