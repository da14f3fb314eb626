"""Writing a file whole or not at all."""

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Union


@contextmanager
def whole_file(path: Union[str, "os.PathLike[str]"]) -> Iterator[Path]:
    """
    A path to write to, which takes the place of the given one at the end: what stands there can be
    trusted, also after the program was killed.
    """
    unfinished = Path(f"{path}.unfinished")
    yield unfinished
    unfinished.replace(path)
