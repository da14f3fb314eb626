"""Writing a file whole or not at all."""

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Union


@contextmanager
def atomic_write(path: Union[str, "os.PathLike[str]"]) -> Iterator[Path]:
    """
    Gives a path to write to, which takes the place of the given one at the end: a file of that name is
    whole, also after the program was killed.
    """
    unfinished = Path(f"{path}.unfinished")
    try:
        yield unfinished
    except BaseException:
        unfinished.unlink(missing_ok=True)  # on a full disk, it takes the room of what is whole
        raise
    unfinished.replace(path)
