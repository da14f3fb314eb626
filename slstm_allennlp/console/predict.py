"""
`slstm predict`: `allennlp predict` for plain text and all formats of training data, too. By default, it
gives `AHEAD` lines at once to this package's predictors, which batch sentences of similar length.
"""

import argparse
import inspect
import json
import logging
import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Optional, TypeVar

from allennlp.commands.predict import _PredictManager
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict, SigTermReceived
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.common.atomic_write import AS_IT_WAS, NotWritten, atomic_write
from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.suggestions import did_you_mean
from slstm_allennlp.console.output_folder import expect_output
from slstm_allennlp.predictors.examples import INPUT_FORMATS, read_examples
from slstm_allennlp.predictors.text_input import TextInput, predictor_of
from slstm_allennlp.training.all_data import say_what_is_scored

logger = logging.getLogger(__name__)
Item = TypeVar("Item")

AHEAD = 128  # lines: enough to batch sentences of similar length, and fast to read


def add_input_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input-format",
        choices=INPUT_FORMATS,
        help="how the input file is read (default: as its name and its first lines show)",
    )


def predict(arguments: argparse.Namespace) -> None:
    if arguments.silent and not arguments.output_file:
        raise ConfigurationError(
            "--silent without --output-file, expected one place for the predictions"
        )
    if arguments.output_file:
        expect_output("output_file", arguments.output_file, [arguments.input_file])
    try:
        options = json.loads(arguments.predictor_args.strip() or "{}")
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--predictor-args is no JSON: {error}") from None
    common_logging.FILE_FRIENDLY_LOGGING = arguments.file_friendly_logging
    archive = load_archive(
        arguments.archive_file,
        weights_file=arguments.weights_file,
        cuda_device=arguments.cuda_device,
        overrides=arguments.overrides,
    )
    reader = arguments.dataset_reader_choice
    try:
        predictor = predictor_of(
            archive, arguments.predictor, dataset_reader_to_load=reader, extra_args=options
        )
    except TypeError as error:
        if not options:
            raise
        name = arguments.predictor or archive.model.default_predictor
        known = list(inspect.signature(Predictor.by_name(str(name))).parameters)
        known = known[2:]  # after model and reader
        wrong = [key for key in options if key not in known]
        hint = did_you_mean(wrong[0], known) if wrong and known else ""
        raise ConfigurationError(
            f"--predictor-args is {arguments.predictor_args}: {error}{hint}"
        ) from error
    if arguments.use_dataset_reader:
        own: Any = predictor._dataset_reader
        own = getattr(own, "readers", {}).get(arguments.multitask_head, own)  # of `multitask`
        say_what_is_scored(arguments.input_file, own, done="predicted")
    PredictManager(
        predictor,
        arguments.input_file,
        arguments.output_file,
        arguments.batch_size,
        not arguments.silent,
        arguments.use_dataset_reader,
        arguments.multitask_head,
        input_format=arguments.input_format,
    ).run()


class PredictManager(_PredictManager):
    """
    AllenNLP's loop over inputs, with these differences:

    - this package's predictors read plain text and training data;
    - the console shows the predictions alone, one JSON object a line, and of labelled inputs the log
      says how many are right;
    - if an input cannot be read or predicted, the predictions before it are written;
    - the output file is replaced at the end. After an error, the temporary file is kept for the user.

    The parameters are AllenNLP's. A `batch_size` of `None` is chosen by the predictor.
    """

    def __init__(
        self,
        predictor: Predictor,
        input_file: str,
        output_file: Optional[str],
        batch_size: Optional[int],
        *arguments: Any,
        input_format: Optional[str] = None,
    ) -> None:
        if batch_size is None:
            # In interactive use, each prediction is needed at once.
            reads_ahead = isinstance(predictor, TextInput) and input_file != "-"
            batch_size = AHEAD if reads_ahead else 1
        super().__init__(predictor, input_file, None, batch_size, *arguments)
        self._output_path = output_file
        self._input_format = input_format

    def run(self) -> None:
        of_reader = self._dataset_reader is not None
        inputs: Iterator[Any] = self._get_instance_data() if of_reader else self._get_json_data()
        number = 0
        correct: Counter = Counter()  # `None` counts inputs without gold labels
        with self._whole_output():
            for group in groups_of(inputs, self._batch_size):
                for prediction in self._predictions(group, number + 1):
                    if self._print_to_console:
                        print(prediction, end="", flush=True)
                    print(prediction, end="", file=self._output_file)
                    number += 1
                    if isinstance(self._predictor, TextInput):
                        correct[json.loads(prediction).get("correct")] += 1
        scored = correct[True] + correct[False]
        if scored:
            share = 100 * correct[True] / scored
            logger.info("correct: %d of %d (%.2f %%)", correct[True], scored, share)

    def _get_json_data(self) -> Iterator[JsonDict]:
        usual = None if isinstance(self._predictor, TextInput) else "json"  # as its `load_line` reads it
        yield from read_examples(self._input_file, self._predictor, self._input_format or usual)

    def _predictions(self, group: List[Any], first: int) -> Iterator[str]:
        """Yield the predictions of a group, whose first input has this number."""
        predict = self._predict_json if self._dataset_reader is None else self._predict_instances
        try:
            yield from list(predict(group))
            return
        except SigTermReceived:
            raise
        except Exception:
            if len(group) > 1:
                logger.debug("Predicting one input at a time, up to the error", exc_info=True)
        for number, given in enumerate(group, start=first):
            try:
                yield from predict([given])
            except CorpusError as error:
                raise CorpusError(f"{self._input_file}, input {number}: {error}") from error

    @contextmanager
    def _whole_output(self) -> Iterator[None]:
        """Open the output file in this context, or a temporary file that replaces it at the end."""
        path = os.path.realpath(self._output_path or os.devnull)
        unfinished = Path(f"{path}.unfinished")
        left = f"{AS_IT_WAS}, and the predictions so far are in {unfinished}"
        try:
            with (
                atomic_write(path, left, keep=True) as whole,
                open(whole, "w", encoding="utf-8") as self._output_file,
            ):
                yield
        except NotWritten:
            raise  # its message names the file
        except BaseException:
            if unfinished.exists() and unfinished.stat().st_size == 0:
                unfinished.unlink()
            elif unfinished.exists():
                logger.warning("The predictions so far are in %s", unfinished)
            raise


def groups_of(items: Iterable[Item], size: int) -> Iterator[List[Item]]:
    """
    Yield groups of items. If an input cannot be read, first yield the items before it, which AllenNLP
    loses.
    """
    group: List[Item] = []
    try:
        for item in items:
            group.append(item)
            if len(group) == size:
                yield group
                group = []
    except SigTermReceived:
        raise
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group
