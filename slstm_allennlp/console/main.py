import argparse
import logging
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, NoReturn, Sequence
from unittest.mock import patch

from allennlp.commands import ArgumentParserWithDefaults, Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import parse_overrides
from allennlp.common.plugins import import_plugins
from allennlp.common.util import SigTermReceived, import_module_and_submodules

from slstm_allennlp.common.mistakes import MISTAKE, USERS_MISTAKE, users_mistake
from slstm_allennlp.common.suggestions import nearest
from slstm_allennlp.console import evaluate, predict, train
from slstm_allennlp.console.friendly import friendly_messages
from slstm_allennlp.console.missing import expect_device
from slstm_allennlp.console.output_folder import expect_empty
from slstm_allennlp.console.quiet import quiet_console, verbose_console
from slstm_allennlp.security import safe_archives
from slstm_allennlp.training.signals import Stopped
from slstm_cli.bundled import config_path

_OWN_NAMES = {"slstm-inside": "inside"}  # shorter names for commands of `allennlp`
_VERBOSE = "--verbose"
_HELP = {  # in AllenNLP's words, and as it is
    "iterator.batch": "data_loader.batch",
    "Nested parameters can be specified either with nested dictionaries or with dot syntax": "Dots name "
    "a nested key; an object replaces all of a part",
}

_NAMES = {"param_path": "config", "archive_file": "archive", "input_file": "file"}  # of arguments

logger = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """
    Run a command of AllenNLP or `slstm`, with the plugin loaded and a short console output. Return the
    exit status: 2 for a user error, which is reported in one line, and 128 + n for signal n.
    Afterwards AllenNLP and the process are as they were.
    """
    with ExitStack() as stack:
        stack.enter_context(verbose_console() if _VERBOSE in arguments else quiet_console())
        stack.enter_context(friendly_messages())
        stack.enter_context(safe_archives())
        try:
            _run_command(arguments, stack)
            return 0
        except (KeyboardInterrupt, SigTermReceived) as stop:
            how = stop.args if isinstance(stop, KeyboardInterrupt) else ()  # to go on
            print(*("interrupted", *how), sep="; ", file=sys.stderr)
            by = stop.__cause__ or stop  # `train` adds how to go on
            if isinstance(by, Stopped):
                return by.code
            return 128 + (signal.SIGINT if isinstance(by, KeyboardInterrupt) else signal.SIGTERM)
        except Exception as error:
            mistake = users_mistake(error)
            if mistake is None:
                raise
            # In the log, and on a verbose console. A disk that is full is not an error of the log, too.
            with patch.object(logging, "raiseExceptions", False):
                logger.error("User error", exc_info=True)
            print(f"{MISTAKE}{mistake}", file=sys.stderr)
            return USERS_MISTAKE


def _run_command(given: Sequence[str], stack: ExitStack) -> None:
    import_plugins()
    arguments, unknown = _parser().parse_known_args(given)
    if unknown:
        match = nearest(unknown[0].partition("=")[0], arguments.command_parser._option_string_actions)
        meant = f", did you mean {match}?" if match else ""
        arguments.command_parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    if hasattr(arguments, "include_package"):
        for package in arguments.include_package:
            _include(package)
        # For the processes that a command starts. They do not read `.allennlp_plugins`.
        arguments.include_package = ["slstm_allennlp", *arguments.include_package]
    _check(arguments)
    if getattr(arguments, "param_path", None) is not None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arguments.param_path = config_path(arguments.param_path, folder)
    if arguments.command == "compare" and not sys.stderr.isatty():
        arguments.file_friendly_logging = True  # print its progress bar line by line
    arguments.func(arguments)
    if arguments.command == "find-lr" and not arguments.verbose:
        # AllenNLP writes it only to its log.
        print(f"the losses by learning rate: {Path(arguments.serialization_dir) / 'lr-losses.png'}")


def _check(arguments: argparse.Namespace) -> None:
    """Raise `ConfigurationError` for arguments of AllenNLP's commands that cannot be right."""
    overrides = getattr(arguments, "overrides", None)
    if isinstance(overrides, str):
        try:
            parsed = parse_overrides(overrides)
        except (RuntimeError, ValueError) as error:
            raise ConfigurationError(f"--overrides is no JSON: {error}") from error
        if not isinstance(parsed, dict):
            raise ConfigurationError(f"--overrides is {overrides}, expected a JSON object")
    expect_device("--cuda-device", getattr(arguments, "cuda_device", None))
    batch_size = getattr(arguments, "batch_size", None)
    if batch_size is not None and batch_size < 1:
        raise ConfigurationError(f"--batch-size is {batch_size}, expected 1 or more")
    if arguments.command in _CHECKS:
        _CHECKS[arguments.command](arguments)


def _check_print_results(arguments: argparse.Namespace) -> None:
    if not arguments.keys:
        raise ConfigurationError(
            "--keys is not given, expected names of metrics, such as --keys best_validation_accuracy"
        )
    if not Path(arguments.path).is_dir():
        raise ConfigurationError(f"there is no folder {arguments.path}, expected one with trainings")


def _check_find_lr(arguments: argparse.Namespace) -> None:
    if not 0 < arguments.start_lr < arguments.end_lr:
        raise ConfigurationError(
            f"--start-lr is {arguments.start_lr:g} and --end-lr {arguments.end_lr:g}, expected a start "
            "above 0 and a larger end"
        )
    if not arguments.force:
        expect_empty(Path(arguments.serialization_dir))


def _check_build_vocab(arguments: argparse.Namespace) -> None:
    path = Path(arguments.output_path)
    if not path.name.endswith(".tar.gz"):
        raise ConfigurationError(f"the output is {path}, expected a file that ends in .tar.gz")
    if path.exists() and not arguments.force:
        raise ConfigurationError(f"{path} exists, expected another file, or --force to replace it")


def _check_diff(arguments: argparse.Namespace) -> None:
    for path in (arguments.checkpoint1, arguments.checkpoint2):
        if path.endswith((".json", ".jsonnet", ".gz")):
            raise ConfigurationError(
                f"{path} is no file of weights, expected one such as best.th in the folder of a training"
            )


def _check_count_instances(arguments: argparse.Namespace) -> None:
    if arguments.overrides:
        raise ConfigurationError(
            f"--overrides is {arguments.overrides}, which AllenNLP's count-instances does not read, "
            "expected a config that has them"
        )


_CHECKS = {
    "print-results": _check_print_results,
    "find-lr": _check_find_lr,
    "build-vocab": _check_build_vocab,
    "count-instances": _check_count_instances,
    "diff": _check_diff,
}


def _include(package: str) -> None:
    try:
        import_module_and_submodules(package)
    except ModuleNotFoundError as error:
        # A module that the package itself cannot import is a bug in the package.
        if error.name is None or not f"{package}.".startswith(f"{error.name}."):
            raise
        raise ConfigurationError(
            f"--include-package is {package!r}, and Python finds no {error.name!r}, expected a package "
            "that is installed or in this folder"
        ) from None


class _Parser(ArgumentParserWithDefaults):
    """AllenNLP's parser. Its errors, and those of its commands, are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USERS_MISTAKE, f"{MISTAKE}{message} (help: {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    """Return AllenNLP's parser with the program's own commands and the commands of all plugins."""
    parser = _Parser(prog="slstm")
    parser.set_defaults(command_parser=parser)
    subparsers = parser.add_subparsers(title="Commands", metavar="COMMAND", dest="command")
    commands = {_OWN_NAMES.get(name, name): name for name in Subcommand.list_available()}
    parsers: Dict[str, Any] = {}
    for name, registered in sorted(commands.items()):
        kind: Any = Subcommand.by_name(registered)
        command = type(kind.__name__, (kind,), {"name": name})()
        parsers[name] = subparser = command.add_subparser(subparsers)
        for action in subparser._actions:
            action.metavar = _NAMES.get(action.dest, action.metavar)
            for text, right in _HELP.items():
                action.help = action.help and action.help.replace(text, right)
        subparser.set_defaults(command_parser=subparser)
        if command.requires_plugins:
            subparser.add_argument(
                "--include-package", action="append", default=[], help="additional packages to include"
            )
        subparser.add_argument(
            _VERBOSE,
            action="store_true",
            help="AllenNLP's full console output, and tracebacks of user errors",
        )
    train.extend(parsers["train"])
    parsers["train"].set_defaults(func=train.train)
    predict.add_input_format(parsers["predict"])
    parsers["predict"].set_defaults(func=predict.predict, batch_size=None)
    parsers["evaluate"].set_defaults(func=evaluate.evaluate)
    return parser
