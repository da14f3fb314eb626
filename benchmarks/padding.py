"""
Measure the cost of padding on real batches. A training step of the S-LSTM on the batches of a config's
reader and sampler is compared with a step on batches of as many words and sentences without padding.

    python benchmarks/padding.py training_config/pos_slstm.jsonnet DATA/en_ewt-ud-train.conllu

The two take turns. The script prints the ratio of the times and the share of padding.
"""

import argparse
import statistics
import time
from typing import List

import torch
from allennlp.common import Params
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from allennlp.data.fields import TextField
from run import Shape, batch, machine, training_step

from slstm_allennlp.modules import SentenceStateLSTM


def batches_of(config: str, train: str, number: int) -> List[List[int]]:
    """Return the sentence lengths of the first batches, the longest first in each."""
    params = Params.from_file(config)
    reader = DatasetReader.from_params(params["dataset_reader"])
    loader = DataLoader.from_params(params["data_loader"], reader=reader, data_path=train)
    instances = list(loader.iter_instances())
    loader.index_with(Vocabulary.from_instances(instances))
    lengths = [
        next(len(field.tokens) for field in instance.fields.values() if isinstance(field, TextField))
        for instance in instances
    ]
    chosen = list(loader.batch_sampler.get_batch_indices(instances))[:number]
    return [sorted((lengths[index] for index in indices), reverse=True) for indices in chosen]


def without_padding(lengths: List[int]) -> List[int]:
    """Distribute as many words over as many sentences. Lengths differ by one word at most."""
    shortest, more = divmod(sum(lengths), len(lengths))
    return [shortest + 1] * more + [shortest] * (len(lengths) - more)


def seconds(module: torch.nn.Module, lengths: List[int]) -> float:
    inputs, mask = batch(Shape(lengths), "cpu", torch.float32)
    step = training_step(module, inputs, lambda: module(inputs, mask))
    start = time.perf_counter()
    step.run()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("config")
    parser.add_argument("train")
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, help="default: PyTorch's choice")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    batches = batches_of(arguments.config, arguments.train, arguments.batches)
    module = SentenceStateLSTM(300, 300)
    for lengths in (batches[0], without_padding(batches[0])):
        seconds(module, lengths)  # warm-up
    ratios = []
    for _ in range(arguments.repeats):
        times = [(seconds(module, one), seconds(module, without_padding(one))) for one in batches]
        padded, unpadded = (sum(part) for part in zip(*times))
        ratios.append(padded / unpadded)
    words = sum(map(sum, batches))
    positions = sum(len(lengths) * lengths[0] for lengths in batches)
    print(", ".join(f"{name}: {value}" for name, value in machine("cpu").items()))
    padding = 100 * (1 - words / positions)
    print(f"{len(batches)} batches, {words} words, {padding:.0f} per cent of the positions are padding")
    print(
        f"time over that without padding: {statistics.median(ratios):.3f} "
        f"({min(ratios):.3f} to {max(ratios):.3f})"
    )


if __name__ == "__main__":
    main()
