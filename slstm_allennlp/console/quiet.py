"""Shorten AllenNLP's console output. Its log files stay complete."""

import functools
import io
import logging
import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stderr
from typing import Any, Iterator, Set

import nltk
from allennlp.common import logging as common_logging
from allennlp.common.tqdm import Tqdm, TqdmToLogsWriter
from allennlp.training import gradient_descent_trainer

from slstm_allennlp.console.training import EpochLines

_IS_QUIET = "SLSTM_CONSOLE_IS_QUIET"  # tells the processes of a distributed training
ONLY_IN_LOG = {"only_in_log": True}
"""The `extra` of a log record that is not for the console."""


@contextmanager
def quiet_console() -> Iterator[None]:
    """
    Within this context, the console shows only warnings, log messages of the plugin, one progress bar
    (on a terminal), and `EpochLines`. AllenNLP's log files are not changed.
    """
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    with ExitStack() as stack:
        for owner, name, value in (
            (common_logging, "prepare_global_logging", _prepare_global_logging),
            (Tqdm, "tqdm", staticmethod(_bar)),
            # allennlp-models downloads NLTK data when it is imported, and prints the progress.
            (nltk, "download", functools.partial(nltk.download, quiet=True)),
            (
                gradient_descent_trainer,
                "DEFAULT_CALLBACKS",
                (*gradient_descent_trainer.DEFAULT_CALLBACKS, EpochLines),
            ),
        ):
            stack.callback(setattr, owner, name, vars(owner)[name])
            setattr(owner, name, value)
        stack.callback(os.environ.pop, _IS_QUIET, None)
        os.environ[_IS_QUIET] = "1"
        root.handlers[:] = [_console_handler()]
        root.setLevel(logging.INFO)
        try:
            yield
        finally:
            for handler in root.handlers:
                if handler not in handlers:
                    handler.close()
            root.handlers[:] = handlers
            root.setLevel(level)


_child_context = ExitStack()  # stays open until the process ends


def stay_quiet_in_a_child() -> None:
    """Enter `quiet_console` in a process of a distributed training, which imports the program again."""
    if os.environ.get(_IS_QUIET):
        _child_context.enter_context(quiet_console())


# AllenNLP's warning about a config without patience. That is a valid choice.
_PATIENCE_WARNING = "You provided a validation dataset but patience was set to None"


class _ConsoleFilter(logging.Filter):
    """Pass warnings, and each other message of the plugin once."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: Set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "only_in_log", False) or record.name == "allennlp.data.vocabulary":
            return False  # the vocabulary logs only details of an error that follows
        if record.levelno >= logging.WARNING:
            return not record.getMessage().startswith(_PATIENCE_WARNING)
        is_new = record.getMessage() not in self._seen
        self._seen.add(record.getMessage())
        return is_new and record.name.startswith("slstm_allennlp.")


class _ConsoleFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        message = super().format(record)
        return message if record.levelno < logging.WARNING else f"{record.levelname.lower()}: {message}"


def _console_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_ConsoleFormatter("%(message)s"))
    handler.addFilter(_ConsoleFilter())
    return handler


_original_prepare = common_logging.prepare_global_logging


def _prepare_global_logging(*arguments: Any, **options: Any) -> None:
    """Do the same as AllenNLP's, but with one console handler instead of two."""
    hook = sys.excepthook
    _original_prepare(*arguments, **options)
    root = logging.getLogger()
    file_handlers = [handler for handler in root.handlers if isinstance(handler, logging.FileHandler)]
    is_primary = len(file_handlers) < len(root.handlers)
    root.handlers[:] = [*file_handlers, *([_console_handler()] if is_primary else [])]
    sys.excepthook = hook  # AllenNLP's would log errors that `slstm` reports in one line


_original_tqdm = Tqdm.tqdm


def _bar(*arguments: Any, **options: Any) -> Any:
    """Return AllenNLP's progress bar, but only for terminals, and removed when it is done."""
    return _original_tqdm(*arguments, **{"file": _BarWriter(), "leave": False, **options})


class _BarWriter(TqdmToLogsWriter):
    """Write to the log as AllenNLP does, but to the console only if it is a terminal or on request."""

    def write(self, message: str) -> None:
        to_console = common_logging.FILE_FRIENDLY_LOGGING or sys.stderr.isatty()
        with nullcontext() if to_console else redirect_stderr(io.StringIO()):
            super().write(message)
