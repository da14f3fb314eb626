"""Shorten AllenNLP's console output. Its log files stay complete."""

import functools
import io
import logging
import sys
import warnings
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stderr, suppress
from typing import Any, Iterator, Set
from unittest.mock import patch

import nltk
from allennlp.common import logging as common_logging
from allennlp.common import tqdm as common_tqdm
from allennlp.common.tqdm import Tqdm, TqdmToLogsWriter
from allennlp.training import gradient_descent_trainer
from tqdm import tqdm

from slstm_allennlp.console.training import EpochLines

# Their messages are details of an error that follows.
_ONLY_IN_LOG = ("allennlp.data.vocabulary", "slstm_allennlp.console.main")
# AllenNLP's warning about a config without patience. That is a valid choice.
PATIENCE_WARNING = "You provided a validation dataset but patience was set to None"
# Warnings of AllenNLP's dependencies.
_KNOWN_WARNINGS = (
    "Failed to load image Python extension",  # of torchvision, which no text model needs
    "pkg_resources is deprecated as an API",  # imported by allennlp-models
    r"You are using a .*Python version .*google\.",  # of Google's storage client
    "User provided device_type of 'cuda'",  # autocast finds no GPU
    r"`torch\.cuda\.amp\..*` is deprecated",  # AllenNLP's name of autocast
    "`resume_download` is deprecated",  # transformers asks the Hub for a BERT
)


@contextmanager
def quiet_console() -> Iterator[None]:
    """
    Within this context, the console shows only warnings, log messages of the plugin, one progress bar
    (on a terminal), and `EpochLines`. AllenNLP's log files are not changed.
    """
    with ExitStack() as stack:
        stack.enter_context(_restored_logging())
        for owner, name, value in (
            (common_logging, "prepare_global_logging", _prepare_global_logging),
            (Tqdm, "tqdm", staticmethod(_bar)),
            (common_tqdm, "_tqdm", tqdm),  # in a notebook, AllenNLP's needs ipywidgets
            # allennlp-models downloads NLTK data when it is imported, and prints the progress.
            (nltk, "download", functools.partial(nltk.download, quiet=True)),
            (
                gradient_descent_trainer,
                "DEFAULT_CALLBACKS",
                (*gradient_descent_trainer.DEFAULT_CALLBACKS, EpochLines),
            ),
        ):
            stack.enter_context(patch.object(owner, name, value))
        root = logging.getLogger()
        root.handlers[:] = [_console_handler()]
        root.setLevel(logging.INFO)
        yield


@contextmanager
def verbose_console() -> Iterator[None]:
    """Within this context, the console is AllenNLP's, without the known warnings."""
    with _restored_logging():
        logging.basicConfig(
            level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s"
        )
        yield


def is_quiet() -> bool:
    return common_logging.prepare_global_logging is _prepare_global_logging


@contextmanager
def _restored_logging() -> Iterator[None]:
    """Restore the log handlers, the warning filters and the hook for errors, which AllenNLP sets."""
    root = logging.getLogger()
    kept = [(logger, list(logger.handlers)) for logger in (root, common_tqdm.logger)]
    level, hook = root.level, sys.excepthook
    with warnings.catch_warnings():
        for message in _KNOWN_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        try:
            yield
        finally:
            sys.excepthook = hook
            root.setLevel(level)
            for logger, handlers in kept:
                added = [handler for handler in logger.handlers if handler not in handlers]
                logger.handlers[:] = handlers
                for handler in added:
                    with suppress(OSError):  # a full disk, which was reported
                        handler.close()


class _ConsoleFilter(logging.Filter):
    """Pass warnings, and messages of the plugin, each once."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: Set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name in _ONLY_IN_LOG:
            return False
        message = record.getMessage()
        is_warning = record.levelno >= logging.WARNING and not message.startswith(PATIENCE_WARNING)
        if not is_warning and not record.name.startswith("slstm_allennlp."):
            return False
        is_new = message not in self._seen
        self._seen.add(message)
        return is_new


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


def _prepare_global_logging(serialization_dir: Any, rank: int = 0, world_size: int = 1) -> None:
    """Do the same as AllenNLP's, but with one console handler instead of two."""
    _original_prepare(serialization_dir, rank, world_size)
    root = logging.getLogger()
    files = [handler for handler in root.handlers if isinstance(handler, logging.FileHandler)]
    root.handlers[:] = [*files, _console_handler()] if rank == 0 else files


_original_tqdm = Tqdm.tqdm


def _bar(*arguments: Any, **options: Any) -> Any:
    """Return AllenNLP's progress bar, for terminals and notebooks, and removed when it is done."""
    return _original_tqdm(*arguments, **{"file": _BarWriter(), "leave": False, **options})


class _BarWriter(TqdmToLogsWriter):
    """Write to the log as AllenNLP does, but only to terminals and notebooks, or on request."""

    def write(self, message: str) -> None:
        is_notebook = type(sys.stderr).__module__.startswith("ipykernel.")
        is_terminal = getattr(sys.stderr, "isatty", bool)()  # a program's own object may not have it
        to_console = common_logging.FILE_FRIENDLY_LOGGING or is_terminal or is_notebook
        with nullcontext() if to_console else redirect_stderr(io.StringIO()):
            super().write(message)
