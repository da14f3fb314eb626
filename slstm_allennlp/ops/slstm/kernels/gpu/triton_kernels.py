"""
The functions of cpu.cpp as Triton kernels for GPUs. Each reads and writes its tensors once,
in one launch (`word_backward` in two). Sums are deterministic: their order does not depend on the run.

Tensors may have different floating-point types. What has less than single precision becomes float32 when
it is read, and results are rounded when they are written. A state has the type of c, and a gradient the
type of the tensor it belongs to. Rows after the R words, which a GPU does not need, are not written.
kernels/__init__.py documents the functions and the shapes.
"""

# mypy: disallow-untyped-defs=False
# (Triton's blocks and pointers have no types in Python.)

import sys
from functools import partial
from typing import Any, Iterator, List, Optional, Union

import torch
import triton
import triton.language as tl
from torch import Tensor

from slstm_allennlp.ops.slstm.batched import batched_slstm
from slstm_allennlp.ops.slstm.fused import fused_slstm
from slstm_allennlp.ops.slstm.settings import SlstmSettings, Transition
from slstm_allennlp.ops.slstm.weights import SlstmWeights, initial_weights

if tuple(int(part) for part in triton.__version__.split(".")[:2]) < (3, 3):
    raise ImportError(f"Triton is {triton.__version__}, expected 3.3 or later")

# A program computes a chunk: _ROWS words of one sentence and _COLUMNS of the h dimensions. In the
# kernels of Eq. 3, it loops over a sentence, _NODE_ROWS words at a time, for _NODE_COLUMNS of the
# dimensions. With Triton's default of four warps, a thread has four or eight elements of a tensor: one
# or two loads of 16 bytes in float32, the largest load of one instruction.
_ROWS, _COLUMNS = tl.constexpr(8), tl.constexpr(64)
_NODE_ROWS, _NODE_COLUMNS = tl.constexpr(32), tl.constexpr(32)
_SEARCHED = tl.constexpr(128)  # sentences per iteration when a program searches for its own
_SUMMED = tl.constexpr(16)  # partial sums per iteration


def word_forward(cu_seqlens, window_size, sigmoid_first, pre, Ux, Vg, c, c_g, x):
    h_new, c_new = torch.empty_like(c), torch.empty_like(c)
    tensors = pre, Ux, Vg, c, c_g, x, h_new, c_new
    _launch_on_words(
        _word_forward, c, cu_seqlens, *tensors, WINDOW=window_size, SIGMOID_FIRST=sigmoid_first
    )
    return h_new, c_new


def word_backward(
    cu_seqlens, window_size, sigmoid_first, pre, Ux, Vg, c, c_g, x, c_new, dh, dc, d_pre, d_Ux, d_x
):
    sentences, chunks, hidden_size = len(cu_seqlens) - 1, _chunks(cu_seqlens, c), c.size(1)
    # `weights`: the words' contributions to their neighbours' gradients of c. `partial`: each chunk's
    # sums, for the sentence.
    dtype = torch.promote_types(c.dtype, torch.float32)
    weights = c.new_empty(len(c), (2 * window_size + 1) * hidden_size, dtype=dtype)
    d_c = torch.empty_like(c)
    d_Vg = d_c_g = partial = None
    sums = 0
    if Vg is not None:
        d_Vg, d_c_g = torch.empty_like(Vg), torch.empty_like(c_g)
        sums = Vg.size(1) // hidden_size + 1
        partial = c.new_empty(chunks, sums * hidden_size, dtype=dtype)
    given, results = (pre, Ux, Vg, c, c_g, x, c_new, dh, dc), (d_pre, d_Ux, d_x, weights, partial)
    options = {"WINDOW": window_size, "SIGMOID_FIRST": sigmoid_first}
    _launch_on_words(_word_backward, c, cu_seqlens, *given, *results, **options)
    arguments = cu_seqlens, weights, partial, d_c, d_Vg, d_c_g, chunks, sentences
    programs = chunks + sentences * sums
    _launch(_word_backward_sums, programs, hidden_size, *arguments, WINDOW=window_size, SUMS=sums)
    return d_Vg, d_c, d_c_g


def node_forward(cu_seqlens, sigmoid_first, Uf, Wf, f_g, o, c, c_g):
    results = [torch.empty_like(c_g) for _ in range(3)]
    tensors = cu_seqlens, Uf, Wf, f_g, o, c, c_g, *results
    options = {"columns": _NODE_COLUMNS.value, "SIGMOID_FIRST": sigmoid_first}
    _launch(_node_forward, *c_g.shape, *tensors, **options)
    return results


def node_backward(
    cu_seqlens, sigmoid_first, Uf, Wf, f_g, o, c, c_g, c_g_new, log_total, dg, dc_g, d_Uf, d_c
):
    d_Wf, d_f_g, d_o, d_c_g = (torch.empty_like(tensor) for tensor in (Wf, f_g, o, c_g))
    given = cu_seqlens, Uf, Wf, f_g, o, c, c_g, c_g_new, log_total, dg, dc_g
    tensors = *given, d_Uf, d_Wf, d_f_g, d_o, d_c, d_c_g
    options = {"columns": _NODE_COLUMNS.value, "SIGMOID_FIRST": sigmoid_first}
    _launch(_node_backward, *c_g.shape, *tensors, **options)
    return d_Wf, d_f_g, d_o, d_c_g


def windows(cu_seqlens, window_size, states, result):
    _launch_on_words(_windows, states, cu_seqlens, states, result, WINDOW=window_size)


def windows_backward(cu_seqlens, window_size, d_windows, d_states):
    _launch_on_words(_windows_backward, d_states, cu_seqlens, d_windows, d_states, WINDOW=window_size)


def try_out(device: Union[str, torch.device]) -> None:
    """
    Compute values and gradients of a small S-LSTM, whatever the caller's modes. Raise Triton's error if
    a kernel cannot be compiled for this device or run on it, and `RuntimeError` if a result differs from
    that of `batched_slstm`. Global random numbers do not change.
    """
    kind = torch.device(device).type
    with torch.inference_mode(False), torch.enable_grad(), torch.autocast(kind, enabled=False):
        for index, (our, exact) in enumerate(zip(*_small_results(device))):
            if not torch.allclose(our, exact, rtol=3e-3, atol=3e-3):  # TF32 has 10 bits
                away = (our - exact).abs().max().item()
                raise RuntimeError(
                    f"result {index} of a small batch is {away:.1e} away from PyTorch's own"
                )


def _small_results(device: Union[str, torch.device]) -> Iterator[List[Tensor]]:
    """Return the values and gradients of a small S-LSTM, by the kernels and by PyTorch's operations."""
    settings = SlstmSettings(5, 5, 2, 1, 1, Transition(), layer_norm=False)
    generator = torch.Generator("cpu").manual_seed(0)

    def random(*size: int) -> Tensor:
        return torch.randn(*size, generator=generator, device="cpu").to(device)

    with torch.device("meta"):
        shapes = initial_weights(settings)
    weights = SlstmWeights._make(
        None if weight is None else random(*weight.shape).requires_grad_() for weight in shapes
    )
    variables = [weight for weight in weights if weight is not None]
    inputs = random(3, 9, 5)
    mask = torch.arange(9, device=device) < torch.tensor([[9], [0], [2]], device=device)
    functions: List[Any] = [partial(fused_slstm, kernels=sys.modules[__name__]), batched_slstm]
    for function in functions:
        outputs = function(inputs, mask, weights, settings)
        loss = torch.stack([output.pow(2).sum() for output in outputs]).sum()
        yield [*outputs, *torch.autograd.grad(loss, variables)]


def _chunks(cu_seqlens: Tensor, rows: Tensor) -> int:
    """An upper bound of the number of chunks that needs no look at `cu_seqlens`: see `_places`."""
    return len(rows) // _ROWS.value + len(cu_seqlens) - 1


def _launch_on_words(
    kernel: Any, states: Tensor, cu_seqlens: Tensor, *tensors: Optional[Tensor], **constants: Any
) -> None:
    """Launch a kernel with one program per chunk of words. `states`: *Shape:* (R, h)"""
    arguments, sentences = (cu_seqlens, *tensors), len(cu_seqlens) - 1
    _launch(kernel, _chunks(cu_seqlens, states), states.size(1), *arguments, sentences, **constants)


def _launch(
    kernel: Any,
    programs: int,
    hidden_size: int,
    *arguments: Any,
    columns: int = _COLUMNS.value,
    **constants: Any,
) -> None:
    """Launch the kernel with this number of programs for every block of the h dimensions."""
    tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
    places = [number for number, tensor in enumerate(tensors) if not tensor.is_contiguous()]
    if places:
        raise ValueError(f"tensors {places} of {kernel.__name__}: expected contiguous tensors")
    with torch.cuda.device_of(tensors[0]):
        grid = (programs, triton.cdiv(hidden_size, columns))
        kernel[grid](*arguments, HIDDEN=hidden_size, **constants)


@triton.jit
def _sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def _tanh(x):
    wide = 1 - 2 / (tl.exp(2 * x) + 1)
    if x.dtype == tl.float64:
        return wide
    # Near zero, its Taylor series: the difference of two numbers near one has lost the digits of x.
    x2 = x * x
    near = x + x * x2 * (x2 * (x2 * (x2 * (62 / 2835) - 17 / 315) + 2 / 15) - 1 / 3)
    return tl.where(tl.abs(x) < 0.25, near, wide)


@triton.jit
def _places(cu_seqlens, sentences, HIDDEN: tl.constexpr):
    """
    Return this program's words as (sentence, begin, end, rows, columns), their mask, and their offsets
    in a tensor of (R, h). `begin` and `end` are the sentence's first row and the row after its last.
    Some or all of the _ROWS rows may be beyond the end; the mask is False there.

    The first chunk of a sentence has the number begin // _ROWS + sentence. So every sentence has room
    for all of its chunks, whatever the lengths, and there are at most rows // _ROWS + sentences numbers.
    """
    chunk = tl.program_id(0)
    sentence = tl.full((), -1, tl.int64)  # an offset in V g may need 64 bits
    for start in range(0, sentences, _SEARCHED):
        number = start + tl.arange(0, _SEARCHED)
        is_sentence = number < sentences
        begins = tl.load(cu_seqlens + number, mask=is_sentence, other=0)
        started = is_sentence & (begins // _ROWS + number <= chunk)
        sentence += tl.sum(started.to(tl.int64), axis=0)
    begin = tl.load(cu_seqlens + sentence)
    end = tl.load(cu_seqlens + sentence + 1)
    rows = begin + (chunk - begin // _ROWS - sentence) * _ROWS + tl.arange(0, _ROWS)
    columns = tl.program_id(1) * _COLUMNS + tl.arange(0, _COLUMNS)
    mask = (rows[:, None] < end) & (columns[None, :] < HIDDEN)
    at = rows[:, None] * HIDDEN + columns[None, :]
    return (sentence, begin, end, rows, columns), mask, at


@triton.jit
def _load(tensor, at, mask):
    """Load in float64 if the tensor has it, else in float32."""
    values = tl.load(tensor + at, mask=mask, other=0)
    return values if values.dtype == tl.float64 else values.to(tl.float32)


@triton.jit
def _places_of_gates(words, mask, GATES: tl.constexpr, HIDDEN: tl.constexpr):
    """Return the offsets of the words' first gate in W ξ and U x, and in V g; and the mask of each."""
    sentence, _, _, rows, columns = words
    at = rows[:, None] * (GATES * HIDDEN) + columns[None, :]
    return at, sentence * (GATES * HIDDEN) + columns, mask, columns < HIDDEN


@triton.jit
def _pre_activation(pre, Ux, Vg, places, q: tl.constexpr, HIDDEN: tl.constexpr):
    """Compute the pre-activation of gate q. `places` is the result of `_places_of_gates`."""
    at, at_node, mask, inside = places
    value = _load(pre, at + q * HIDDEN, mask) + _load(Ux, at + q * HIDDEN, mask)
    if Vg is not None:
        value += _load(Vg, at_node + q * HIDDEN, inside)[None, :]
    return value


@triton.jit
def _highest(pre, Ux, Vg, places, NORMALIZED: tl.constexpr, HIDDEN: tl.constexpr):
    """The maximum of the normalised gates' pre-activations."""
    highest = _pre_activation(pre, Ux, Vg, places, 0, HIDDEN)
    for q in tl.static_range(1, NORMALIZED):
        highest = tl.maximum(highest, _pre_activation(pre, Ux, Vg, places, q, HIDDEN))
    return highest


@triton.jit
def _let_in(pre, Ux, Vg, places, x, at, mask, GATES: tl.constexpr, HIDDEN: tl.constexpr):
    """Return what gate i multiplies: the candidate u, which is the last gate, or the words' inputs."""
    if x is None:
        return _tanh(_pre_activation(pre, Ux, Vg, places, GATES - 1, HIDDEN))
    else:
        return _load(x, at, mask)


@triton.jit
def _state(c, c_g, words, q: tl.constexpr, WINDOW: tl.constexpr, HIDDEN: tl.constexpr):
    """Return what gate q multiplies: the sentence's c_g or a neighbour's c, zero beyond the sentence."""
    sentence, begin, end, rows, columns = words
    if q == 2 * WINDOW + 1:
        return _load(c_g, sentence * HIDDEN + columns, columns < HIDDEN)[None, :]
    else:
        others = rows[:, None] + (q - WINDOW)
        mask = (columns[None, :] < HIDDEN) & (others >= begin) & (others < end)
        return _load(c, others * HIDDEN + columns[None, :], mask)


@triton.jit(do_not_specialize=["sentences"])
def _word_forward(
    cu_seqlens,
    pre,
    Ux,
    Vg,
    c,
    c_g,
    x,
    h_new,
    c_new,
    sentences,
    HIDDEN: tl.constexpr,
    WINDOW: tl.constexpr,
    SIGMOID_FIRST: tl.constexpr,
):
    # The gates of each neighbour and the word itself, of a node, i, o, and u if x is None.
    NORMALIZED: tl.constexpr = 2 * WINDOW + 2 + (c_g is not None)
    GATES: tl.constexpr = NORMALIZED + 1 + (x is None)
    words, mask, at = _places(cu_seqlens, sentences, HIDDEN)
    places = _places_of_gates(words, mask, GATES, HIDDEN)

    if not SIGMOID_FIRST:
        highest = _highest(pre, Ux, Vg, places, NORMALIZED, HIDDEN)
    total = 0.0
    cell = 0.0
    for q in tl.static_range(NORMALIZED):
        f = _pre_activation(pre, Ux, Vg, places, q, HIDDEN)
        e = tl.exp(_sigmoid(f)) if SIGMOID_FIRST else tl.exp(f - highest)  # type: ignore[var-annotated]
        if q < NORMALIZED - 1:
            v = _state(c, c_g, words, q, WINDOW, HIDDEN)
        else:
            v = _let_in(pre, Ux, Vg, places, x, at, mask, GATES, HIDDEN)
        total += e
        cell += e * v
    cell = cell / total
    o = _sigmoid(_pre_activation(pre, Ux, Vg, places, NORMALIZED, HIDDEN))
    tl.store(c_new + at, cell, mask=mask)
    tl.store(h_new + at, o * _tanh(cell), mask=mask)


@triton.jit(do_not_specialize=["sentences"])
def _word_backward(
    cu_seqlens,
    pre,
    Ux,
    Vg,
    c,
    c_g,
    x,
    c_new,
    dh,
    dc,
    d_pre,
    d_Ux,
    d_x,
    weights,
    partial,
    sentences,
    HIDDEN: tl.constexpr,
    WINDOW: tl.constexpr,
    SIGMOID_FIRST: tl.constexpr,
):
    """
    Compute the gradients that do not sum over words. Write the terms of the others, which
    `_word_backward_sums` adds up: to `weights`, the word's contributions to the gradients of its own c
    and its neighbours'; to `partial`, this chunk's sums of the gates' gradients and, last, of c_g's.
    """
    NEIGHBORS: tl.constexpr = 2 * WINDOW + 1
    NORMALIZED: tl.constexpr = NEIGHBORS + 1 + (c_g is not None)
    GATES: tl.constexpr = NORMALIZED + 1 + (x is None)
    words, mask, at = _places(cu_seqlens, sentences, HIDDEN)
    places = _places_of_gates(words, mask, GATES, HIDDEN)
    _, _, _, rows, columns = words
    at_partial = tl.program_id(0).to(tl.int64) * ((GATES + 1) * HIDDEN) + columns

    if not SIGMOID_FIRST:
        highest = _highest(pre, Ux, Vg, places, NORMALIZED, HIDDEN)
    total = 0.0
    for q in tl.static_range(NORMALIZED):
        f = _pre_activation(pre, Ux, Vg, places, q, HIDDEN)
        total += tl.exp(_sigmoid(f)) if SIGMOID_FIRST else tl.exp(f - highest)
    o = _sigmoid(_pre_activation(pre, Ux, Vg, places, NORMALIZED, HIDDEN))
    u = _let_in(pre, Ux, Vg, places, x, at, mask, GATES, HIDDEN)

    # Beyond the sentence dh and dc are zero, so all gradients are zero there.
    cell = _load(c_new, at, mask)
    t = _tanh(cell)
    d_h = _load(dh, at, mask)
    flow = (_load(dc, at, mask) + d_h * o * (1 - t * t)) / total
    for q in tl.static_range(GATES):
        if q < NORMALIZED:
            f = _pre_activation(pre, Ux, Vg, places, q, HIDDEN)
            s = _sigmoid(f) if SIGMOID_FIRST else f - highest
            weight = flow * tl.exp(s)
            if q < NORMALIZED - 1:
                v = _state(c, c_g, words, q, WINDOW, HIDDEN)
                if q < NEIGHBORS:
                    at_weight = rows[:, None] * (NEIGHBORS * HIDDEN) + q * HIDDEN + columns[None, :]
                    tl.store(weights + at_weight, weight, mask=mask)
                else:
                    at_node = at_partial + GATES * HIDDEN
                    tl.store(partial + at_node, tl.sum(weight, axis=0), mask=columns < HIDDEN)
            else:
                v = u
                if d_x is not None:
                    tl.store(d_x + at, _load(d_x, at, mask) + weight, mask=mask)
            d = weight * (v - cell)
            if SIGMOID_FIRST:
                d *= s * (1 - s)
        elif q == NORMALIZED:
            d = d_h * t * o * (1 - o)
        else:
            d = weight * (1 - u * u)  # the weight is the candidate's, from the last normalised gate
        at_gate = rows[:, None] * (GATES * HIDDEN) + q * HIDDEN + columns[None, :]
        tl.store(d_pre + at_gate, d, mask=mask)
        tl.store(d_Ux + at_gate, _load(d_Ux, at_gate, mask) + d, mask=mask)
        if partial is not None:
            tl.store(partial + at_partial + q * HIDDEN, tl.sum(d, axis=0), mask=columns < HIDDEN)


@triton.jit(do_not_specialize=["chunks", "sentences"])
def _word_backward_sums(
    cu_seqlens,
    weights,
    partial,
    d_c,
    d_Vg,
    d_c_g,
    chunks,
    sentences,
    HIDDEN: tl.constexpr,
    WINDOW: tl.constexpr,
    SUMS: tl.constexpr,
):
    """Sum c's gradient in the first `chunks` programs; in the others, one gate of one sentence each."""
    if tl.program_id(0) < chunks:
        words, mask, at = _places(cu_seqlens, sentences, HIDDEN)
        tl.store(d_c + at, _given(weights, words, mask, WINDOW, HIDDEN), mask=mask)
    elif SUMS > 0:
        number = tl.program_id(0).to(tl.int64) - chunks
        sentence, gate = number // SUMS, number % SUMS
        columns = tl.program_id(1) * _COLUMNS + tl.arange(0, _COLUMNS)
        begin = tl.load(cu_seqlens + sentence)
        end = tl.load(cu_seqlens + sentence + 1)
        first = begin // _ROWS + sentence
        last = first + (end - begin + _ROWS - 1) // _ROWS
        parts = tl.full((_SUMMED, _COLUMNS), 0, partial.dtype.element_ty)
        for start in range(first, last, _SUMMED):
            chunk = start + tl.arange(0, _SUMMED)
            mask = (chunk[:, None] < last) & (columns[None, :] < HIDDEN)
            at = (chunk[:, None] * SUMS + gate) * HIDDEN + columns[None, :]
            parts += _load(partial, at, mask)
        result = tl.sum(parts, axis=0)
        if gate == SUMS - 1:
            tl.store(d_c_g + sentence * HIDDEN + columns, result, mask=columns < HIDDEN)
        else:
            at = (sentence * (SUMS - 1) + gate) * HIDDEN + columns
            tl.store(d_Vg + at, result, mask=columns < HIDDEN)


@triton.jit
def _given(d_windows, words, mask, WINDOW: tl.constexpr, HIDDEN: tl.constexpr):
    """Sum the words' gradients from the windows that contain them."""
    _, begin, end, rows, columns = words
    total = 0.0
    for q in tl.static_range(2 * WINDOW + 1):
        readers = rows[:, None] - (q - WINDOW)
        at = (readers * (2 * WINDOW + 1) + q) * HIDDEN + columns[None, :]
        total += _load(d_windows, at, mask & (readers >= begin) & (readers < end))
    return total


@triton.jit
def _places_of_node(cu_seqlens, HIDDEN: tl.constexpr):
    """Return this program's sentence (begin, end), its columns, their mask, and offsets in (B, h)."""
    sentence = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * _NODE_COLUMNS + tl.arange(0, _NODE_COLUMNS)
    begin = tl.load(cu_seqlens + sentence)
    end = tl.load(cu_seqlens + sentence + 1)
    return begin, end, columns, columns < HIDDEN, sentence * HIDDEN + columns


@triton.jit
def _node_forward(
    cu_seqlens,
    Uf,
    Wf,
    f_g,
    o,
    c,
    c_g,
    g_new,
    c_g_new,
    log_total,
    HIDDEN: tl.constexpr,
    SIGMOID_FIRST: tl.constexpr,
):
    begin, end, columns, inside, at_node = _places_of_node(cu_seqlens, HIDDEN)
    W = _load(Wf, at_node, inside)
    own = _load(f_g, at_node, inside)
    if SIGMOID_FIRST:
        own = _sigmoid(own)

    # An online softmax, separately for each element of the block. Sigmoids need no maximum.
    highest = tl.full((_NODE_ROWS, _NODE_COLUMNS), 0, W.dtype)
    if not SIGMOID_FIRST:
        highest += own[None, :]
    total = tl.full((_NODE_ROWS, _NODE_COLUMNS), 0, W.dtype)
    cell = tl.full((_NODE_ROWS, _NODE_COLUMNS), 0, W.dtype)
    for start in range(begin, end, _NODE_ROWS):
        rows = start + tl.arange(0, _NODE_ROWS)
        mask = (rows[:, None] < end) & inside[None, :]
        at = rows[:, None] * HIDDEN + columns[None, :]
        f = _load(Uf, at, mask) + W[None, :]
        if SIGMOID_FIRST:
            f = _sigmoid(f)
        else:
            new_highest = tl.maximum(highest, tl.where(mask, f, highest))
            scale = tl.exp(highest - new_highest)  # type: ignore[var-annotated]
            total, cell, highest = total * scale, cell * scale, new_highest
        e = tl.where(mask, tl.exp(f - highest), 0)
        total += e
        cell += e * _load(c, at, mask)

    top = tl.max(highest, axis=0)  # the sentence's maximum, `own` included; zero for sigmoids
    scale = tl.exp(highest - top[None, :])
    e = tl.exp(own - top)
    all_total = e + tl.sum(total * scale, axis=0)
    new = (e * _load(c_g, at_node, inside) + tl.sum(cell * scale, axis=0)) / all_total
    gate = _sigmoid(_load(o, at_node, inside))
    tl.store(c_g_new + at_node, new, mask=inside)
    tl.store(g_new + at_node, gate * _tanh(new), mask=inside)
    tl.store(log_total + at_node, tl.log(all_total) + top, mask=inside)


@triton.jit
def _node_backward(
    cu_seqlens,
    Uf,
    Wf,
    f_g,
    o,
    c,
    c_g,
    c_g_new,
    log_total,
    dg,
    dc_g,
    d_Uf,
    d_Wf,
    d_f_g,
    d_o,
    d_c,
    d_c_g,
    HIDDEN: tl.constexpr,
    SIGMOID_FIRST: tl.constexpr,
):
    begin, end, columns, inside, at_node = _places_of_node(cu_seqlens, HIDDEN)
    cell = _load(c_g_new, at_node, inside)
    log_sum = _load(log_total, at_node, inside)
    t = _tanh(cell)
    gate = _sigmoid(_load(o, at_node, inside))
    d_g = _load(dg, at_node, inside)
    flow = _load(dc_g, at_node, inside) + d_g * gate * (1 - t * t)
    tl.store(d_o + at_node, d_g * t * gate * (1 - gate), mask=inside)

    own = _load(f_g, at_node, inside)
    if SIGMOID_FIRST:
        own = _sigmoid(own)
    weight = flow * tl.exp(own - log_sum)
    d = weight * (_load(c_g, at_node, inside) - cell)
    if SIGMOID_FIRST:
        d *= own * (1 - own)
    tl.store(d_c_g + at_node, weight, mask=inside)
    tl.store(d_f_g + at_node, d, mask=inside)

    W = _load(Wf, at_node, inside)
    d_sum = tl.full((_NODE_ROWS, _NODE_COLUMNS), 0, W.dtype)
    for start in range(begin, end, _NODE_ROWS):
        rows = start + tl.arange(0, _NODE_ROWS)
        mask = (rows[:, None] < end) & inside[None, :]
        at = rows[:, None] * HIDDEN + columns[None, :]
        f = _load(Uf, at, mask) + W[None, :]
        if SIGMOID_FIRST:
            f = _sigmoid(f)
        weights = tl.where(mask, flow[None, :] * tl.exp(f - log_sum[None, :]), 0)
        d_f = weights * (_load(c, at, mask) - cell[None, :])
        if SIGMOID_FIRST:
            d_f *= f * (1 - f)
        tl.store(d_Uf + at, d_f, mask=mask)
        tl.store(d_c + at, _load(d_c, at, mask) + weights, mask=mask)
        d_sum += d_f
    tl.store(d_Wf + at_node, tl.sum(d_sum, axis=0), mask=inside)


@triton.jit(do_not_specialize=["sentences"])
def _windows(cu_seqlens, states, result, sentences, HIDDEN: tl.constexpr, WINDOW: tl.constexpr):
    NEIGHBORS: tl.constexpr = 2 * WINDOW + 1
    words, mask, _ = _places(cu_seqlens, sentences, HIDDEN)
    _, _, _, rows, columns = words
    for q in tl.static_range(NEIGHBORS):
        at = (rows[:, None] * NEIGHBORS + q) * HIDDEN + columns[None, :]
        tl.store(result + at, _state(states, None, words, q, WINDOW, HIDDEN), mask=mask)


@triton.jit(do_not_specialize=["sentences"])
def _windows_backward(
    cu_seqlens, d_windows, d_states, sentences, HIDDEN: tl.constexpr, WINDOW: tl.constexpr
):
    words, mask, at = _places(cu_seqlens, sentences, HIDDEN)
    total = _load(d_states, at, mask)
    total += _given(d_windows, words, mask, WINDOW, HIDDEN)
    tl.store(d_states + at, total, mask=mask)
