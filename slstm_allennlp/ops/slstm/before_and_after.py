"""What `batched.py` does before the first step of an S-LSTM and after the last."""

from typing import NamedTuple, Optional, Tuple

from torch import Tensor
from torch.nn.functional import linear

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class State(NamedTuple):
    """The states before or after a step."""

    h: Tensor  # (B, N, h), zero at padding
    c: Tensor  # (B, N, h), zero at padding
    g: Tensor  # (B, m, h)
    c_g: Tensor  # (B, m, h)


def mean(states: Tensor, padding: Tensor) -> Tensor:
    """The mean over each sentence's words, (B, N, h) to (B, h); zero if it has none."""
    return states.sum(1) / (~padding).sum(1).clamp(min=1)


def read(inputs: Tensor, mask: Tensor, weights: SlstmWeights) -> Tuple[Tensor, Tensor]:
    """Return x, with boundary words and projected if there are weights, and the padding, (B, N, 1)."""
    x = inputs.masked_fill(~mask.unsqueeze(-1), 0)
    if weights.boundary_inputs is not None:
        x, mask = add_boundary(x, mask, weights.boundary_inputs)
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    # Like all states, also under autocast.
    return x.to(weights.word_b.dtype), ~mask.unsqueeze(-1)


def first_state(
    x: Tensor,
    padding: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor],
) -> State:
    """Return the states before the first step: learned, the inputs themselves, or `initial_state`."""
    shape = x.size(0), settings.num_sentence_nodes, settings.hidden_size
    if weights.initial_h is not None and weights.initial_c is not None:
        h0, c0 = weights.initial_h, weights.initial_c
        h, c = (part.expand(*x.shape[:2], -1).masked_fill(padding, 0) for part in (h0, c0))
        return State(h, c, h0.expand(shape), c0.expand(shape))
    h, c = (x, x) if initial_state is None else initial_state
    h, c = h.masked_fill(padding, 0), c.masked_fill(padding, 0)
    g, c_g = (mean(part, padding).unsqueeze(1).expand(shape) for part in (h, c))
    return State(h, c, g, c_g)


def outputs(
    state: State, mask: Tensor, padding: Tensor, settings: SlstmSettings
) -> Tuple[Tensor, Tensor]:
    """Return the states of the caller's words, without boundary words, and the sentence vectors."""
    words = state.h
    if settings.boundary:
        # In a shorter sentence, ⟨/s⟩ is at a position that the caller's mask has as padding.
        words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    if settings.num_sentence_nodes == 0:
        return words, mean(state.h, padding)
    g, kind = state.g[:, 0], settings.transition.sentence_vector
    if kind == "node":
        return words, g
    counts = (~padding).sum(1) + 1 if kind == "mean" else (~padding).sum(1).clamp(min=1)
    return words, (state.h.sum(1) + g) / counts
