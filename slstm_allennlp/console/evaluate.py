"""`slstm evaluate`."""

import argparse
import json
import re
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from allennlp.commands import evaluate as command
from allennlp.commands.evaluate import Evaluate
from allennlp.models import Archive, load_archive

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.console.training import metric_lines
from slstm_allennlp.training.all_data import on_all_data, say_what_is_scored


class SlstmEvaluate(Evaluate):
    """
    `allennlp evaluate` of every sentence of the files. AllenNLP leaves out those that the settings for
    training leave out of an epoch. The output files are written atomically.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = super().add_subparser(parser)
        subparser.set_defaults(func=evaluate)
        return subparser


def evaluate(arguments: argparse.Namespace) -> None:
    """Score the model on the files, and print the metrics."""
    paths = re.split(r",(?![^{]*\})", arguments.input_file)  # `test.{de,en}` is one path
    arguments.input_file = json.dumps(paths)[1:-1]

    def load(*args: Any, **named: Any) -> Archive:
        archive = load_archive(*args, **named)
        for key in ("data_loader", "validation_data_loader"):
            if archive.config.params.get(key):
                archive.config.params[key] = on_all_data(archive.config.params[key])
        for path in paths:
            say_what_is_scored(path, archive.validation_dataset_reader)
        return archive

    with ExitStack() as stack:
        if arguments.auto_names == "NONE":
            for option in ("output_file", "predictions_output_file"):
                given = getattr(arguments, option)
                if given is not None:
                    files = [stack.enter_context(atomic_write(file)) for file in given.split(",")]
                    setattr(arguments, option, ",".join(map(str, files)))
        stack.enter_context(patch.object(command, "load_archive", load))
        metrics = command.evaluate_from_args(arguments)
    print(*metric_lines(metrics), sep="\n")
