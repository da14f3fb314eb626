"""`allennlp predict`: what it reads, and how it writes."""

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

from slstm_allennlp.common.atomic_write import AS_IT_WAS, NotWritten, is_replaceable, is_without_room
from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.predictors.text_input import TextInput

logger = logging.getLogger(__name__)
Item = TypeVar("Item")

AHEAD = 128  # lines: enough to put those of about one length together, and read in a moment
_COMPRESSED = (".gz", ".bz2", ".lzma", ".xz")


@replaces(_PredictManager, "_get_json_data")
def _examples(original: Original, self: _PredictManager) -> Iterator[JsonDict]:
    """
    Gives the plugin's predictors everything that their models can be trained on, and plain text, where
    AllenNLP takes JSON objects alone. Other predictors have what they had, and a sentence for a line
    that is no JSON.
    """
    if isinstance(self._predictor, TextInput) and not self._input_file.endswith(_COMPRESSED):
        yield from read_examples(self._input_file, self._predictor)
        return
    try:
        yield from original(self)
    except json.JSONDecodeError as error:
        taken = f"{type(self._predictor).__name__} takes a JSON object a line"
        raise ConfigurationError(f"{self._input_file}: {error.doc!r} is no JSON, {taken}") from error


@replaces(Predict, "add_subparser")
def _add_subparser_without_batch_size(
    original: Original, self: Predict, parser: argparse._SubParsersAction
) -> argparse.ArgumentParser:
    """
    Leaves `--batch-size` open, for `_init_and_open`: without it, the plugin's predictors are given some
    lines ahead, of which they predict those of about one length together.
    """
    subparser = original(self, parser)
    subparser.set_defaults(batch_size=None)
    return subparser


@replaces(allennlp.commands.predict, "lazy_groups_of")
def _groups_of(_: Original, items: Iterable[Item], size: int) -> Iterator[List[Item]]:
    """
    Gives the items before an input that cannot be read, where AllenNLP loses those of its group, so that
    it ends behind their predictions.
    """
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


@replaces(_PredictManager, "__init__")
def _init_and_open(
    original: Original,
    self: Any,
    predictor: Predictor,
    input_file: str,
    output_file: Optional[str],
    batch_size: Optional[int],
    *arguments: Any,
    **options: Any,
) -> None:
    """
    Keeps the last predictions until the new ones are all written. AllenNLP empties the file before it
    reads the first input.
    """
    if batch_size is None:
        # Who types sentences waits for each answer.
        reads_ahead = isinstance(predictor, TextInput) and input_file != "-"
        batch_size = AHEAD if reads_ahead else 1
    arguments = (batch_size, *arguments)
    if output_file is None or not is_replaceable(output_file):
        original(self, predictor, input_file, output_file, *arguments, **options)
        self._whole_output = None
        return
    original(self, predictor, input_file, None, *arguments, **options)
    self._whole_output = os.path.realpath(output_file)
    self._output_file = open(f"{self._whole_output}.unfinished", "w")  # noqa: SIM115 (`run` closes it)


@replaces(_PredictManager, "run")
def _run_and_replace(original: Original, self: Any) -> None:
    """What there is when it ends early stays beside the last predictions: it may have taken hours."""
    if self._whole_output is None:
        original(self)
        return
    unfinished = Path(self._output_file.name)
    try:
        original(self)
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
