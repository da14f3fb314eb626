"""
Run all checks and measurements on a GPU, in one call of less than ten minutes:

    PYTHONPATH=. python benchmarks/gpu.py OUT [--seconds 560]

This needs PyTorch, Triton and pytest, but not AllenNLP. Each part runs in its own process, the most
important first, and writes into OUT as it goes: OUT/summary.json names the parts that are done. Parts
that do not fit into the time are skipped and named. The exit status is 1 if a part failed.

    PYTHONPATH=. python benchmarks/gpu.py OUT --part checks [--device cpu]

runs one part, on a CPU as a test of the script.
"""

import argparse
import copy
import functools
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import torch
from run import BOUND, LOW_BOUND, LSTM, NEEDS, Shape, batch, machine, subjects, training_step
from torch import Tensor

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm import batched_slstm

HERE = pathlib.Path(__file__).parent
SMALL, LARGE = Shape([24] * 10), Shape([230] * 64)
LENGTHS = (1, 2, 3, 17, 64, 257, 1000, 2000)
BATCHES = (1, 2, 10, 64, 256)
# The largest difference to `batched_slstm` in float64, relative to its largest value.
TOLERANCES = {torch.float64: 1e-10, torch.float32: 1e-4, torch.bfloat16: 0.05, torch.float16: 0.01}
LEAST_SECONDS = 20  # with less time left, no further part is started

Finding = Dict[str, Any]


def module_of(shape: Shape, device: str, **settings: Any) -> SentenceStateLSTM:
    torch.manual_seed(0)
    h = shape.hidden_size
    return SentenceStateLSTM(h, h, shape.num_steps, **settings).to(device)


def outputs_and_gradients(
    module: SentenceStateLSTM, inputs: Tensor, function: Callable[[], Any]
) -> List[Tensor]:
    """Return the states, and the gradients of their sum of squares."""
    outputs = list(function())
    variables = [inputs, *module.parameters()]
    loss = sum(output.double().square().sum() for output in outputs)
    return [*outputs, *torch.autograd.grad(loss, variables)]


def relative_errors(
    shape: Shape, device: str, dtypes: Sequence[torch.dtype], **settings: Any
) -> Iterator[Tuple[torch.dtype, float]]:
    """The largest error of values and gradients, compared with `batched_slstm` in float64."""
    module = module_of(shape, device, **settings).double()
    inputs, mask = batch(shape, device, torch.float64)

    def reference() -> Any:
        start = module._initial_state(inputs)
        return batched_slstm(inputs, mask, module.weights, module.settings, start)

    expected = outputs_and_gradients(module, inputs, reference)
    for dtype in dtypes:
        low = dtype in (torch.bfloat16, torch.float16)
        precision = torch.float64 if dtype == torch.float64 else torch.float32
        ours, own = copy.deepcopy(module).to(precision), inputs.detach().to(precision).requires_grad_()
        with torch.autocast(device, dtype=dtype if low else torch.bfloat16, enabled=low):
            found = outputs_and_gradients(ours, own, functools.partial(ours, own, mask))
        yield (
            dtype,
            max(
                float((a - b).abs().max() / b.abs().max().clamp(min=1e-12))
                for a, b in zip(found, expected)
            ),
        )


def checks(device: str) -> Iterator[Finding]:
    """Compare with the reference: precisions, lengths, batch sizes, presets and `recompute`."""
    hidden = 64
    cases: List[Tuple[str, Shape, Dict[str, Any]]] = [
        (f"length {length}", Shape([length] * 2, hidden, 3), {}) for length in LENGTHS
    ]
    cases += [(f"batch {size}", Shape([24] * size, hidden, 3), {}) for size in BATCHES]
    cases += [
        (f"{preset}, recompute {recompute}", Shape([5, 24, 1, 9], 300, 9), settings)
        for preset in ("paper", "released", "fastnlp", "balanced")
        for recompute in (False, True)
        for settings in ({"transition": preset, "recompute": recompute},)
    ]
    dtypes = [dtype for dtype in TOLERANCES if device == "cuda" or dtype != torch.float16]
    for name, shape, settings in cases:
        for dtype, error in relative_errors(shape, device, dtypes, **settings):
            yield {"check": f"{name}, {dtype}", "error": error, "passed": error <= TOLERANCES[dtype]}


def wrappers(device: str) -> Iterator[Finding]:
    """Gradient scaling, `torch.compile`, CUDA graphs and determinism."""
    module = module_of(SMALL, device)
    inputs, mask = batch(SMALL, device, torch.float32)
    expected = [output.detach() for output in module(inputs, mask)]

    compiled = torch.compile(module)(inputs, mask)
    error = max(float((a - b).abs().max()) for a, b in zip(compiled, expected))
    yield {"check": "torch.compile", "error": error, "passed": error < 1e-3}

    runs = [outputs_and_gradients(module, inputs, lambda: module(inputs, mask)) for _ in range(2)]
    error = max(float((a - b).abs().max()) for a, b in zip(*runs))
    yield {"check": "two runs differ by", "error": error, "passed": error < 1e-3}

    if device == "cuda":
        scaler = torch.amp.GradScaler("cuda")
        optimizer = torch.optim.Adam(module.parameters(), 1e-3)
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = (module(inputs, mask)[1] - 0.3).square().mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(float(loss))
        passed = losses[-1] < losses[0]
        yield {"check": "GradScaler, float16", "losses": losses[::19], "passed": passed}
        try:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph):
                module(inputs, mask)
            yield {"check": "CUDA graph", "captured": True}
        except RuntimeError as error:
            # The packing reads the mask, whose size a graph cannot depend on: known, not a failure.
            yield {"check": "CUDA graph", "captured": False, "because": str(error).splitlines()[0]}


def profile(device: str) -> Iterator[Finding]:
    """Count launches of a training step, measure idle time, and name the three longest kernels."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    for shape, dtype in ((SMALL, torch.float32), (LARGE, torch.bfloat16)):
        if device == "cpu":
            shape = Shape([6] * 2, 16)
        module = module_of(shape, device)
        inputs, mask = batch(shape, device, torch.float32)

        low = dtype == torch.bfloat16
        forward = torch.autocast(device, torch.bfloat16, enabled=low)(module)
        step = training_step(module, inputs, functools.partial(forward, inputs, mask)).run
        for _ in range(3):
            step()
        synchronize(device)
        start = time.perf_counter()
        with torch.profiler.profile(activities=activities) as profiler:
            step()
            synchronize(device)
        wall = time.perf_counter() - start
        events = profiler.key_averages()
        on_gpu = [event for event in events if str(event.device_type).endswith("CUDA")]
        busy = sum(event.self_device_time_total for event in on_gpu) / 1e6
        longest = sorted(on_gpu, key=lambda event: -event.self_device_time_total)[:3]
        yield {
            "case": f"{len(shape.lengths)} × {shape.lengths[0]}, {dtype}",
            "launches": sum(event.count for event in on_gpu),
            "milliseconds": 1000 * wall,
            "idle share": 1 - busy / wall,
            "longest": {event.key[:80]: event.self_device_time_total / 1000 for event in longest},
        }


def memory(device: str) -> Iterator[Finding]:
    """Measure the peak memory of each version, and the largest batch of 500 words that fits."""
    if device == "cpu":
        return
    for shape in (SMALL, LARGE):
        for name, step in subjects(shape, device, torch.float32).items():
            if "torch.compile" in name:
                continue
            try:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
                step.run()
                peak = torch.cuda.max_memory_allocated() / 2**20
                yield {"case": f"{len(shape.lengths)} × {shape.lengths[0]}", "version": name, "MB": peak}
            except torch.cuda.OutOfMemoryError:
                yield {"version": name, "MB": None}
    for settings in ({}, {"recompute": True}, {"bfloat16": True}):
        size, fits = 64, 0
        try:
            while size <= 8192:
                shape = Shape([500] * size)
                module = module_of(shape, device, **settings)
                inputs, mask = batch(shape, device, torch.float32)
                sum(output.sum() for output in module(inputs, mask)).backward()
                fits, size = size, size * 3 // 2
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
        yield {"largest batch of 500 words": fits, "settings": settings}


def loops(device: str) -> Iterator[Finding]:
    """Time plain training loops with the lengths of MR (21 words) and EWT (16): S-LSTM and cuDNN."""
    for words in (21, 16):
        for size in (10, 64):
            lengths = [max(1, words + offset % 21 - 10) for offset in range(size)]
            shape = Shape(lengths if device == "cuda" else lengths[:2], 300 if device == "cuda" else 16)
            h = shape.hidden_size
            encoders = {
                "S-LSTM": module_of(shape, device),
                "BiLSTM": torch.nn.LSTM(h, h, bidirectional=True, batch_first=True).to(device),
            }
            for name, encoder in encoders.items():
                yield {
                    "case": f"{words} words, batch {size}",
                    "encoder": name,
                    "milliseconds a batch": 1000 * seconds_a_batch(encoder, shape, device),
                }


def seconds_a_batch(encoder: torch.nn.Module, shape: Shape, device: str, batches: int = 20) -> float:
    inputs, mask = batch(shape, device, torch.float32)
    optimizer = torch.optim.Adam(encoder.parameters(), 1e-3)

    def step() -> None:
        optimizer.zero_grad()
        outputs = encoder(inputs, mask) if isinstance(encoder, SentenceStateLSTM) else encoder(inputs)
        outputs[0].square().mean().backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 3.0)
        optimizer.step()

    for _ in range(5):
        step()
    synchronize(device)
    start = time.perf_counter()
    for _ in range(batches):
        step()
    synchronize(device)
    return (time.perf_counter() - start) / batches


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


FUNCTIONS = {function.__name__: function for function in (checks, wrappers, profile, memory, loops)}


def parts(out: pathlib.Path, device: str) -> Dict[str, Tuple[List[str], int]]:
    """Return each part's command and its time limit in seconds."""
    python = [sys.executable, "-W", "ignore"]
    own = [*python, __file__, str(out), "--device", device, "--part"]
    sweep = [*python, str(HERE / "run.py"), "--device", device, "--output", str(out), "--repeats", "3"]
    # Without `torch.compile`, which takes minutes and comes last.
    versions = [BOUND, LOW_BOUND, "batched", "module: words", LSTM, f"{LSTM}, bfloat16"]
    few = ["--only", *versions, *(f"Triton: {need}" for need in NEEDS)]
    pytest = [*python, "-m", "pytest", "-q", "--device", device, "-p", "no:cacheprovider"]
    return {
        "checks": ([*own, "checks"], 90),
        "figure5": ([*sweep, "--sweeps", "figure5", *few], 90),
        "large": ([*sweep, "--sweeps", "large", *few], 60),
        "profile": ([*own, "profile"], 40),
        "tests": ([*pytest, "tests/ops/slstm_gpu_test.py", "tests/modules"], 150),
        "wrappers": ([*own, "wrappers"], 60),
        "loops": ([*own, "loops"], 30),
        "memory": ([*own, "memory"], 60),
        "hidden": ([*sweep, "--sweeps", "hidden", *few], 60),
        "cas_lstm": ([*sweep, "--sweeps", "cas_lstm"], 40),
        "compiled": ([*sweep, "--sweeps", "shapes"], 120),
    }


def run_part(out: pathlib.Path, part: str, device: str) -> int:
    """Write each finding of one part as a line of JSON. Return 1 if one has not passed."""
    failed = False
    with (out / f"{part}.jsonl").open("w", encoding="utf-8") as file:
        for finding in FUNCTIONS[part](device):
            failed |= finding.get("passed") is False
            for stream in (file, sys.stdout):
                print(json.dumps(finding), file=stream, flush=True)
    return int(failed)


def run_all(out: pathlib.Path, device: str, seconds: int) -> int:
    end = time.monotonic() + seconds
    summary: Dict[str, Any] = {"machine": machine(device)}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])}
    for part, (command, limit) in parts(out, device).items():
        left = int(end - time.monotonic())
        if left < LEAST_SECONDS:
            summary[part] = "skipped: no time left"
            continue
        start = time.monotonic()
        with (out / f"{part}.txt").open("w", encoding="utf-8") as log:
            try:
                done = subprocess.run(
                    command,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=min(limit, left),
                    env=environment,
                )
                status = "passed" if done.returncode == 0 else f"failed: exit status {done.returncode}"
            except subprocess.TimeoutExpired:
                status = f"stopped after {min(limit, left)} s; what it wrote is kept"
        summary[part] = f"{status} ({time.monotonic() - start:.0f} s)"
        print(f"{part}: {summary[part]}", flush=True)
        (out / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")
    return int(any("failed" in str(status) for status in summary.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=560)
    parser.add_argument("--part", choices=FUNCTIONS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU, expected one, or --device cpu as a test of this script")
    torch.backends.cuda.matmul.allow_tf32 = False  # for the checks; run.py allows it for the timings
    if arguments.part:
        return run_part(arguments.out, arguments.part, arguments.device)
    return run_all(arguments.out, arguments.device, arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())
