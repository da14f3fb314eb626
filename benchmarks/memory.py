"""
Measure the peak memory of one training step, or of a call without gradients, in a new process each.

    python benchmarks/memory.py          # 16 sentences of 500 words, 300 units, one thread

Memory is given in single-precision numbers per word and unit, beside what the process had after a step
on one word.
"""

import functools
import multiprocessing
import resource

import torch
from run import Shape, batch, training_step

from slstm_allennlp.modules import SentenceStateLSTM

SHAPE = Shape([500] * 16)
SUBJECTS = {
    "S-LSTM": lambda h: SentenceStateLSTM(h, h),
    "S-LSTM, recompute": lambda h: SentenceStateLSTM(h, h, recompute=True),
    "torch.nn.LSTM, 2 directions": lambda h: torch.nn.LSTM(h, h, bidirectional=True, batch_first=True),
}
NEEDS = {"words": {"need_sentence": False}, "sentence": {"need_words": False}}


def peak(name: str, need: str, gradients: bool) -> float:
    torch.set_num_threads(1)
    h = SHAPE.hidden_size
    module = SUBJECTS[name](h)

    def run(shape: Shape) -> None:
        inputs, mask = batch(shape, "cpu", torch.float32)
        arguments, options = (
            ((inputs,), {}) if isinstance(module, torch.nn.LSTM) else ((inputs, mask), NEEDS[need])
        )
        forward = functools.partial(module, *arguments, **options)
        if gradients:
            training_step(module, inputs, lambda: [forward()[need == "sentence"]]).run()
        else:
            with torch.no_grad():
                forward()

    def most() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 4  # from KiB to numbers

    run(SHAPE._replace(lengths=[1]))
    before = most()
    run(SHAPE)
    return (most() - before) / (SHAPE.words * h)


def main() -> None:
    for name in SUBJECTS:
        for gradients in (True, False):
            for need in ("words",) if name.startswith("torch") else NEEDS:
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    found = pool.apply(peak, (name, need, gradients))
                print(f"{name}, {'training' if gradients else 'no gradients'}, {need}: {found:.0f}")


if __name__ == "__main__":
    main()
