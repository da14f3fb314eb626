"""Store additional files of a module in the model's archive, beside the weights."""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Optional, Union

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
