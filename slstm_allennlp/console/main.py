import argparse
import logging
import sys
import tempfile
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

from allennlp import __version__ as allennlp_version
from allennlp.commands import ArgumentParserWithDefaults, Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import (
    SigTermReceived,
    import_module_and_submodules,
    install_sigterm_handler,
)

from slstm_allennlp.common.mistakes import MISTAKE, USERS_MISTAKE, users_mistake
from slstm_allennlp.console.bundled import config_path
from slstm_allennlp.console.config import Config
from slstm_allennlp.console.quiet import ONLY_IN_LOG, quiet_console
from slstm_allennlp.console.training import metric_lines, result_lines
from slstm_allennlp.security import safe_archives
from slstm_allennlp.version import __version__

INTERRUPTED = 130
_OWN_NAMES = {"slstm-inside": "inside"}  # shorter names for commands of `allennlp`
_VERBOSE = "--verbose"

logger = logging.getLogger(__name__)


def run() -> None:
    """Run the program `slstm`."""
    install_sigterm_handler()
    sys.exit(main())


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """
    Run a command of AllenNLP or `slstm`, with the plugin loaded and a short console output. By default,
    the arguments are those of the process. Return the exit status: 2 for a user error, which is reported
    in one line, and 130 for an interruption.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    is_verbose = _VERBOSE in given
    with ExitStack() as stack:
        if is_verbose:
            logging.basicConfig(
                level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s"
            )
        else:
            stack.enter_context(quiet_console())
        stack.enter_context(safe_archives())
        try:
            return _run_command(given, stack)
        except (KeyboardInterrupt, SigTermReceived):
            print("interrupted", file=sys.stderr)
            return INTERRUPTED
        except Exception as error:
            mistake = users_mistake(error)
            if mistake is None:
                raise
            logger.error("User error", exc_info=True, extra=ONLY_IN_LOG)
            if is_verbose:
                traceback.print_exc()
            print(f"{MISTAKE}{mistake}", file=sys.stderr)
            return USERS_MISTAKE


def _run_command(given: List[str], stack: ExitStack) -> int:
    import_plugins()
    parser = _parser()
    arguments = parser.parse_args(given)
    if not hasattr(arguments, "func"):
        parser.print_help()
        return 0
    if hasattr(arguments, "include_package"):
        for package in arguments.include_package:
            _include(package)
        # For the processes that a command starts. They do not read `.allennlp_plugins`.
        arguments.include_package = ["slstm_allennlp", *arguments.include_package]
    _find_bundled_configs(arguments, stack)
    if arguments.command == "compare" and not sys.stderr.isatty():
        arguments.file_friendly_logging = True  # print its progress bar line by line
    if arguments.command == "train" and arguments.serialization_dir is None:
        arguments.serialization_dir = str(Path("output") / Path(arguments.param_path).stem)
    result = arguments.func(arguments)
    if not arguments.verbose:
        for line in _summary(arguments, result):
            print(line)
    return 0


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


def _summary(arguments: argparse.Namespace, result: Any) -> Iterator[str]:
    """Yield the results of a command that AllenNLP writes only to its log."""
    if arguments.command == "train" and not arguments.dry_run:
        yield from result_lines(Path(arguments.serialization_dir))
    elif arguments.command == "evaluate":
        yield from metric_lines(result)
    elif arguments.command == "find-lr":
        yield f"the losses by learning rate: {Path(arguments.serialization_dir) / 'lr-losses.png'}"


def _parser() -> argparse.ArgumentParser:
    """Return AllenNLP's parser with `config` and the commands of all plugins."""
    parser = ArgumentParserWithDefaults(
        prog="slstm",
        description="AllenNLP's commands, with the sentence-state LSTM and a short console output.",
    )
    versions = f"slstm-allennlp {__version__}, AllenNLP {allennlp_version}"
    parser.add_argument("--version", action="version", version=versions)
    subparsers = parser.add_subparsers(title="Commands", metavar="", dest="command")
    commands: Dict[str, Any] = {name: Subcommand.by_name(name) for name in Subcommand.list_available()}
    commands = {_OWN_NAMES.get(name, name): command for name, command in commands.items()}
    for name, kind in sorted({**commands, "config": Config}.items()):
        command = type(kind.__name__, (kind,), {"name": name})()
        subparser = command.add_subparser(subparsers)
        if command.requires_plugins:
            subparser.add_argument(
                "--include-package", action="append", default=[], help="additional packages to include"
            )
        subparser.add_argument(
            _VERBOSE,
            action="store_true",
            help="AllenNLP's full console output, and tracebacks of user errors",
        )
        if name == "train":
            _make_folder_optional(subparser)
    return parser


def _make_folder_optional(train: argparse.ArgumentParser) -> None:
    for action in train._actions:
        if action.dest == "serialization_dir":
            action.required = False
            action.help = f"{action.help}; default: output/NAME, with the name of the config"
        if action.dest == "param_path":
            action.help = f"{action.help}; a file, or a name that `slstm config` lists"


def _find_bundled_configs(arguments: argparse.Namespace, stack: ExitStack) -> None:
    """Replace names that `slstm config` lists by the paths of their files."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    if getattr(arguments, "param_path", None) is not None:
        arguments.param_path = config_path(arguments.param_path, folder)
    if arguments.command == "compare":
        arguments.configs = [config_path(path, folder) for path in arguments.configs]
