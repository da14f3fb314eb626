"""AllenNLP's console, without what only its log needs."""

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

_IS_QUIET = "SLSTM_CONSOLE_IS_QUIET"  # for the processes of a distributed training
ONLY_IN_LOG = {"only_in_log": True}
"""The `extra` of a log record that is not for the console."""


@contextmanager
def quiet_console() -> Iterator[None]:
    """
    Within this context, the console has warnings, what the plugin itself logs, one progress bar on a
    terminal, and `EpochLines`. The files that AllenNLP logs to get what they always do.
    """
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    with ExitStack() as stack:
        for thing, name, value in (
            (common_logging, "prepare_global_logging", _prepare_global_logging),
            (Tqdm, "tqdm", staticmethod(_bar)),
            # allennlp-models fetches data of NLTK's when it is imported, and prints how that goes.
            (nltk, "download", functools.partial(nltk.download, quiet=True)),
            (
                gradient_descent_trainer,
                "DEFAULT_CALLBACKS",
                (*gradient_descent_trainer.DEFAULT_CALLBACKS, EpochLines),
            ),
        ):
            stack.callback(setattr, thing, name, vars(thing)[name])
            setattr(thing, name, value)
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


_of_a_child = ExitStack()  # which keeps the context for as long as the process lasts


def stay_quiet_in_a_child() -> None:
    """In the processes that a distributed training starts, which load the program anew."""
    if os.environ.get(_IS_QUIET):
        _of_a_child.enter_context(quiet_console())


# AllenNLP warns of a config without patience, which is a choice, and the console shows what is left.
_CHOSEN = "You provided a validation dataset but patience was set to None"


class _ConsoleFilter(logging.Filter):
    """Warnings, and what the plugin says, once: that it compiles, which lines it leaves out."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "only_in_log", False) or record.name == "allennlp.data.vocabulary":
            return False  # of the latter, the namespace and the word of an error that follows
        if record.levelno >= logging.WARNING:
            return not record.getMessage().startswith(_CHOSEN)
        is_new = record.getMessage() not in self._said
        self._said.add(record.getMessage())
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


_allennlps_logging = common_logging.prepare_global_logging


def _prepare_global_logging(*arguments: Any, **options: Any) -> None:
    """As AllenNLP's, which has one handler for a file and two for the console."""
    hook = sys.excepthook
    _allennlps_logging(*arguments, **options)
    root = logging.getLogger()
    of_files = [handler for handler in root.handlers if isinstance(handler, logging.FileHandler)]
    is_primary = len(of_files) < len(root.handlers)
    root.handlers[:] = [*of_files, *([_console_handler()] if is_primary else [])]
    sys.excepthook = hook  # AllenNLP's would print what `slstm` says in one line


_allennlps_bar = Tqdm.tqdm


def _bar(*arguments: Any, **options: Any) -> Any:
    """AllenNLP's progress bar, which goes when it is done, and is for terminals."""
    return _allennlps_bar(*arguments, **{"file": _BarWriter(), "leave": False, **options})


class _BarWriter(TqdmToLogsWriter):
    """To the log as AllenNLP's; to the console where that is a terminal."""

    def write(self, message: str) -> None:
        to_console = common_logging.FILE_FRIENDLY_LOGGING or sys.stderr.isatty()
        with nullcontext() if to_console else redirect_stderr(io.StringIO()):
            super().write(message)
