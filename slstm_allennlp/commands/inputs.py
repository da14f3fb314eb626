"""The command line of the commands that look at what a trained model does with sentences."""

import argparse
import pathlib
import random
from typing import Callable, List, Tuple, TypeVar

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.predictors.examples import read_examples

T = TypeVar("T")


def add_input_arguments(parser: argparse.ArgumentParser, encoder: str, outputs: str) -> None:
    """The archive with its encoder, the sentences, the sample of them and the folder for the outputs."""
    parser.add_argument("archive_file", help=f"an archived model with {encoder}")
    parser.add_argument(
        "input_file",
        help="what `allennlp predict` takes: JSON lines, a text a line, or a labelled corpus",
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


def open_model(arguments: argparse.Namespace, watcher: Callable[[Model], T]) -> Tuple[Predictor, T]:
    """The predictor of the archive, and what watches its model, or says that there is nothing to."""
    archive = load_archive(arguments.archive_file, cuda_device=arguments.cuda_device)
    predictor = Predictor.from_archive(archive)
    try:
        return predictor, watcher(archive.model)
    except ValueError as error:
        raise ConfigurationError(f"{arguments.archive_file}: {error}") from None


def positive(text: str) -> int:
    """A number of at least 1, as an argument's type."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a number of at least 1")
    return int(text)


def read_inputs(arguments: argparse.Namespace, predictor: Predictor) -> List[JsonDict]:
    """
    The predictor's inputs from the file, as `read_examples` gives them, or the sample of them, without
    blank lines.

    # Errors

    `ConfigurationError` and `ValueError` as in `read_examples`.
    """
    inputs = list(read_examples(arguments.input_file, predictor))
    if arguments.sample is None:
        return inputs
    blank = getattr(predictor, "of_sentence", lambda _: None)("")
    texts = [each for each in inputs if each != blank]
    if arguments.sample < len(texts):
        return random.Random(arguments.seed).sample(texts, arguments.sample)
    return inputs
