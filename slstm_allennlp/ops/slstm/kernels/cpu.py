"""The functions of cpu.cpp, compiled when they are first needed."""

import pathlib
from types import ModuleType
from typing import Optional

from slstm_allennlp.ops import compiled


def load() -> Optional[ModuleType]:
    """The compiled functions, or None where there are none."""
    return compiled.load(pathlib.Path(__file__).with_suffix(".cpp"))
