"""
Run checks and measurements on a GPU, in one call of less than ten minutes:

    PYTHONPATH=. python benchmarks/gpu.py OUT [--seconds 560] [--only PART...] [--data DATA]

This needs PyTorch, Triton, pytest-xdist and allpairspy; some tests need AllenNLP. Each part runs in its
own process and writes into OUT as it goes: OUT/summary.json names the parts that are done. First come
the parts that take no times, all at once; some of them compile what others measure, which PyTorch keeps
on disk. Parts that do not fit into the time are skipped and named. All parts need half an hour: choose
some by `--only`. The exit status is 1 if a part failed. DATA has the folders of the corpora `mtl` and
`pos`; without it, no epochs are timed.

    PYTHONPATH=. python benchmarks/gpu.py OUT --part checks [--device cpu]

runs one part, on a CPU as a test of the script.
"""

import argparse
import concurrent.futures
import copy
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import torch
from run import (
    BOUND,
    COMPILED,
    GRAPHS,
    LOW_BOUND,
    LSTM,
    NEEDS,
    Shape,
    batch,
    machine,
    subjects,
    training_step,
)
from torch import Tensor
from torch.nn.functional import cross_entropy

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.compiled import load_gpu_kernels
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


def use(triton: bool) -> None:
    """Choose between the Triton kernels and PyTorch's own operations."""
    os.environ["SLSTM_ALLENNLP_KERNELS"] = str(int(triton))
    load_gpu_kernels.cache_clear()


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
    """Count launches of a training step, time the GPU's work, and name the three longest kernels."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    cases = [(SMALL, torch.float32), (LARGE, torch.bfloat16)]
    for triton, (shape, dtype) in itertools.product((True, False), cases):
        use(triton)
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
            "Triton": triton,
            "launches": sum(event.count for event in on_gpu),
            "milliseconds": 1000 * wall,
            "busy milliseconds": 1000 * busy,
            "longest": {event.key[:80]: event.self_device_time_total / 1000 for event in longest},
        }


def memory(device: str) -> Iterator[Finding]:
    """Measure the peak memory of each version, and the largest batch of 500 words that fits."""
    if device == "cpu":
        return
    for shape in (SMALL, LARGE):
        for name, step in subjects(shape, device, torch.float32).items():
            if name.startswith(COMPILED):
                continue
            try:
                step.run()
                for weight in step.weights:
                    weight.grad = None
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
                before = torch.cuda.memory_allocated()
                step.run()
                peak = (torch.cuda.max_memory_allocated() - before) / 2**20
                yield {"case": f"{len(shape.lengths)} × {shape.lengths[0]}", "version": name, "MB": peak}
            except torch.cuda.OutOfMemoryError:
                yield {"version": name, "MB": None}
    settings: List[Dict[str, Any]] = [{}, {"recompute": True}, {"bfloat16": True}]
    for triton, options in itertools.product((False, True), settings):
        use(triton)
        yield {"Triton": triton, **options, "batch of 500 words": largest_batch(device, options)}


def largest_batch(device: str, options: Dict[str, Any]) -> int:
    """Return how many sentences of 500 words a training step has memory for: 64, 96, 144, …"""
    size, fits = 64, 0
    try:
        while size <= 8192:
            shape = Shape([500] * size)
            module = module_of(shape, device, **options)
            inputs, mask = batch(shape, device, torch.float32)
            sum(output.sum() for output in module(inputs, mask)).backward()
            fits, size = size, size * 3 // 2
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
    return fits


class Sentences(NamedTuple):
    """A corpus as a model of its sentences' lengths."""

    lengths: List[int]
    per_word: bool  # whether there is a label for each word, else for each sentence


def corpora(data: pathlib.Path) -> Dict[str, Sentences]:
    """Return the lengths of the training sentences of MR and EWT."""
    mr = (data / "mtl" / "MR.task.train").read_text("latin-1").split("\n")
    ewt = (data / "pos" / "en_ewt-ud-train.conllu").read_text("utf-8").split("\n\n")
    words = [sum(line.split("\t")[0].isdigit() for line in part.splitlines()) for part in ewt]
    return {
        "MR": Sentences([len(line.split("\t")[1].split()) for line in mr if line.strip()], False),
        "EWT": Sentences([count for count in words if count], True),
    }


class Model(torch.nn.Module):
    """Embeddings of 300 numbers, an encoder, and a linear layer on words or on their mean."""

    def __init__(self, encoder: torch.nn.Module, size: int, per_word: bool) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(10_000, 300)
        self.encoder, self.per_word = encoder, per_word
        self.output = torch.nn.Linear(size, 17 if per_word else 2)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        inputs = self.embedding(words)
        if isinstance(self.encoder, SentenceStateLSTM):
            states = self.encoder(inputs, mask)[0]
        else:
            states = self.encoder(inputs)[0]  # padded: faster for cuDNN than a packed sequence
        if not self.per_word:
            states = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        return self.output(states)


def epochs(device: str, data: pathlib.Path) -> Iterator[Finding]:
    """Time whole epochs of plain PyTorch, as the paper's Table 4 does: S-LSTM and cuDNN's BiLSTM."""
    h = 300
    encoders: Dict[str, Tuple[bool, int, Callable[[], torch.nn.Module]]] = {
        "S-LSTM, Triton": (True, h, lambda: SentenceStateLSTM(h, h)),
        "BiLSTM, cuDNN": (
            True,
            2 * h,
            lambda: torch.nn.LSTM(h, h, bidirectional=True, batch_first=True),
        ),
        "S-LSTM, PyTorch's own operations": (False, h, lambda: SentenceStateLSTM(h, h)),
    }
    precisions = (False, True) if device == "cuda" else (False,)
    for corpus, sentences in corpora(data).items():
        if device == "cpu":
            sentences = sentences._replace(lengths=sentences.lengths[:20])
        for size, name, low in itertools.product((10, 64), encoders, precisions):
            triton, outputs, encoder = encoders[name]
            if not triton and corpus != "MR":
                continue  # they take the same time for each batch: MR shows it
            use(triton)
            torch.manual_seed(0)
            model = Model(encoder(), outputs, sentences.per_word).to(device)
            seconds = seconds_an_epoch(model, sentences, size, device, low)
            found = {"corpus": corpus, "batch": size, "encoder": name, "bfloat16": low}
            yield {**found, "seconds": seconds}


def seconds_an_epoch(model: Model, sentences: Sentences, size: int, device: str, low: bool) -> float:
    """Train an epoch, after five batches, with sentences of similar lengths in a batch."""
    groups = torch.tensor(sorted(sentences.lengths)).split(size)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    generator = torch.Generator().manual_seed(0)
    for epoch in range(2):
        synchronize(device)
        start = time.perf_counter()
        order = torch.randperm(len(groups), generator=generator).tolist()
        for number in order if epoch else order[:5]:
            mask = torch.arange(int(groups[number].max())) < groups[number].unsqueeze(1)
            words = torch.randint(10_000, mask.shape, generator=generator).to(device)
            mask = mask.to(device)
            labels = words % (17 if sentences.per_word else 2)
            optimizer.zero_grad()
            with torch.autocast(device, torch.bfloat16, enabled=low):
                logits = model(words, mask)
            if sentences.per_word:
                loss = cross_entropy(logits[mask].float(), labels[mask])
            else:
                loss = cross_entropy(logits.float(), labels[:, 0])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 3.0)
            optimizer.step()
        synchronize(device)
    return time.perf_counter() - start


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


FUNCTIONS: Dict[str, Callable[..., Iterator[Finding]]] = {
    function.__name__: function for function in (checks, wrappers, profile, memory, epochs)
}


class Part(NamedTuple):
    """A command, its time limit in seconds, and whether it takes times and so must run alone."""

    command: List[str]
    limit: int
    timed: bool = True


def parts(out: pathlib.Path, device: str, data: Optional[pathlib.Path]) -> Dict[str, Part]:
    python = [sys.executable, "-W", "ignore"]
    own = [*python, __file__, str(out), "--device", device, "--part"]
    run_py = [*python, str(HERE / "run.py"), "--device", device, "--repeats", "3", "--output"]
    sweep, second = [*run_py, str(out)], [*run_py, str(out / "compiled")]
    eager = [BOUND, LOW_BOUND, "batched", "batched, bfloat16", LSTM, f"{LSTM}, bfloat16"]
    eager += [f"Triton: {need}" for need in NEEDS]
    compiled = [f"{name}{low}" for name in (COMPILED, GRAPHS) for low in ("", ", bfloat16")]
    # Interrupted in time, pytest still says what has failed.
    pytest = ["timeout", "--signal", "INT", "140", *python, "-m", "pytest", "-q", "--device", device]
    pytest += ["-p", "no:cacheprovider", "-n", "7"]
    found = {
        "checks": Part([*own, "checks"], 150, timed=False),
        "kernels": Part([*pytest, "tests/ops/slstm_gpu_test.py"], 150, timed=False),
        "tests": Part([*pytest, "-m", "not slow", "tests/ops", "tests/modules"], 150, timed=False),
        "wrappers": Part([*own, "wrappers"], 150, timed=False),
    }
    for number, name in enumerate(compiled):  # what `compiled_300` measures: PyTorch keeps it on disk
        command = [*run_py, str(out / f"compile_{number}"), "--sweeps", "first_300", "--only", name]
        found[f"compile_{number}"] = Part(command, 190, timed=False)
    beside = [LSTM, f"{LSTM}, bfloat16", *compiled]
    found["compiled_300"] = Part([*second, "--sweeps", "figure5_300", "--only", *beside], 200)
    found["large"] = Part([*sweep, "--sweeps", "large", "--only", *eager], 60)
    found["figure5_300"] = Part([*sweep, "--sweeps", "figure5_300", "--only", *eager], 120)
    if data is not None:
        found["epochs"] = Part([*own, "epochs", "--data", str(data)], 90)
    found["memory"] = Part([*own, "memory"], 60)
    for h in (100, 600):
        found[f"figure5_{h}"] = Part([*sweep, "--sweeps", f"figure5_{h}", "--only", *eager], 90)
    found["profile"] = Part([*own, "profile"], 40)
    found["cas_lstm"] = Part([*sweep, "--sweeps", "cas_lstm"], 40)
    return found


def run_part(out: pathlib.Path, part: str, device: str, data: Optional[pathlib.Path]) -> int:
    """Write each finding of one part as a line of JSON. Return 1 if one has not passed."""
    failed = False
    with (out / f"{part}.jsonl").open("w", encoding="utf-8") as file:
        for finding in FUNCTIONS[part](device, *([data] if part == "epochs" else [])):
            failed |= finding.get("passed") is False
            for stream in (file, sys.stdout):
                print(json.dumps(finding), file=stream, flush=True)
    return int(failed)


def run(part: Part, log: pathlib.Path, end: float) -> str:
    """Run a part, and say how it ended."""
    start = time.monotonic()
    left = int(end - start)
    if left < LEAST_SECONDS:
        return "skipped: no time left"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])}
    limit = min(part.limit, left)
    with log.open("w", encoding="utf-8") as file:
        try:
            done = subprocess.run(
                part.command, stdout=file, stderr=subprocess.STDOUT, timeout=limit, env=environment
            )
            status = "passed" if done.returncode == 0 else f"failed: exit status {done.returncode}"
        except subprocess.TimeoutExpired:
            status = f"stopped after {limit} s; what it wrote is kept"
    return f"{status} ({time.monotonic() - start:.0f} s)"


def run_all(out: pathlib.Path, device: str, seconds: int, chosen: Dict[str, Part]) -> int:
    """Run the parts that take no times all at once, then the others one after another."""
    end = time.monotonic() + seconds
    summary: Dict[str, Any] = {"machine": machine(device)}
    lock = threading.Lock()

    def one(name: str) -> None:
        status = run(chosen[name], out / f"{name}.txt", end)
        with lock:
            summary[name] = status
            print(f"{name}: {status}", flush=True)
            (out / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")

    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        list(pool.map(one, [name for name, part in chosen.items() if not part.timed]))
    for name, part in chosen.items():
        if part.timed:
            one(name)
    return int(any("failed" in str(status) for status in summary.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=560)
    parser.add_argument("--only", nargs="+", metavar="PART", help="or the beginning of its name")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--part", choices=FUNCTIONS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU, expected one, or --device cpu as a test of this script")
    if arguments.part:
        # As run.py does for its timings, but not for the checks.
        torch.backends.cuda.matmul.allow_tf32 = arguments.part in ("profile", "memory", "epochs")
        return run_part(arguments.out, arguments.part, arguments.device, arguments.data)
    chosen = parts(arguments.out, arguments.device, arguments.data)
    if arguments.only:
        chosen = {name: p for name, p in chosen.items() if name.startswith(tuple(arguments.only))}
    return run_all(arguments.out, arguments.device, arguments.seconds, chosen)


if __name__ == "__main__":
    sys.exit(main())
