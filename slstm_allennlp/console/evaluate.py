"""`slstm evaluate`."""

import argparse
import json
import re
from contextlib import ExitStack
from typing import Any, Dict, List
from unittest.mock import patch

from allennlp.commands import evaluate as command
from allennlp.commands.evaluate import Evaluate
from allennlp.data import DatasetReader
from allennlp.models import Archive, load_archive

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.console.training import metric_lines


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
    """Score the model on the files, and print the metrics and what limits the reader has."""
    paths = re.split(r",(?![^{]*\})", arguments.input_file)  # `test.{de,en}` is one path
    arguments.input_file = json.dumps(paths)[1:-1]
    limits: List[str] = []

    def load(*args: Any, **named: Any) -> Archive:
        archive = load_archive(*args, **named)
        for key in ("data_loader", "validation_data_loader"):
            if archive.config.params.get(key):
                archive.config.params[key] = of_all_data(archive.config.params[key])
        limits.extend(line for path in paths for line in _limit(archive.validation_dataset_reader, path))
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
    print(*metric_lines(metrics), *limits, sep="\n")


def of_all_data(loading: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without the settings that leave out a part of the data."""
    kept = {
        key: value for key, value in loading.items() if key not in ("drop_last", "batches_per_epoch")
    }
    if isinstance(kept.get("batch_sampler"), dict):
        kept["batch_sampler"] = of_all_data(kept["batch_sampler"])
    return kept


def _limit(reader: DatasetReader, path: str) -> List[str]:
    """Return a line that says which part of the file is scored, if the reader has a limit."""
    limit = getattr(reader, "max_instances", None)
    if limit is None:
        return []
    reader.max_instances = None
    count = sum(1 for _ in reader.read(path))
    reader.max_instances = limit
    return (
        [f"{path}: the first {limit} of {count} (max_instances of the reader)"] if limit < count else []
    )
