"""Summarise a trace in readable numbers: means over the dimensions, and changes between steps."""

import json
from pathlib import Path
from typing import Any, Dict, List, Optional

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from slstm_allennlp.common.errors import NotFinite
from slstm_allennlp.inside.recorder import Reading

START, END = "⟨s⟩", "⟨/s⟩"


def report_of(reading: Reading, tolerance: float) -> Dict[str, Any]:
    """
    Summarise the trace of one sentence for JSON; `ValueError` for states that are not finite. T is the
    number of steps, including additional ones. N is the number of words, including boundary words.

    `encoder` and `field`: their names. `words`: N strings. `words_known`: false if `words` are only
    numbers because the words are unknown. `taken`: the outputs that the model uses, `"words"`,
    `"sentence"` or `"both"`; with `"words"`, the prediction does not come from a sentence node.
    `attention`: the weights of the additive attention over the words, N numbers that sum to one, or null
    without one. `steps`: the number of the encoder's own steps. `gates`: by name, (T, N) each; they sum
    to one. `output_gate`: (T, N). `change` of the words' states: ‖hᵗ - hᵗ⁻¹‖ / max(‖hᵗ‖, ‖hᵗ⁻¹‖),
    (T, N). `nodes`: for each sentence node, `listens`, fᵢ, (T, N), and `keeps`, f_g, (T), which sum to
    one, and `output_gate` and `change` of g, (T). `converged`: for `words` and `nodes`, the first step
    from which no change is above `tolerance`, or null.
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
        "attention": _attention(reading),
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
        raise NotFinite(f"{reading.encoder}: the states of {report['words']} are not finite")
    return report


def page(report: Dict[str, Any]) -> str:
    """Return an HTML page that shows the report of `slstm inside`. It needs no other file."""
    # Only "<" could end the script element.
    data = json.dumps(report, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    return template.replace("{{ report }}", data)


def _words(reading: Reading, count: int) -> List[str]:
    boundary = reading.settings.boundary
    words = reading.words
    if words is None:
        words = [str(number) for number in range(1, count + 1 - 2 * boundary)]
    return [START, *words, END] if boundary else words


def _attention(reading: Reading) -> Optional[List[float]]:
    if reading.attention is None:
        return None
    around = [0.0] * reading.settings.boundary  # ⟨s⟩ and ⟨/s⟩ are not among the words that it reads
    return [*around, *_numbers(reading.attention), *around]


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
    Return the relative change of the states at each step, from 0 to 2: (T + 1, …, h) to (T, …). Divide
    by the longer of the two lengths, since one may be zero: g¹ is zero if c⁰ has its initial value, 0.
    """
    states = states.double()
    moved, lengths = (states[1:] - states[:-1]).norm(dim=-1), states.norm(dim=-1)
    longer = torch.maximum(lengths[1:], lengths[:-1])
    return torch.where(longer > 0, moved / longer, torch.zeros_like(moved))


def _converged(change: Tensor, tolerance: float) -> Optional[int]:
    """Return the first step (from 1) from which no change, (T, …), is above the tolerance."""
    moving = (change.flatten(1) > tolerance).any(1).nonzero()
    step = int(moving[-1]) + 2 if len(moving) else 1
    return step if step <= len(change) else None


def _numbers(values: Tensor) -> Any:
    """Return nested lists of numbers with five significant digits."""
    return tree_map(lambda value: float(f"{value:.5g}"), values.tolist())
