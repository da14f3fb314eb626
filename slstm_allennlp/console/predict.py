"""Improve how `allennlp predict` reads inputs and writes predictions."""

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

from slstm_allennlp.common.atomic_write import AS_IT_WAS, NotWritten, is_replaceable, raise_not_written
from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.predictors.text_input import TextInput

logger = logging.getLogger(__name__)
Item = TypeVar("Item")

AHEAD = 128  # lines: enough to batch sentences of similar length, and fast to read
_COMPRESSED = (".gz", ".bz2", ".lzma", ".xz")


@replaces(_PredictManager, "_get_json_data")
def _examples(original: Original, self: _PredictManager) -> Iterator[JsonDict]:
    """
    Read the inputs. This package's predictors accept plain text and all formats of training data, other
    predictors only JSON objects. Explain a line that is not JSON.
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
    Set the default of `--batch-size` to `None`, so that `_init_and_open` can choose it. This package's
    predictors then get `AHEAD` lines at once, and batch sentences of similar length.
    """
    subparser = original(self, parser)
    subparser.set_defaults(batch_size=None)
    return subparser


@replaces(allennlp.commands.predict, "lazy_groups_of")
def _groups_of(_: Original, items: Iterable[Item], size: int) -> Iterator[List[Item]]:
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
    Open a temporary file for the predictions. AllenNLP empties the output file before it reads the first
    input.
    """
    if batch_size is None:
        # In interactive use, each prediction is needed at once.
        reads_ahead = isinstance(predictor, TextInput) and input_file != "-"
        batch_size = AHEAD if reads_ahead else 1
    self._whole_output = None
    if output_file is not None and is_replaceable(output_file):
        self._whole_output = os.path.realpath(output_file)
        output_file = None
    original(self, predictor, input_file, output_file, batch_size, *arguments, **options)
    if self._whole_output is not None:
        self._output_file = open(f"{self._whole_output}.unfinished", "w")  # noqa: SIM115 (`run` closes)


@replaces(_PredictManager, "run")
def _run_and_replace(original: Original, self: Any) -> None:
    """Replace the output file at the end. After an error, keep the temporary file for the user."""
    if self._whole_output is None:
        original(self)
        return
    unfinished = Path(self._output_file.name)
    left = f"{AS_IT_WAS}, and the predictions so far are in {unfinished}"
    try:
        with raise_not_written(self._whole_output, left):
            original(self)
    except BaseException as error:
        with suppress(OSError):  # the disk is still full
            self._output_file.close()
        if isinstance(error, NotWritten):
            raise  # its message names the file
        if unfinished.stat().st_size == 0:
            unfinished.unlink()
        else:
            logger.warning("The predictions so far are in %s", unfinished)
        raise
    unfinished.replace(self._whole_output)
