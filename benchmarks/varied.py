"""
Measure the S-LSTM and `torch.nn.LSTM` on batches of varying numbers of words, as in training. The result
is the microseconds per word, including what a library does for each new shape, and the growth of the
process's memory after its largest batch.

    python benchmarks/varied.py                              # 300 units
    python benchmarks/varied.py --hidden 64 --batches 600

Each version runs in a new process; versions take turns. The script prints a table and writes it as JSON.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
import resource
import statistics
import time
from typing import Any, Dict, Iterator, Tuple

import torch
from run import HERE, LSTM, Shape, batch, machine, training_step

from slstm_allennlp.modules import SentenceStateLSTM

S_LSTM, WITHOUT_ONEDNN = "S-LSTM", "S-LSTM, without oneDNN"
VERSIONS = (S_LSTM, WITHOUT_ONEDNN, LSTM)
SENTENCES = 10
SHORTEST, LONGEST = 10, 40  # words


def shapes(batches: int, hidden: int) -> Iterator[Shape]:
    """Generate shapes, the largest first, so that later batches need no more memory."""
    yield Shape([LONGEST] * SENTENCES, hidden)
    numbers = random.Random(0)
    for _ in range(batches):
        longest = numbers.randint(SHORTEST, LONGEST)
        lengths = [numbers.randint(SHORTEST, longest) for _ in range(SENTENCES - 1)]
        yield Shape([longest, *sorted(lengths, reverse=True)], hidden)


def megabytes() -> float:
    """Return the resident memory of the process, on Linux."""
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 2**20


def measure(version: str, batches: int, hidden: int, threads: int) -> Tuple[float, float]:
    """Return the microseconds per word, and the growth in megabytes."""
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    torch.backends.mkldnn.set_flags(version != WITHOUT_ONEDNN)
    slstm = SentenceStateLSTM(hidden, hidden)
    lstm = torch.nn.LSTM(hidden, hidden, bidirectional=True, batch_first=True)
    seconds, words, before = 0.0, 0, 0.0
    for number, shape in enumerate(shapes(batches, hidden)):
        inputs, mask = batch(shape, "cpu", torch.float32)

        def forward(inputs: Any = inputs, mask: Any = mask, shape: Shape = shape) -> Any:
            if version != LSTM:
                return slstm(inputs, mask)
            lengths = torch.tensor(shape.lengths)
            packed = torch.nn.utils.rnn.pack_padded_sequence(inputs, lengths, batch_first=True)
            return [lstm(packed)[0].data]

        step = training_step(lstm if version == LSTM else slstm, inputs, forward)
        start = time.perf_counter()
        step.run()
        if number == 0:
            before = megabytes()
        else:
            seconds += time.perf_counter() - start
            words += shape.words
    return 1e6 * seconds / words, megabytes() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--hidden", type=int, default=300, help="units, and the inputs' size")
    parser.add_argument("--batches", type=int, default=80)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    arguments = parser.parse_args()
    results: Dict[str, Any] = {version: [] for version in VERSIONS}
    # A new process for each measurement, so that it starts without the memory of the others.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for _ in range(arguments.repeats):
            for version in VERSIONS:
                setting = version, arguments.batches, arguments.hidden, arguments.threads
                results[version].append(pool.apply(measure, setting))
    about = {**machine("cpu"), "threads": arguments.threads}
    about.update(hidden=arguments.hidden, batches=arguments.batches)
    print(", ".join(f"{name}: {value}" for name, value in about.items()))
    print("\n| | microseconds a word (each repeat) | MB more |\n|---|---|---|")
    for version, repeats in results.items():
        times, memory = zip(*repeats)
        each = ", ".join(f"{value:.0f}" for value in times)
        print(
            f"| {version} | {statistics.median(times):.0f} ({each}) | {statistics.median(memory):.0f} |"
        )
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / f"varied-{arguments.hidden}.json"
    path.write_text(json.dumps({**about, "results": results}, indent=2))


if __name__ == "__main__":
    main()
