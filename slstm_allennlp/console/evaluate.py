"""`slstm evaluate`."""

import argparse
import copy
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Optional

from allennlp.commands.evaluate import Evaluate
from allennlp.common import Params
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import prepare_environment
from allennlp.data import DataLoader, DatasetReader
from allennlp.evaluation import Evaluator
from allennlp.models import load_archive

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
    """Score the model on the files, and print the metrics and the limits of the files."""
    common_logging.FILE_FRIENDLY_LOGGING = arguments.file_friendly_logging
    archive = load_archive(
        arguments.archive_file,
        cuda_device=arguments.cuda_device,
        overrides=arguments.overrides,
        weights_file=arguments.weights_file,
    )
    config, model, reader = archive.config.duplicate(), archive.model, archive.validation_dataset_reader
    prepare_environment(config)
    settings = config.pop("evaluation", {})
    settings["cuda_device"] = arguments.cuda_device
    evaluator = Evaluator.from_params(settings)
    loading = config.get("validation_data_loader") or config["data_loader"]
    loading = of_all_data(loading.as_dict(quiet=True))
    if arguments.batch_size:
        loading["batch_size"] = arguments.batch_size

    paths = _paths(arguments.input_file)
    automatic = arguments.auto_names
    outputs = _outputs(paths, arguments.output_file, ".outputs", automatic in ("METRICS", "ALL"))
    predictions = _outputs(
        paths, arguments.predictions_output_file, ".preds", automatic in ("PREDS", "ALL")
    )
    all_metrics: Dict[str, Any] = {}
    limits = []
    for number, path in enumerate(paths):
        loader = DataLoader.from_params(Params(copy.deepcopy(loading)), reader=reader, data_path=path)
        if arguments.extend_vocab:
            model.vocab.extend_from_instances(loader.iter_instances())
            model.extend_embedder_vocab(json.loads(arguments.embedding_sources_mapping or "{}"))
        loader.index_with(model.vocab)
        with ExitStack() as stack:
            files: List[Any] = [
                None if file is None else stack.enter_context(atomic_write(file))
                for file in (outputs[number], predictions[number])
            ]
            metrics = evaluator(model, loader, arguments.batch_weight_key, *files)
        name = Path(path).stem if isinstance(path, str) else number
        prefix = f"{name}_" if len(paths) > 1 else ""
        all_metrics.update({f"{prefix}{key}": value for key, value in metrics.items()})
        limits += _limit(reader, path)
    print(*metric_lines(all_metrics), *limits, sep="\n")


def of_all_data(loading: Dict[str, Any]) -> Dict[str, Any]:
    """Return a data loader's config without the settings that leave out a part of the data."""
    left = {
        key: value for key, value in loading.items() if key not in ("drop_last", "batches_per_epoch")
    }
    if isinstance(left.get("batch_sampler"), dict):
        left["batch_sampler"] = of_all_data(left["batch_sampler"])
    return left


def _paths(given: str) -> List[Any]:
    """Return the files of the command line: JSON values, or paths with commas between."""
    try:
        return json.loads(f"[{given}]")
    except json.JSONDecodeError:
        return re.split(r",(?![^{]*\})", given)  # `test.{de,en}` is one path


def _outputs(
    paths: List[Any], given: Optional[str], suffix: str, is_automatic: bool
) -> List[Optional[Path]]:
    """Return the output file of each input file, or `None` if none is wanted."""
    if given is None:
        return [None] * len(paths)
    if is_automatic:
        return [Path(path).parent / f"{Path(path).stem}{suffix}" for path in paths]
    files: List[Optional[Path]] = [Path(file) for file in given.split(",")]
    if len(files) != len(paths):
        raise ConfigurationError(
            f"{given}: {len(files)} output files, expected one for each of the {len(paths)} input files"
        )
    return files


def _limit(reader: DatasetReader, path: Any) -> List[str]:
    """Return a line that says which part of the file was scored, if the reader has a limit."""
    limit = getattr(reader, "max_instances", None)
    if limit is None:
        return []
    reader.max_instances = None
    count = sum(1 for _ in reader.read(path))
    reader.max_instances = limit
    return (
        [f"{path}: the first {limit} of {count} (max_instances of the reader)"] if limit < count else []
    )
