"""
The program `slstm`. AllenNLP takes seconds to import: this package imports it only for commands that
need it, and answers `slstm --help`, `slstm --version` and `slstm config` by itself.
"""

import argparse
import errno
import os
import re
import runpy
import signal
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Optional, Sequence

from slstm_cli.bundled import config_names
from slstm_cli.config import add_config_command

HELP = """usage: slstm COMMAND ...

AllenNLP's commands, with the sentence-state LSTM and a short console output.

  slstm train mr_slstm                    train on the sample corpus of a bundled config
  slstm predict output/mr_slstm/model.tar.gz texts.txt

Commands:
    train               Train a model.
    predict             Use a trained model to make predictions: of texts, JSON lines or a corpus.
    evaluate            Score a trained model on a corpus.
    compare             Compare configs over seeds.
    inside              Look inside an S-LSTM.
    config              List or print the configs that come with the package.

More commands:
    build-vocab         Build a vocabulary from a config.
    cached-path         Cache remote files, or list and remove cached ones.
    cas-lstm-gates      Histograms of the gates of a CAS-LSTM.
    checklist           Run a trained model through a checklist suite.
    count-instances     Count the instances of a config's training data.
    diff                Compare the weights of two models.
    find-lr             Find a learning rate.
    print-results       Print the metrics of several runs.
    push-to-hf          Push a model to the Hugging Face Hub.
    test-install        Test AllenNLP's installation.

slstm COMMAND --help explains a command; slstm --version prints the versions.
"""


def run() -> None:
    """Run the program with the arguments of the process, and exit."""
    arguments = sys.argv[1:]
    if "_ARGCOMPLETE" in os.environ:
        complete()
    try:
        status = answer(arguments)
        if status is None:
            if "OMP_WAIT_POLICY" not in os.environ:
                # Before PyTorch is loaded. Its threads spin for milliseconds while they wait for each
                # other: beside another process, everything takes several times as long.
                os.environ.setdefault("GOMP_SPINCOUNT", "3000")
            from allennlp.common.util import install_sigterm_handler

            from slstm_allennlp.console.main import main

            install_sigterm_handler()
            status = main(arguments)
        if sys.stdout is not None:  # as for a daemon
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 128 + signal.SIGINT
    except OSError as error:
        if error.errno == errno.EPIPE:  # `| head` has seen enough
            status = 128 + signal.SIGPIPE
        elif error.errno == errno.ENOSPC and "--verbose" not in arguments:
            where = "the standard output or a file (--verbose shows where)"
            print(f"error: {error.strerror}: {where} cannot be written", file=sys.stderr)
            status = 2
        else:
            raise
        if sys.stdout is not None:  # the rest has no place
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def complete() -> None:
    """Answer the shell's question how the line goes on: with commands, names of configs, and files."""
    import argcomplete

    parser = argparse.ArgumentParser(prog="slstm")
    parser.add_argument("command", choices=re.findall(r"^    (\S+)", HELP, re.MULTILINE))
    files = argcomplete.FilesCompleter()
    names = parser.add_argument("names", nargs="*")
    names.completer = lambda prefix, **_: [*config_names(), *files(prefix)]  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def answer(arguments: Sequence[str]) -> Optional[int]:
    """Do what needs no AllenNLP, and return the exit status, or `None` for other commands."""
    first = arguments[0] if arguments else "--help"
    if first in ("-h", "--help"):
        print(HELP, end="")
    elif find_spec("allennlp") is None:
        print("error: slstm needs AllenNLP: docs/installing.md says how to install it", file=sys.stderr)
        return 2
    elif first == "--version":
        path = Path(__file__).resolve().parents[1] / "slstm_allennlp" / "version.py"
        own = runpy.run_path(str(path))["__version__"]
        print(f"slstm-allennlp {own}, AllenNLP {version('allennlp')}")
    elif first == "config":
        parser = argparse.ArgumentParser(prog="slstm")
        add_config_command(parser.add_subparsers())
        parsed = parser.parse_args(arguments)
        try:
            parsed.func(parsed)
        except FileNotFoundError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    else:
        return None
    return 0
