"""What a module adds to the model's archive: files beside the weights, and weights with 16 bits."""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Union

import torch

_MAX_NAME_LENGTH = 200


def kept_folder(
    serialization_dir: Optional[Union[str, "os.PathLike[str]"]], name: str
) -> Optional[Path]:
    """
    Return the folder for files with this name, such as a path, in which special characters are replaced
    by `_`, or `None` without a `serialization_dir`, as for a model that is built in Python. It is a
    hidden folder in the vocabulary folder. AllenNLP archives the whole vocabulary folder, passes its
    parent to the model when it builds or loads it, and ignores names there that begin with a dot.
    """
    if not serialization_dir:
        return None
    return Path(serialization_dir, "vocabulary", "." + re.sub(r"[^\w-]+", "_", name)[-_MAX_NAME_LENGTH:])


def keep(folder: Optional[Path], write: Callable[[Path], object]) -> None:
    """
    Create the folder atomically and fill it with `write`, unless it exists. Do nothing if `folder` is
    `None` or the vocabulary folder is missing, for example because an unpacked archive was removed.
    """
    if folder is None or folder.exists() or not folder.parent.is_dir():
        return
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    try:
        write(unfinished)
        unfinished.chmod(0o755)
        with contextlib.suppress(OSError):  # a race condition: another process was faster
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def save_in_half_precision(module: torch.nn.Module) -> None:
    """
    Round a module's frozen parameters to 16 bits and save them so. They have 32 bits again after
    loading, and the same values.
    """
    round_to_half(module)
    module._register_state_dict_hook(_to_half)


def round_to_half(module: torch.nn.Module) -> None:
    """Round a module's frozen parameters to the numbers that 16 bits have."""
    with torch.no_grad():
        for parameter in module.parameters():
            if not parameter.requires_grad:
                parameter.copy_(parameter.half())


def _to_half(module: torch.nn.Module, state: Dict[str, Any], prefix: str, metadata: Any) -> None:
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            state[prefix + name] = state[prefix + name].half()
