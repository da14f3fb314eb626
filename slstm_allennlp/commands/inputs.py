"""The command line of the commands that look at what a trained model does with sentences."""

import argparse
import logging
import pathlib
import random
from typing import Iterator, List

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from slstm_allennlp.dataset_readers.lines import read_lines

logger = logging.getLogger(__name__)


def add_input_arguments(parser: argparse.ArgumentParser, encoder: str, outputs: str) -> None:
    """The archive with its encoder, the sentences, the sample of them and the folder for the outputs."""
    parser.add_argument("archive_file", help=f"an archived model with {encoder}")
    parser.add_argument(
        "input_file", help="JSON lines as for `allennlp predict` (.jsonl), or a sentence a line"
    )
    parser.add_argument("--output-dir", required=True, help=f"where {outputs} go")
    parser.add_argument("--sample", type=positive, help="how many lines to draw; all without it")
    parser.add_argument("--seed", type=int, default=13, help="of the sample (default 13)")
    parser.add_argument("--cuda-device", type=int, default=-1, help="a GPU, or -1 (default) for the CPU")


def output_folder(arguments: argparse.Namespace) -> pathlib.Path:
    """The folder for the outputs, to be looked at before the work, so that none is lost."""
    folder = pathlib.Path(arguments.output_dir)
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"--output-dir: {folder} is a file, expected a folder or nothing")
    return folder


def positive(text: str) -> int:
    """A number of at least 1, as an argument's type."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a number of at least 1")
    return int(text)


def read_inputs(arguments: argparse.Namespace, predictor: Predictor) -> List[JsonDict]:
    """
    The predictor's inputs from the file's lines, or the sample of them. Blank lines are left out, and
    the log says how many.

    # Errors

    `ConfigurationError` for sentences with a predictor that takes none; `ValueError` for a file that
    cannot be read or is empty, and for a line that is no JSON, with its number.
    """
    inputs = list(_inputs(arguments.input_file, predictor))
    if arguments.sample is not None and arguments.sample < len(inputs):
        return random.Random(arguments.seed).sample(inputs, arguments.sample)
    return inputs


def _inputs(path: str, predictor: Predictor) -> Iterator[JsonDict]:
    is_json = path.endswith(".jsonl")
    of_sentence = getattr(predictor, "of_sentence", None)
    if not is_json and of_sentence is None:
        raise ConfigurationError(
            f"{path}: {type(predictor).__name__} takes JSON objects, expected a .jsonl file of them"
        )
    blank = 0
    for line in read_lines(path):
        if not line.text.strip():
            blank += 1
            continue
        try:
            yield predictor.load_line(line.text) if is_json else of_sentence(line.text)  # type: ignore[misc]
        except ValueError as error:
            raise line.error(str(error)) from None
    if blank:
        logger.warning("%s: %d blank line%s left out", path, blank, " is" if blank == 1 else "s are")
