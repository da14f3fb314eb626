import argparse
import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Optional, TypeVar

import allennlp.commands.predict
from allennlp.commands.predict import Predict, _PredictManager
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from slstm_allennlp.atomic_write import AS_IT_WAS, NotWritten, is_replaceable, is_without_room
from slstm_allennlp.compatibility.changes import replace
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.predictors.text_input import TextInput

logger = logging.getLogger(__name__)
Item = TypeVar("Item")

AHEAD = 128  # lines: enough to put those of about one length together, and read in a moment
_add_subparser = Predict.add_subparser
_init = _PredictManager.__init__
_run = _PredictManager.run
_get_json_data = _PredictManager._get_json_data
_COMPRESSED = (".gz", ".bz2", ".lzma", ".xz")


def predict_what_is_trained_on() -> None:
    """
    Has `allennlp predict` give the plugin's predictors everything that their models can be trained on,
    and plain text, where AllenNLP takes JSON objects alone. Other predictors have what they had, and a
    sentence for a line that is no JSON.
    """
    replace(_PredictManager, "_get_json_data", _examples)


def _examples(self: _PredictManager) -> Iterator[JsonDict]:
    if isinstance(self._predictor, TextInput) and not self._input_file.endswith(_COMPRESSED):
        yield from read_examples(self._input_file, self._predictor)
        return
    try:
        yield from _get_json_data(self)
    except json.JSONDecodeError as error:
        taken = f"{type(self._predictor).__name__} takes a JSON object a line"
        raise ConfigurationError(f"{self._input_file}: {error.doc!r} is no JSON, {taken}") from error


def predict_in_batches() -> None:
    """
    Has `allennlp predict` without `--batch-size` read some lines ahead for the plugin's predictors,
    which predict those of about one length together. An input that cannot be read ends it behind the
    predictions for all before.
    """
    replace(Predict, "add_subparser", _add_subparser_without_batch_size)
    replace(allennlp.commands.predict, "lazy_groups_of", _groups_of)


def _add_subparser_without_batch_size(
    self: Predict, parser: argparse._SubParsersAction
) -> argparse.ArgumentParser:
    subparser = _add_subparser(self, parser)
    subparser.set_defaults(batch_size=None)
    return subparser


def _groups_of(items: Iterable[Item], size: int) -> Iterator[List[Item]]:
    """AllenNLP's `lazy_groups_of`, which loses the items that an error comes behind."""
    group: List[Item] = []
    try:
        for item in items:
            group.append(item)
            if len(group) == size:
                yield group
                group = []
    except Exception:
        if group:
            yield group
        raise
    if group:
        yield group


def write_predictions_whole() -> None:
    """
    Keeps the last predictions until the new ones are all written. AllenNLP empties the file before it
    reads the first input. What there is when it ends early stays beside it, since it may have taken
    hours.
    """
    replace(_PredictManager, "__init__", _init_and_open)
    replace(_PredictManager, "run", _run_and_replace)


def _init_and_open(
    self: Any,
    predictor: Predictor,
    input_file: str,
    output_file: Optional[str],
    batch_size: Optional[int],
    *arguments: Any,
    **options: Any,
) -> None:
    if batch_size is None:
        # Who types sentences waits for each answer.
        reads_ahead = isinstance(predictor, TextInput) and input_file != "-"
        batch_size = AHEAD if reads_ahead else 1
    arguments = (batch_size, *arguments)
    if output_file is None or not is_replaceable(output_file):
        _init(self, predictor, input_file, output_file, *arguments, **options)
        self._whole_output = None
        return
    _init(self, predictor, input_file, None, *arguments, **options)
    self._whole_output = os.path.realpath(output_file)
    self._output_file = open(f"{self._whole_output}.unfinished", "w")  # noqa: SIM115 (`run` closes it)


def _run_and_replace(self: Any) -> None:
    if self._whole_output is None:
        _run(self)
        return
    unfinished = Path(self._output_file.name)
    try:
        _run(self)
    except BaseException as error:
        with suppress(OSError):  # of a disk that is full still, which is said below
            self._output_file.close()
        if unfinished.stat().st_size == 0:
            unfinished.unlink()
        elif not is_without_room(error):
            logger.warning("The predictions before are in %s", unfinished)
        if is_without_room(error):
            left = f"{AS_IT_WAS}, and the predictions until then are in {unfinished}"
            raise NotWritten(
                self._whole_output, str(getattr(error, "strerror", None) or error), left
            ) from error
        raise
    unfinished.replace(self._whole_output)
