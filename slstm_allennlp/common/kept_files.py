"""Files that a part of a model keeps in the model's archive, beside its weights."""

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Optional, Union

_LONGEST = 200  # characters of a name


def kept_folder(
    serialization_dir: Optional[Union[str, "os.PathLike[str]"]], name: str
) -> Optional[Path]:
    """
    The folder for them. AllenNLP packs the vocabulary's folder whole, gives its parent to the model when
    it makes and when it loads it, and reads no file there whose name begins with a dot.

    # Parameters

    serialization_dir : `Optional[str]`
        As AllenNLP gives it; None where a model is made by hand, which keeps nothing.
    name : `str`
        Of what is kept, such as a path: characters that files do not have are replaced.
    """
    if not serialization_dir:
        return None
    return Path(serialization_dir, "vocabulary", "." + re.sub(r"[^\w-]+", "_", name)[-_LONGEST:])


def keep(folder: Optional[Path], write: Callable[[Path], object]) -> None:
    """
    Has `write` fill the folder, whole or not at all, if it is not there. Nothing is done for a model
    without a vocabulary's folder, such as one whose archive was unpacked and removed again.
    """
    if folder is None or folder.exists() or not folder.parent.is_dir():
        return
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    try:
        write(unfinished)
        unfinished.chmod(0o755)
        with contextlib.suppress(OSError):  # another process was first
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
