"""
`slstm evaluate`: `allennlp evaluate` of every sentence of the files. AllenNLP leaves out those that the
settings for training leave out of an epoch. Classifiers read tables (.csv), too. The scores of each
class are printed, and predictions are written beside gold labels. Output files are written atomically.
"""

import argparse
import inspect
import json
import os
import re
import shutil
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence
from unittest.mock import patch

from allennlp.commands import evaluate as command
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Instance, TensorDict
from allennlp.evaluation import Evaluator, SimpleEvaluator
from allennlp.models import Archive, Model, load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.common.atomic_write import atomic_write, raise_not_written
from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.console.output_folder import expect_output
from slstm_allennlp.console.training import metric_lines
from slstm_allennlp.dataset_readers.lines import ending, expect_no_pipe
from slstm_allennlp.dataset_readers.parts import file_of
from slstm_allennlp.dataset_readers.table_reader import TableReader
from slstm_allennlp.metrics.class_scores import class_scores
from slstm_allennlp.models.summary import encoding_of, namespace_of
from slstm_allennlp.predictors.predictions import (
    Prediction,
    prediction_of,
    read_predictions,
    write_predictions,
)
from slstm_allennlp.predictors.text_input import TextInput, learn_new_words, warn_of_unknown_words
from slstm_allennlp.training.all_data import on_all_data, say_what_is_scored
from slstm_allennlp.training.own_data import check_texts

_SHOWN, _IN_MATRIX = 20, 10  # classes in a table, and in a confusion matrix
_FILES = (("output_file", "METRICS", ".outputs"), ("predictions_output_file", "PREDS", ".preds"))


def evaluate(arguments: argparse.Namespace) -> None:
    """Score the model on the files, and print the metrics and the scores of each class."""
    if arguments.input_file.lstrip().startswith("{"):  # the paths of each task, for `multitask` readers
        print(*metric_lines(command.evaluate_from_args(arguments)), sep="\n")
        return
    paths = paths_in(arguments.input_file)
    stems = [Path(path).stem for path in paths]  # with which AllenNLP names the metrics
    if len(set(stems)) < len(stems):
        raise ConfigurationError(
            f"the input files are {', '.join(paths)}, expected files whose names differ before the "
            "ending, because their metrics have these names (or evaluate them one by one)"
        )
    arguments.input_file = json.dumps(paths)[1:-1]
    archives: List[Archive] = []
    batch_size, arguments.batch_size = arguments.batch_size, None

    def load(*args: Any, **named: Any) -> Archive:
        archive = load_archive(*args, **named)
        if all(ending(file_of(path)) == ".csv" for path in paths):
            archive = _reading_tables(archive)
        reader: Any = archive.validation_dataset_reader
        if isinstance(reader, TableReader):
            inputs = {*inspect.signature(archive.model.forward).parameters}
            inputs |= {"premise"} if reader._combine_input_fields else set()
            for path in paths:
                expect_no_pipe(file_of(path))
                check_texts(next(reader.inputs(file_of(path))), path, inputs)
        config = archive.config.params
        for key in ("data_loader", "validation_data_loader"):
            if config.get(key):
                config[key] = on_all_data(config[key])
                if batch_size is not None:  # AllenNLP gives it beside a sampler, which is an error
                    sampler = config[key].get("batch_sampler")
                    target = sampler if isinstance(sampler, dict) else config[key]
                    target["batch_size"] = batch_size
                # All sentences are in memory, so that each is found again in its batch.
                config[key].pop("max_instances_in_memory", None)
        if (config.get("data_loader") or {}).get("type") != "multitask":
            config.setdefault("evaluation", {"type": "gold_beside_predictions"})
        for path in paths:
            say_what_is_scored(path, archive.validation_dataset_reader)
        archives.append(archive)
        return archive

    with ExitStack() as stack:
        metrics_files, prediction_files = (_output_files(arguments, *names, paths) for names in _FILES)
        if common := {*metrics_files} & {*prediction_files}:
            raise ConfigurationError(
                f"the metrics and the predictions would both be written to {common.pop()}, expected two "
                "files"
            )
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        written, scores = (
            [folder / f"{n}.{kind}" for n in range(len(paths))] for kind in ("preds", "outputs")
        )
        arguments.predictions_output_file = ",".join(map(str, written))
        arguments.output_file = ",".join(map(str, scores))
        arguments.auto_names = "NONE"
        stack.enter_context(patch.object(command, "load_archive", load))
        with raise_not_written(folder):
            metrics = command.evaluate_from_args(arguments)
        for source, target in (*zip(written, prediction_files), *zip(scores, metrics_files)):
            with atomic_write(target) as path:
                shutil.copyfile(source, path)
        print(*metric_lines(metrics), sep="\n")
        (archive,) = archives
        if archive.config.get("evaluation", {}).get("type") == "gold_beside_predictions":
            for name, file in zip(paths, written):
                lines = list(_lines(read_predictions(file), encoding_of(archive.model)))
                if lines:
                    print("", *([f"{name}:"] if len(paths) > 1 else []), *lines, sep="\n")


def paths_in(given: str) -> List[str]:
    """Return the paths between commas. `test.{de,en}` is one, and so is a file whose name has commas."""
    return [given] if os.path.isfile(file_of(given)) else re.split(r",(?![^{]*\})", given)


def _reading_tables(archive: Archive) -> Archive:
    """
    Return a classifier's archive with the reader `table` in the place of one of this package for other
    files. A reader of another package may read CSV itself, so it stays.
    """
    own: Any = archive.validation_dataset_reader
    is_classifier = "label" in inspect.signature(archive.model.forward).parameters
    is_ours = type(own).__module__.startswith("slstm_allennlp.")
    if isinstance(own, TableReader) or not (is_ours and is_classifier):
        return archive
    reader = TableReader(
        token_indexers=own._token_indexers,
        tokenizer=own._tokenizer,
        combine_input_fields=getattr(own, "_combine_input_fields", False),
        label_namespace=namespace_of(archive.model),
    )
    return archive._replace(validation_dataset_reader=reader)


def _output_files(
    arguments: argparse.Namespace, option: str, auto: str, suffix: str, paths: List[str]
) -> List[str]:
    """Return the output files of an option, none or one for each path."""
    given = getattr(arguments, option)
    files: List[str] = []
    if given:
        files = [given] if len(paths) == 1 else given.split(",")
    if arguments.auto_names in (auto, "ALL"):
        option = "auto_names"
        files = [
            f"{os.path.splitext(file)[0]}{path[len(file) :].replace('#', '-')}{suffix}"
            for path, file in zip(paths, map(file_of, paths))
        ]
    for file in files:  # before the work
        expect_output(option, file, [file_of(path) for path in paths])
    if len(set(files)) < len(files):
        raise ConfigurationError(
            f"--{option.replace('_', '-')} is {given}, expected a file of its own for each input file"
        )
    if files and len(files) != len(paths):
        raise ConfigurationError(
            f"--{option.replace('_', '-')} names {len(files)} file{'s' * (len(files) > 1)}, "
            f"expected {len(paths)}, one for each input file"
        )
    return files


@Evaluator.register("gold_beside_predictions")
class GoldBesidePredictions(SimpleEvaluator):
    """
    AllenNLP's evaluator. It writes a prediction for each sentence, in the order of the data. Words that
    are new to the model have their pretrained vectors, as in prediction.
    """

    def __call__(
        self,
        model: Model,
        data_loader: DataLoader,
        batch_weight_key: str = "",
        metrics_output_file: Any = None,
        predictions_output_file: Any = None,
    ) -> Dict[str, Any]:
        instances = list(data_loader.iter_instances())
        # A model that predicts words, such as a language model, has no place for others.
        has_new_words = _is_predicted_by_text_input(model) and learn_new_words(model, instances)
        for instance in instances if has_new_words else ():  # again, with their numbers
            instance.indexed = False
            instance.index_fields(model.vocab)
        warn_of_unknown_words(model, instances)
        found: Dict[int, Prediction] = {}
        in_batch: Sequence[Instance] = ()
        collate = data_loader.collate_fn  # type: ignore[attr-defined]

        def kept(instances: Sequence[Instance]) -> TensorDict:
            nonlocal in_batch
            in_batch = instances
            return collate(instances)

        def collect(batch: Any, output: Any, loader: Any, output_postprocess_function: Any) -> str:
            columns = [
                (name, values)
                for name, values in output_postprocess_function(output).items()
                if isinstance(values, list) and len(values) == len(in_batch)
            ]
            for number, instance in enumerate(in_batch):
                of_one = {name: values[number] for name, values in columns}
                found[id(instance)] = prediction_of(instance, of_one)
            return ""

        data_loader.collate_fn = kept  # type: ignore[attr-defined]
        self.batch_serializer = collect  # type: ignore[assignment]
        metrics = super().__call__(
            model, data_loader, batch_weight_key, metrics_output_file, predictions_output_file
        )
        predictions = [found[id(instance)] for instance in instances]
        if all(one.gold is None and one.output and "label" in one.output for one in predictions):
            raise CorpusError(
                f"{data_loader.data_path} has no labels, expected some to score against "  # type: ignore[attr-defined]
                "(slstm predict needs none)"
            )
        write_predictions(Path(predictions_output_file), predictions)
        return metrics


def _is_predicted_by_text_input(model: Model) -> bool:
    name = model.default_predictor
    return name in Predictor.list_available() and issubclass(
        Predictor.resolve_class_name(name)[0], TextInput
    )


def _lines(predictions: List[Prediction], encoding: Optional[str]) -> Iterator[str]:
    """Yield a table of the scores of each class and, for texts and pairs, the confusion matrix."""
    pairs = [(one.gold, one.predicted) for one in predictions if one.gold and one.predicted]
    if not pairs:
        return
    is_tagged = isinstance(pairs[0][0], list)
    scores = class_scores(pairs, encoding)
    what = ("entity" if encoding else "tag") if is_tagged else "class"
    rows = [[what, "precision", "recall", "F1", "gold"]]
    rows += [[one.name, *(f"{value:.4f}" for value in one[1:4]), f"{one.gold}"] for one in scores]
    yield from _table(rows[: _SHOWN + 1])
    yield from _more(len(scores) - _SHOWN)
    if is_tagged:
        return
    names = [score.name for score in scores[:_IN_MATRIX]]
    counts = Counter(pairs)
    yield ""
    yield from _table(
        [
            ["gold \\ predicted", *names],
            *([gold, *(str(counts[gold, predicted]) for predicted in names)] for gold in names),
        ]
    )
    yield from _more(len(scores) - _IN_MATRIX)


def _table(rows: List[List[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:])]
        yield "  ".join([first.ljust(widths[0]), *cells])


def _more(number: int) -> Iterator[str]:
    if number > 0:
        yield f"… and {number} less frequent"
