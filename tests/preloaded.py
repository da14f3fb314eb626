"""Imports of the process that tests/programs.py forks. Nothing is computed here."""

import contextlib
import importlib

from allennlp.common.plugins import import_plugins

import slstm_allennlp.console.main  # noqa: F401
from tests.once import do_once

do_once()
import_plugins()
for name in ("torch._dynamo", "slstm_allennlp.comparison.evaluation"):  # otherwise imported on first use
    with contextlib.suppress(ImportError):  # PyTorch 1.12 has no such module
        importlib.import_module(name)
