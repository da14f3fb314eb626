"""
Measure time and memory of a training step, forward and backward. The S-LSTM's versions are compared with
`torch.nn.LSTM` and with the literal bound: the bare matrix products of the paper's equations. The
CAS-LSTM is compared with a `torch.nn.LSTM` of two layers.

    python benchmarks/run.py                     # all sweeps: print tables, write JSON and plots
    python benchmarks/run.py --sweeps shapes     # one of them
    python benchmarks/run.py --sweeps prediction --threads 1    # no gradients, against packed products
    python benchmarks/run.py --sweeps texts texts_300           # against AllenNLP's `lstm`
    python benchmarks/run.py --sweeps compile --threads 1       # torch.compile of the module
    python benchmarks/run.py --sweeps cas_lstm
    python benchmarks/run.py --device cuda --sweeps figure5_300
    python benchmarks/run.py --device cuda --sweeps large

Versions take turns within a run, and each time is a median. Compare only times of one table, not with
those of another machine or day. Only two sweeps need AllenNLP. Plots need Matplotlib, and the kernels
for GPUs need Triton.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import platform
import statistics
import sys
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM, PaddedLSTM, SentenceStateLSTM
from slstm_allennlp.ops.cas_lstm import fused_cas_lstm_layer, hoisted_cas_lstm_layer
from slstm_allennlp.ops.compiled import load_gpu_kernels, load_kernels
from slstm_allennlp.ops.products import packed, product
from slstm_allennlp.ops.slstm import batched_slstm, fused_slstm

HERE = pathlib.Path(__file__).parent
FIGURE_5 = (16.7, 29.9, 43.8, 59.4, 76.7, 97.6, 124.4, 161.6, 226.8, 484.3)  # the paper's mean lengths
BOUND, LOW_BOUND = "literal bound", "literal bound, bfloat16"
LSTM = "torch.nn.LSTM, 2 directions"
COMPILED, GRAPHS = "torch.compile", "torch.compile, CUDA graphs"
PACKED, LOW_PACKED = "bare products, packed", "bare products, packed, bfloat16"
ALLENNLP = "AllenNLP's lstm"
TEXTS = (16, 32, 64, 125, 250, 500)  # mean words per text
STEPS_PER_TIMING = 5  # on a GPU, before it is synchronized


# The outputs that are computed, and options. "bfloat16" uses `torch.autocast`.
NEEDS = ("words", "sentence", "words, recompute", "words, bfloat16", "sentence, bfloat16")


class Shape(NamedTuple):
    """The sentence lengths of a batch, and the encoder's sizes."""

    lengths: List[int]
    hidden_size: int = 300
    num_steps: int = 9

    @property
    def words(self) -> int:
        return sum(self.lengths)


class Case(NamedTuple):
    """One shape of a sweep, and its name."""

    name: str
    shape: Shape


class Step(NamedTuple):
    """A training step, and the weights that it trains."""

    run: Callable[[], Any]
    weights: Sequence[Tensor] = ()


Subjects = Callable[[Shape, str, torch.dtype], Dict[str, Step]]


def batch(shape: Shape, device: str, dtype: torch.dtype) -> Any:
    lengths = torch.tensor(shape.lengths, device=device)
    mask = torch.arange(max(shape.lengths), device=device) < lengths.unsqueeze(1)
    inputs = torch.randn(*mask.shape, shape.hidden_size, device=device, dtype=dtype)
    return inputs.requires_grad_(), mask


def training_step(module: torch.nn.Module, inputs: Tensor, forward: Callable[[], Any]) -> Step:
    def run() -> None:
        module.zero_grad(set_to_none=True)
        inputs.grad = None
        sum(output.sum() for output in forward() if output is not None).backward()

    return Step(run, list(module.parameters()))


def literal_bound(shape: Shape, device: str, dtype: torch.dtype) -> Step:
    """
    Compute the matrix products of Eqs. 2 and 3 over the real words: T of (R, 3h) × (3h, 7h), T of
    (R, h) × (h, h) and one of (R, d) × (d, 7h). Each has two backward products.
    """
    h, rows = shape.hidden_size, shape.words

    def random(*size: int) -> Tensor:
        return torch.randn(*size, device=device, dtype=dtype)

    products = [(random(rows, 3 * h), random(7 * h, 3 * h), random(rows, 7 * h), shape.num_steps)]
    products.append((random(rows, h), random(h, h), random(rows, h), shape.num_steps))
    products.append((random(rows, h), random(7 * h, h), random(rows, 7 * h), 1))

    def run() -> None:
        for x, weight, gradient, times in products:
            for _ in range(times):
                x @ weight.t()
                gradient @ weight
                gradient.t() @ x

    return Step(run)


def all_kernels(operation: str, device: str, dtype: torch.dtype) -> Dict[str, Any]:
    """Return the compiled kernels that are available here, by name."""
    found = {}
    if device == "cpu" and dtype in (torch.float32, torch.float64):
        found["compiled"] = load_kernels(operation)
    if device == "cuda" and operation == "slstm":
        found["Triton"] = load_gpu_kernels(operation, torch.device(device))
    return {name: kernels for name, kernels in found.items() if kernels is not None}


def in_bfloat16(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.autocast("cuda", torch.bfloat16)(function)


@functools.cache
def compiled_for_gpus(h: int, num_steps: int, dtype: torch.dtype, mode: Optional[str]) -> Any:
    """Return a module and what `torch.compile` makes of it, which takes batches of any size."""
    module = SentenceStateLSTM(h, h, num_steps).to("cuda", dtype)
    return module, torch.compile(module, dynamic=True, mode=mode)


def compiled_steps(shape: Shape, inputs: Tensor, mask: Tensor) -> Iterator[Tuple[str, Step]]:
    """
    Return training steps of the compiled module in two precisions, without and with CUDA graphs, which
    launch all kernels at once and are recorded again for each shape.
    """
    for low in (False, True):
        for name, mode in ((COMPILED, None), (GRAPHS, "reduce-overhead")):
            module, compiled = compiled_for_gpus(*shape[1:], inputs.dtype, mode)
            forward = in_bfloat16(compiled) if low else compiled
            yield (
                name + ", bfloat16" * low,
                training_step(module, inputs, functools.partial(forward, inputs, mask)),
            )


def subjects(shape: Shape, device: str, dtype: torch.dtype) -> Dict[str, Step]:
    """Return every version that runs here. "words" computes only the words, "sentence" only g."""
    inputs, mask = batch(shape, device, dtype)
    h = shape.hidden_size
    module = SentenceStateLSTM(h, h, shape.num_steps).to(device, dtype)
    result = {BOUND: literal_bound(shape, device, dtype)}

    def batched() -> Any:
        return batched_slstm(inputs, mask, module.weights, module.settings)

    result["batched"] = training_step(module, inputs, batched)
    if device == "cuda":
        result[LOW_BOUND] = literal_bound(shape, device, torch.bfloat16)
        result["batched, bfloat16"] = training_step(module, inputs, in_bfloat16(batched))
        result.update(compiled_steps(shape, inputs, mask))
    for name, kernels in all_kernels("slstm", device, dtype).items():
        for need in NEEDS:

            def fused(kernels: Any = kernels, need: str = need) -> Any:
                with torch.autocast(device, torch.bfloat16, enabled="bfloat16" in need):
                    return fused_slstm(
                        inputs,
                        mask,
                        module.weights,
                        module.settings,
                        kernels=kernels,
                        need_words="words" in need,
                        need_sentence="words" not in need,
                        recompute="recompute" in need,
                    )

            result[f"{name}: {need}"] = training_step(module, inputs, fused)
    lstm = torch.nn.LSTM(h, h, bidirectional=True, batch_first=True).to(device, dtype)
    packed = (torch.tensor(shape.lengths), True, False)

    def recurrent() -> Any:
        if min(shape.lengths) == max(shape.lengths):
            return [lstm(inputs)[0]]
        sequence = torch.nn.utils.rnn.pack_padded_sequence(inputs, *packed)
        return [lstm(sequence)[0].data]

    result[LSTM] = training_step(lstm, inputs, recurrent)
    if device == "cuda":
        result[f"{LSTM}, bfloat16"] = training_step(lstm, inputs, in_bfloat16(recurrent))
    return result


def compile_subjects(shape: Shape, device: str, dtype: torch.dtype) -> Dict[str, Step]:
    """
    Return training steps of the module, of PyTorch's own operations and of what `torch.compile` makes of
    them. With different lengths in `shape`, each is the length of one batch of ten sentences, and a step
    trains on all batches.
    """
    torch._dynamo.reset()  # after a few shapes, it silently stops compiling a function
    h, varies = shape.hidden_size, len(set(shape.lengths)) > 1
    shapes = [shape._replace(lengths=[n] * 10) for n in shape.lengths] if varies else [shape]
    batches = [batch(one, device, dtype) for one in shapes]
    module = SentenceStateLSTM(h, h, shape.num_steps).to(device, dtype)
    own = functools.partial(batched_slstm, weights=module.weights, settings=module.settings)
    versions = {"module": module, "batched": own, "torch.compile": torch.compile(module, dynamic=varies)}
    result = {}
    for name, version in versions.items():
        steps = [
            training_step(module, inputs, functools.partial(version, inputs, mask)).run
            for inputs, mask in batches
        ]

        def run(steps: Any = steps) -> None:
            for step in steps:
                step()

        start = time.perf_counter()
        run()
        print(f"{name}: the first pass took {time.perf_counter() - start:.1f} s", file=sys.stderr)
        result[name] = Step(run, list(module.parameters()))
    return result


def cas_lstm_subjects(shape: Shape, device: str, dtype: torch.dtype) -> Dict[str, Step]:
    """Return encoders of two layers in one direction. The baseline comes first."""
    inputs, mask = batch(shape, device, dtype)
    h = shape.hidden_size
    lstm = torch.nn.LSTM(h, h, num_layers=2, batch_first=True).to(device, dtype)
    result = {
        "torch.nn.LSTM, 2 layers": training_step(lstm, inputs, lambda: [lstm(inputs)[0]]),
    }
    module = CellAwareStackedLSTM(h, h).to(device, dtype)
    versions: Dict[str, Any] = {"hoisted": hoisted_cas_lstm_layer}
    for name, kernels in all_kernels("cas_lstm", device, dtype).items():
        versions[name] = functools.partial(fused_cas_lstm_layer, kernels=kernels)
    for name, layer in versions.items():

        def forward(layer: Any = layer) -> Any:
            words, cells = inputs.transpose(0, 1).unsqueeze(0), None
            for weights in (part.weights for part in module.layers):
                states = layer(words, cells, weights)
                words, cells = states.h, states.c
            return [words]

        result[f"CAS-LSTM, {name}"] = training_step(module, inputs, forward)
    result["CAS-LSTM, module"] = training_step(module, inputs, lambda: module(inputs, mask)[:1])
    return result


def sizes_of_products(words: int, sentences: int, d: int, h: int, steps: int) -> List[Tuple[int, ...]]:
    """Return rows, inputs, outputs and count of all matrix products. `words` includes ⟨s⟩ and ⟨/s⟩."""
    sizes = [(words, d, 7 * h, 1)]  # U x
    sizes += [(words, 3 * h, 7 * h, steps), (words, h, h, steps)]  # W ξ, U_f h
    return sizes + [(sentences, h, n * h, steps) for n in (7, 3, 1, 1)]  # V g, W g, U_g h̄, U_o h̄


def prediction_subjects(shape: Shape, device: str, dtype: torch.dtype) -> Dict[str, Step]:
    """
    Return encoders without gradients, and the bare products of all equations: over all words, ⟨s⟩ and
    ⟨/s⟩ included, with weights that the faster library packed in advance.
    """
    inputs, mask = batch(shape, device, dtype)
    h, sentences = shape.hidden_size, len(shape.lengths)
    sizes = sizes_of_products(shape.words + 2 * sentences, sentences, h, h, shape.num_steps)

    def bare(dtype: torch.dtype) -> Step:
        products = [
            (
                torch.randn(rows, n, dtype=dtype),
                packed(torch.randn(m, n, dtype=dtype), rows),
                times,
            )
            for rows, n, m, times in sizes
        ]

        def run() -> None:
            for x, weight, times in products:
                for _ in range(times):
                    product(x, weight)

        return Step(torch.no_grad()(run))

    def without_gradients(module: torch.nn.Module, *arguments: Any) -> Step:
        return Step(torch.no_grad()(functools.partial(module.to(device, dtype).eval(), *arguments)))

    lstm = torch.nn.LSTM(h, h, bidirectional=True, batch_first=True)
    result = {PACKED: bare(dtype), LOW_PACKED: bare(torch.bfloat16)}
    for name, settings in (
        ("S-LSTM", {}),
        ("S-LSTM, bfloat16", {"bfloat16": True}),
        ("S-LSTM, fastnlp", {"transition": "fastnlp"}),
    ):
        module = SentenceStateLSTM(h, h, shape.num_steps, **settings)
        result[name] = without_gradients(module, inputs, mask)
    return {**result, LSTM: without_gradients(lstm, inputs)}


def text_subjects(shape: Shape, device: str, dtype: torch.dtype) -> Dict[str, Step]:
    """
    Return the bidirectional encoders of AllenNLP, and the S-LSTM. At 64 units all have 169 thousand
    weights, like the S-LSTM; at other sizes all have states of the same size.
    """
    from allennlp.modules.seq2seq_encoders import LstmSeq2SeqEncoder

    inputs, mask = batch(shape, device, dtype)
    d = shape.hidden_size
    of_lstm, of_two, of_coupled = (116, 65, 116) if d == 64 else (d // 2, d // 2, d // 2)
    modules = {
        ALLENNLP: LstmSeq2SeqEncoder(d, of_lstm, bidirectional=True),
        f"{ALLENNLP}, 2 layers": LstmSeq2SeqEncoder(d, of_two, num_layers=2, bidirectional=True),
        "padded_lstm": PaddedLSTM(d, of_lstm, bidirectional=True),
        "coupled_lstm": CoupledLSTM(d, of_coupled, bidirectional=True),
        "S-LSTM": SentenceStateLSTM(d, d, shape.num_steps),
    }
    return {
        name: training_step(
            module,
            inputs,
            lambda module=module: first_of(module(inputs, mask)),  # type: ignore[misc]
        )
        for name, module in modules.items()
    }


def first_of(outputs: Any) -> List[Tensor]:
    """Return the word states of an encoder, which may have further outputs."""
    return [outputs if isinstance(outputs, Tensor) else outputs[0]]


def median_seconds(steps: Dict[str, Step], repeats: int, device: str) -> Dict[str, float]:
    """
    Return the median time of each step; the steps take turns. On a GPU several steps make one timing, as
    in training, which does not synchronize after a step.
    """

    def on_cpu(step: Step) -> float:
        start = time.perf_counter()
        step.run()
        return time.perf_counter() - start

    def on_gpu(step: Step) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        for _ in range(STEPS_PER_TIMING):
            step.run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000 / STEPS_PER_TIMING  # from milliseconds

    once = on_gpu if device == "cuda" else on_cpu
    times: Dict[str, List[float]] = {name: [] for name in steps}
    for _ in range(repeats):
        for name, step in steps.items():
            times[name].append(once(step))
    return {name: statistics.median(values) for name, values in times.items()}


def warm_up(steps: Dict[str, Step], case: str, device: str) -> Dict[str, Step]:
    """Run the first steps, which compile and fill caches. Return the steps that run without an error."""
    running = {}
    for name, step in steps.items():
        start = time.perf_counter()
        try:
            for _ in range(3 if device == "cuda" else 1):
                step.run()
        except Exception as error:  # out of memory, or whatever a compiler raises
            reason = str(error).strip().split("\n")[0]
            print(f"{case}: left out {name} ({type(error).__name__}: {reason})", file=sys.stderr)
        else:
            running[name] = step
        seconds = time.perf_counter() - start
        if seconds > 5:
            print(
                f"{case}: the first passes of {name} took {seconds:.0f} s", file=sys.stderr, flush=True
            )
    return running


def saved_floats(step: Step, shape: Shape) -> float:
    """
    Count what autograd saves in a step in addition to the weights, in floats per word and unit. It does
    not include what oneDNN saves for `torch.nn.LSTM` on a CPU.
    """
    storages: Dict[int, float] = {}
    weights = {storage_of(weight).data_ptr() for weight in step.weights}
    of_float = torch.finfo(torch.get_default_dtype()).bits // 8  # bytes, also for lower precision

    def pack(tensor: Tensor) -> Tensor:
        if tensor.is_floating_point():
            storage = storage_of(tensor)
            storages[storage.data_ptr()] = storage.nbytes() / of_float
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        step.run()
    own = sum(size for place, size in storages.items() if place not in weights)
    return own / (shape.words * shape.hidden_size)


def storage_of(tensor: Tensor) -> Any:
    return getattr(tensor, "untyped_storage", tensor.storage)()  # PyTorch 1 has only `storage`


def evenly_spaced(shortest: int, longest: int, sentences: int) -> List[int]:
    """Return evenly spaced lengths, the longest first."""
    difference = (longest - shortest) / (sentences - 1)
    return [round(longest - index * difference) for index in range(sentences)]


# On a CPU, these are skipped, unless they are requested.
FOR_GPUS: Dict[str, List[Case]] = {
    "large": [Case("batch 64 × 230", Shape([230] * 64))],
    **{
        f"figure5_{h}": [
            Case(f"{size} × {round(length)}", Shape([round(length)] * size, h))
            for size in (10, 64)
            for length in FIGURE_5[:: 1 if h == 300 else 2]
        ]
        for h in (100, 300, 600)
    },
    "first_300": [Case("batch 10 × 24", Shape([24] * 10))],
}
SWEEPS: Dict[str, List[Case]] = {
    "shapes": [
        Case("batch 10 × 24", Shape([24] * 10)),
        Case("batch 16 × 230", Shape([230] * 16)),
    ],
    "compile": [
        Case("10 × 24", Shape([24] * 10)),
        Case("16 × 100", Shape([100] * 16)),
        Case("eight batches, 10 × 12 to 40", Shape([12, 16, 20, 24, 28, 32, 36, 40])),
    ],
    "cas_lstm": [
        Case("batch 32 × 25", Shape([25] * 32)),
        Case("batch 32 × 25, h = 100", Shape([25] * 32, hidden_size=100)),
    ],
    "prediction": [
        Case(f"{size} × {length}", Shape([length] * size))
        for size, length in ((1, 5), (1, 20), (1, 60), (1, 170), (8, 20), (32, 20))
    ],
    **{
        name: [
            Case(f"{n}", Shape(evenly_spaced(round(0.9 * n), round(1.08 * n), 10), size)) for n in TEXTS
        ]
        for name, size in (("texts", 64), ("texts_300", 300))
    },
    **FOR_GPUS,
}


SUBJECTS: Dict[str, Subjects] = {  # all others: `subjects`
    "cas_lstm": cas_lstm_subjects,
    "compile": compile_subjects,
    "prediction": prediction_subjects,
    "texts": text_subjects,
    "texts_300": text_subjects,
}
# The baseline of a table; the default is its first line.
COMPARED_WITH = {"large": LOW_BOUND, **{name: LSTM for name in SWEEPS if name.startswith("figure5")}}


def measure(
    subjects: Subjects,
    cases: Iterable[Case],
    repeats: int,
    device: str,
    dtype: torch.dtype,
    only: Optional[List[str]],
    first: Optional[str],
) -> Iterator[Dict[str, Any]]:
    """Measure each case."""
    for case in cases:
        steps = subjects(case.shape, device, dtype)
        steps = {name: step for name, step in steps.items() if only is None or name in only}
        if first in steps:
            steps = {first: steps[first], **steps}
        reference = next(iter(steps), "")
        steps = warm_up(steps, case.name, device)
        times = median_seconds(steps, repeats, device)
        # torch.compile would recompile for the hooks that count saved tensors.
        memory = {
            name: saved_floats(step, case.shape)
            for name, step in steps.items()
            if name not in (BOUND, LOW_BOUND, PACKED, LOW_PACKED) and "torch.compile" not in name
        }
        row = {"case": case.name, "words": case.shape.words, "seconds": times, "floats kept": memory}
        yield {**row, "compared with": reference}


def table(rows: List[Dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row["seconds"]))
    lines = ["| | " + " | ".join(row["case"] for row in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    for name in names:
        cells = []
        for row in rows:
            if name not in row["seconds"]:
                cells.append("")
                continue
            value, bound = row["seconds"][name], row["seconds"].get(row["compared with"])
            ratio = f" ({value / bound:.2f})" if bound and name != row["compared with"] else ""
            memory = row["floats kept"].get(name)
            memory = f", {memory:.0f} kept" if memory is not None else ""
            cells.append(f"{1e6 * value / row['words']:.1f}{ratio}{memory}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(rows: List[Dict[str, Any]], title: str, path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    times = [{name: 1e6 * s / row["words"] for name, s in row["seconds"].items()} for row in rows]
    memory = [row["floats kept"] for row in rows]
    figure, panels = pyplot.subplots(1, 2, figsize=(13, 5), layout="constrained")
    names = list(dict.fromkeys(name for row in times for name in row))
    for axes, of_rows in zip(panels, (times, memory)):
        for index, name in enumerate(names):
            places = [place for place, row in enumerate(of_rows) if name in row]
            values = [of_rows[place][name] for place in places]
            style = {"linestyle": ("-", "--", "-.", ":")[index % 4], "marker": "osv^Dxp*"[index % 8]}
            axes.plot(places, values, color="black", label=name, **style)
        axes.set_xticks(range(len(rows)), [row["case"] for row in rows])
        axes.set_xlabel(title)
        if any(of_rows):
            axes.set_yscale("log")
    panels[0].set_ylabel("microseconds a word")
    panels[1].set_ylabel("floats that autograd keeps, a word and unit")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper", fontsize=7)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def machine(device: str) -> Dict[str, Any]:
    name = torch.cuda.get_device_name() if device == "cuda" else platform.processor()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if device == "cpu" and cpuinfo.exists():
        models = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        name = models[0].split(":")[1].strip() if models else name
    about = {"device": name, "threads": torch.get_num_threads(), "torch": torch.__version__}
    if device == "cuda":
        triton = importlib.util.find_spec("triton") and importlib.import_module("triton").__version__
        about.update(cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version(), triton=triton)
        about["float32 products"] = "TF32"
    return about


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sweeps", nargs="+", choices=SWEEPS, help="default: all that suit the device")
    parser.add_argument("--only", nargs="+", help="names of versions, as in the tables")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--threads", type=int, help="default: PyTorch's choice")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "results")
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    if arguments.device == "cuda":
        # cuDNN's LSTM uses TF32 by default, so allow it for all.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    sweeps = arguments.sweeps or [
        sweep for sweep in SWEEPS if arguments.device == "cuda" or sweep not in FOR_GPUS
    ]
    torch.manual_seed(0)
    arguments.output.mkdir(parents=True, exist_ok=True)
    dtype = getattr(torch, arguments.dtype)
    about = machine(arguments.device)
    print(", ".join(f"{name}: {value}" for name, value in about.items()))
    for sweep in sweeps:
        name = f"{sweep}-{arguments.device}-{arguments.dtype}"
        rows: List[Dict[str, Any]] = []
        for row in measure(
            SUBJECTS.get(sweep, subjects),
            SWEEPS[sweep],
            arguments.repeats,
            arguments.device,
            dtype,
            arguments.only,
            COMPARED_WITH.get(sweep),
        ):
            rows.append(row)  # and write at once, in case that a long sweep is interrupted
            (arguments.output / f"{name}.json").write_text(json.dumps({**about, "rows": rows}, indent=2))
        print(f"\n{sweep}: microseconds a word, (times the first line's), floats kept a word and unit\n")
        print(table(rows), flush=True)
        if importlib.util.find_spec("matplotlib") is None:
            print("\nNo plot: Matplotlib is not installed.")
        else:
            plot(rows, sweep, arguments.output / f"{name}.png")


if __name__ == "__main__":
    main()
