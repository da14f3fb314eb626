"""
What `cas-lstm-gates` and `slstm-inside` share: their input file is as for `slstm predict`, and AllenNLP
finds the commands in a folder whose `.allennlp_plugins` names this package.
"""

import argparse
import pathlib
import random
from typing import Callable, List, Tuple, TypeVar

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.common.arguments import positive
from slstm_allennlp.console import output_folder
from slstm_allennlp.console.predict import add_input_format
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.predictors.text_input import predictor_of

T = TypeVar("T")


def add_input_arguments(parser: argparse.ArgumentParser, encoder: str, outputs: str) -> None:
    """Add the shared arguments. The help texts name `encoder` and `outputs`."""
    parser.add_argument("archive_file", help=f"an archived model with {encoder}")
    parser.add_argument(
        "input_file", help="as for `slstm predict`: JSON lines, one text per line, or a labelled corpus"
    )
    add_input_format(parser)
    parser.add_argument("--output-dir", required=True, help=f"folder for {outputs}")
    parser.add_argument("--sample", type=positive, help="number of inputs to sample (default all)")
    parser.add_argument("--seed", type=int, default=13, help="random seed of the sample")
    parser.add_argument("--cuda-device", type=int, default=-1, help="a GPU, or -1 (default) for the CPU")


def open_all(
    arguments: argparse.Namespace, watcher: Callable[[Model], T]
) -> Tuple[pathlib.Path, Predictor, T, List[JsonDict]]:
    """
    Return the output folder, the archive's predictor, `watcher` applied to its model, and the inputs.
    `ConfigurationError` if the folder cannot be made, and for a model without the encoder, for which the
    watcher raises `ValueError`; and errors as in `read_examples`.
    """
    folder = pathlib.Path(arguments.output_dir)
    output_folder.make(folder, "--output-dir")  # before the long work
    archive = load_archive(arguments.archive_file, cuda_device=arguments.cuda_device)
    predictor = predictor_of(archive)
    try:
        watching = watcher(archive.model)
    except ValueError as error:
        raise ConfigurationError(f"{arguments.archive_file}: {error}") from None
    inputs = list(read_examples(arguments.input_file, predictor, arguments.input_format))
    blank = getattr(predictor, "of_sentence", lambda _: None)("")
    texts = [each for each in inputs if each != blank]
    if arguments.sample is not None and arguments.sample < len(texts):
        inputs = random.Random(arguments.seed).sample(texts, arguments.sample)
    return folder, predictor, watching, inputs
