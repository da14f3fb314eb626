"""What a trace says, in numbers that a person can read: means over the dimensions, and changes."""

from typing import Any, Dict, List, Optional

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from slstm_allennlp.inside.recorder import Reading

START, END = "⟨s⟩", "⟨/s⟩"


def report_of(reading: Reading, tolerance: float) -> Dict[str, Any]:
    """
    One sentence's trace, for JSON. T steps, more of them included; N words, boundary words included.

    # Parameters

    reading : `Reading`
    tolerance : `float`
        States whose relative change is not above it have converged.

    # Returns

    `Dict[str, Any]`
        `encoder` and `field`, by name; `words`, N texts, and `words_known`, false where they are numbers
        for want of texts; `taken`, what the model takes from here, `"words"`, `"sentence"` or `"both"`:
        with `"words"`, its prediction does not come from a node; `steps`, the encoder's own; `gates`, by
        name, (T, N) each, which sum to one; `output_gate`, (T, N); `change` of the words' states,
        ‖hᵗ - hᵗ⁻¹‖ / max(‖hᵗ‖, ‖hᵗ⁻¹‖), (T, N).
        For each of the `nodes`, `listens`, fᵢ, (T, N), and `keeps`, f_g, (T), which sum to one;
        `output_gate` and `change` of g, (T). `converged`: for `words` and `nodes`, the first step from
        which on no change is above the tolerance, or null.

    # Errors

    `ValueError` for gates or states that are not finite.
    """
    trace, row = reading.trace, reading.row
    count = int(trace.mask[row].sum())

    def of_words(values: Tensor) -> Tensor:
        return values[:, row, :count]

    change = _change(of_words(trace.h))
    nodes = [_node(reading, node, count) for node in range(reading.settings.num_sentence_nodes)]
    report = {
        "encoder": reading.encoder,
        "field": reading.field,
        "words": _words(reading, count),
        "words_known": reading.words is not None,
        "taken": reading.taken,
        "steps": reading.settings.num_steps,
        "gates": {name: _numbers(of_words(gates).mean(-1)) for name, gates in trace.word_gates.items()},
        "output_gate": _numbers(of_words(trace.o).mean(-1)),
        "change": _numbers(change),
        "nodes": nodes,
        "converged": {
            "words": _converged(change, tolerance) if count else None,
            "nodes": None if trace.g is None else _converged(_change(trace.g[:, row]), tolerance),
        },
    }
    if not all(torch.isfinite(values).all() for values in (of_words(trace.h), trace.sentence[row])):
        raise ValueError(f"{reading.encoder}: the states of {report['words']} are not finite")
    return report


def _words(reading: Reading, count: int) -> List[str]:
    boundary = reading.settings.boundary
    words = reading.words
    if words is None:
        words = [str(number) for number in range(1, count + 1 - 2 * boundary)]
    return [START, *words, END] if boundary else words


def _node(reading: Reading, node: int, count: int) -> Dict[str, Any]:
    trace, row = reading.trace, reading.row
    assert trace.f is not None and trace.f_g is not None
    assert trace.o_g is not None and trace.g is not None
    return {
        "listens": _numbers(trace.f[:, row, :count, node].mean(-1)),
        "keeps": _numbers(trace.f_g[:, row, node].mean(-1)),
        "output_gate": _numbers(trace.o_g[:, row, node].mean(-1)),
        "change": _numbers(_change(trace.g[:, row, node])),
    }


def _change(states: Tensor) -> Tensor:
    """
    How far the states moved at each step, from 0 to 2: (T + 1, …, h) to (T, …). By the longer of the two
    lengths, since either may be zero: with c⁰ at zero, where its training starts, g¹ is.
    """
    states = states.double()
    moved, lengths = (states[1:] - states[:-1]).norm(dim=-1), states.norm(dim=-1)
    longer = torch.maximum(lengths[1:], lengths[:-1])
    return torch.where(longer > 0, moved / longer, torch.zeros_like(moved))


def _converged(change: Tensor, tolerance: float) -> Optional[int]:
    """The first step, from 1, from which on no change is above the tolerance. Change is (T, …)."""
    moving = (change.flatten(1) > tolerance).any(1).nonzero()
    step = int(moving[-1]) + 2 if len(moving) else 1
    return step if step <= len(change) else None


def _numbers(values: Tensor) -> Any:
    """Lists of numbers of five digits."""
    return tree_map(lambda value: float(f"{value:.5g}"), values.tolist())
