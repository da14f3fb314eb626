"""
The S-LSTM on packed sequences: nothing is computed for padding. Kernels compute the elementwise part of
a step in one pass over memory. The backward pass is written by hand and stores few tensors.

Under `torch.autocast` the matrix products, their inputs and their results have autocast's precision: ξ,
h, W ξ, U x and U_f h. Everything else has the precision of the weights, above all states and sums.

Shapes: R words of all sentences, boundary words included; B sentences; hidden size h; window size k; G
word gates. Rows of zeros may follow the R words: some products are faster with a round number of rows.
"""

from functools import cached_property
from itertools import chain
from types import ModuleType
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.nn.functional import linear, pad

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.differentiated_once import differentiated_once
from slstm_allennlp.ops.precision import autocast_dtype
from slstm_allennlp.ops.products import product, product_over_rows, rows_for
from slstm_allennlp.ops.slstm.packed_weights import PackedWeights, StepWeights, node_gates, slots_of
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights

# With as many rows, a product in lower precision takes longer than adding it to a weight's gradient.
_MANY_ROWS = 1024


def is_fusible(settings: SlstmSettings) -> bool:
    """Whether `fused_slstm` supports the settings."""
    summed = settings.transition.window == "summed" and settings.window_size > 1
    return settings.num_sentence_nodes <= 1 and not settings.layer_norm and not summed


def fused_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    initial_state: Optional[Tensor] = None,
    *,
    kernels: ModuleType,  # those for the tensors' device
    need_words: bool = True,  # if not, the words' states are not computed, and are None
    need_sentence: bool = True,  # if not, the same for the sentence vectors
    recompute: bool = False,  # whether the backward pass computes W ξ again, which saves memory
    packed_weights: Optional[PackedWeights] = None,  # a cache for calls without gradients on a CPU
) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """
    Return every word's last state and the sentence vectors. Other arguments and results as in
    `slstm_allennlp.ops.slstm.batched.batched_slstm`. `ValueError` if the settings are not fusible.
    """
    if not is_fusible(settings):
        raise ValueError(f"settings is {settings}, expected one for which is_fusible is true")
    x, x_mask = inputs, mask
    if weights.boundary_inputs is not None:
        x, x_mask = add_boundary(inputs, mask, weights.boundary_inputs)
    counts = x_mask.sum(1)
    indices = x_mask.flatten().nonzero().squeeze(1)  # (R), of the words in the padded batch
    words, sentences = len(indices), len(counts)
    transition, has_node = settings.transition, settings.num_sentence_nodes == 1
    need_gradients = torch.is_grad_enabled() and any(
        tensor is not None and tensor.requires_grad for tensor in (inputs, initial_state, *weights)
    )
    plan = _Plan(
        kernels=kernels,
        cu_seqlens=torch.cat([counts.new_zeros(1), counts.cumsum(0)]),
        sentence_of=torch.div(indices, x_mask.size(1), rounding_mode="floor"),
        counts=counts.clamp(min=1).unsqueeze(1),
        dtype=autocast_dtype(x.device) or weights.word_W.dtype,
        window_size=settings.window_size,
        num_steps=settings.num_steps,
        sigmoid_first=transition.gate_normalization == "sigmoid_softmax",
        has_candidate=transition.candidate == "tanh",
        has_node=has_node,
        need_words=need_words or transition.sentence_vector != "node" or not has_node,
        need_node=need_sentence,
        recompute=recompute,
        need_gradients=need_gradients,
    )
    rows = rows_for(words, weights.word_W, plan.dtype)

    def packed_sequence(states: Tensor) -> Tensor:
        return pad(states.flatten(0, 1).index_select(0, indices), (0, 0, 0, rows - words))

    x = packed_sequence(x)
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    x = x.to(weights.word_W.dtype)
    if weights.initial_h is not None and weights.initial_c is not None:
        h, c = weights.initial_h.expand(rows, -1), weights.initial_c.expand(rows, -1)
        g, c_g = weights.initial_h.expand(sentences, -1), weights.initial_c.expand(sentences, -1)
    else:
        h, c = (x, x) if initial_state is None else (packed_sequence(part) for part in initial_state)
        g, c_g = plan.means(h), plan.means(c)
    b_node = None
    if weights.sentence_b is not None:
        b_node = torch.cat(node_gates(weights.sentence_b[0], settings))
    states = (
        h.contiguous(),
        c.contiguous(),
        *((g.contiguous(), c_g.contiguous()) if has_node else (None, None)),
    )
    b = weights.word_b.flatten()
    if packed_weights is not None and not need_gradients:
        step_weights, of_slots = packed_weights.get(kernels, weights, settings, plan.dtype)
        step_inputs = _Inputs(x, b, b_node, of_slots, *states)
        last_h, last_g = _without_gradients(kernels, plan, step_inputs, step_weights)
    else:
        step_inputs = _Inputs(x, b, b_node, slots_of(weights), *states)
        last_h, last_g = _Steps.apply(plan, *step_inputs, *StepWeights.of(weights, settings))

    word_states = sentence_vectors = None
    if need_words:
        word_states = last_h.new_zeros(x_mask.numel(), settings.hidden_size)
        word_states = word_states.index_copy(0, indices, last_h[:words])
        word_states = word_states.view(*x_mask.shape, -1)
        if weights.boundary_inputs is not None:
            word_states = word_states[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    if need_sentence:
        if not has_node:
            sentence_vectors = plan.means(last_h)
        elif transition.sentence_vector == "node":
            sentence_vectors = last_g
        else:
            number = counts + 1 if transition.sentence_vector == "mean" else counts.clamp(min=1)
            assert last_g is not None
            sentence_vectors = (plan.sums(last_h) + last_g) / number.unsqueeze(1)
    return word_states, sentence_vectors


class _Plan(NamedTuple):
    """The settings of a pass over a batch, and where its sentences are."""

    kernels: ModuleType
    cu_seqlens: Tensor  # (B + 1), the first row of each sentence, and R
    sentence_of: Tensor  # (R)
    counts: Tensor  # (B, 1), the number of words, at least 1
    dtype: torch.dtype  # of the products
    window_size: int
    num_steps: int
    sigmoid_first: bool
    has_candidate: bool
    has_node: bool
    need_words: bool
    need_node: bool
    recompute: bool
    need_gradients: bool

    def needed(self, number: int) -> Tuple[bool, bool]:
        """Whether a step computes the words' states, and the node's. The last step may omit one."""
        is_last = number + 1 == self.num_steps
        return not is_last or self.need_words, self.has_node and (not is_last or self.need_node)

    def sums(self, states: Tensor) -> Tensor:
        """Sum over each sentence's words, (R, h) to (B, h)."""
        total = states.new_zeros(len(self.counts), states.size(1))
        return total.index_add_(0, self.sentence_of, states[: len(self.sentence_of)])

    def means(self, states: Tensor) -> Tensor:
        """The mean over each sentence's words; zero if it has none."""
        return self.sums(states) / self.counts

    def rows(self, memory: Tensor) -> Tensor:
        """Prepare memory for results of a kernel, which writes only the rows of words."""
        words = len(self.sentence_of)
        if len(memory) > words:
            memory[words:] = 0
        return memory

    def windows(self, states: Tensor, dtype: torch.dtype) -> Tensor:
        """Return ξ of every word, (R, (2k + 1) * h)."""
        width = (2 * self.window_size + 1) * states.size(1)
        result = self.rows(states.new_empty(len(states), width, dtype=dtype))
        self.kernels.windows(
            cu_seqlens=self.cu_seqlens, window_size=self.window_size, states=states, result=result
        )
        return result


class _Inputs(NamedTuple):
    """The inputs of all steps. Those of a sentence node are None without one."""

    x: Tensor  # (R, d')
    b: Tensor  # (G * h)
    b_node: Any  # (3 * h)
    of_slots: Any  # (2k + 1, G * h), W h⁰ of each slot of ξ, if all words start from one h⁰; else None
    h: Tensor  # (R, h)
    c: Tensor  # (R, h)
    g: Any  # (B, h)
    c_g: Any  # (B, h)

    def first(self, plan: _Plan) -> Optional[Tensor]:
        """
        Return W ξ of the first step, (R, G * h), if all words start from one h⁰. Then it is a sum over
        the neighbours that exist, which saves the largest product.
        """
        return None if self.of_slots is None else (self.exists(plan) @ self.of_slots).to(plan.dtype)

    def exists(self, plan: _Plan) -> Tensor:
        """Return 1 for each neighbour that exists, else 0, (R, 2k + 1)."""
        return plan.windows(self.h.new_ones(len(self.h), 1), self.h.dtype)


def _without_gradients(
    kernels: ModuleType, plan: _Plan, inputs: _Inputs, weights: StepWeights
) -> Tuple[Tensor, Optional[Tensor]]:
    """Run all steps in one call of the compiled CPU kernels."""
    with torch.autocast("cpu", enabled=False):
        Ux = product(inputs.x.to(plan.dtype), weights.U, inputs.b.to(plan.dtype))
        return kernels.steps(
            cu_seqlens=plan.cu_seqlens,
            sentence_of=plan.sentence_of,
            counts=plan.counts,
            window_size=plan.window_size,
            sigmoid_first=plan.sigmoid_first,
            num_steps=plan.num_steps,
            need_words=plan.need_words,
            need_node=plan.need_node,
            Ux=Ux,
            first=inputs.first(plan),
            x=None if plan.has_candidate else inputs.x,
            b_node=inputs.b_node,
            h=inputs.h,
            c=inputs.c,
            g=inputs.g,
            c_g=inputs.c_g,
            **{name: value for name, value in weights._asdict().items() if name != "U"},
        )


class _Step(NamedTuple):
    """What the backward pass of a step needs: the states before it, its products and gates, or None."""

    h: Tensor
    c: Tensor
    g: Any
    c_g: Any
    pre: Any = None  # W ξ, (R, G * h), in the precision of products; None to recompute it
    Vg: Any = None  # (B, G * h)
    Wf: Any = None  # W_f g + b_f, (B, h)
    o: Any = None  # pre-activation of o, (B, h)
    f_g: Any = None  # pre-activation of f_g, (B, h)
    h_bar: Any = None  # (B, h)
    log_total: Any = None  # logarithm of the denominator of Eq. 3's softmax, (B, h)


class _Steps(torch.autograd.Function):
    """All steps as one function, from the tensors of `_Inputs` and `StepWeights` to hᵀ and gᵀ."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, plan: _Plan, *tensors: Optional[Tensor]
    ) -> Tuple[Tensor, Optional[Tensor]]:
        with torch.autocast(plan.cu_seqlens.device.type, enabled=False):
            run = _Run(plan, tensors)
            steps, last = run.forward()
        ctx.plan = plan
        ctx.save_for_backward(*tensors, run.Ux, last.c, last.c_g, *chain(*steps))
        return last.h, last.g

    @staticmethod
    @differentiated_once
    def backward(ctx: Any, dh: Tensor, dg: Optional[Tensor]) -> Any:  # type: ignore[override]
        saved, given = ctx.saved_tensors, len(_Inputs._fields) + len(StepWeights._fields)
        Ux, c, c_g, *kept = saved[given:]
        steps = [_Step(*part) for part in zip(*[iter(kept)] * len(_Step._fields))]
        run = _Run(ctx.plan, saved[:given], Ux)
        return None, *run.backward(steps, c, c_g, dh.contiguous(), dg)


class _Run:
    """A forward or a backward pass over one batch. `Ux` is U x + b, (R, G * h)."""

    def __init__(
        self, plan: _Plan, tensors: Sequence[Optional[Tensor]], Ux: Optional[Tensor] = None
    ) -> None:
        self.plan, of_inputs = plan, len(_Inputs._fields)
        self.inputs = _Inputs(*tensors[:of_inputs])  # type: ignore[arg-type]
        self.U, self.W, self.V, self.W_node, self.U_f, self.U_o, self.U_f_g = self.weights = [
            _Weight(W, plan.dtype) for W in tensors[of_inputs:]
        ]
        if Ux is None:
            Ux = self.U.forward(self.inputs.x.to(plan.dtype), self.inputs.b.to(plan.dtype))
        self.Ux = Ux

    def forward(self) -> Tuple[List[_Step], _Step]:
        """Run all steps. Return what their backward passes need, and the last states."""
        plan, kernels, inputs = self.plan, self.plan.kernels, self.inputs
        state, steps = _Step(inputs.h, inputs.c, inputs.g, inputs.c_g), []
        for number in range(plan.num_steps):
            step, new = state, state
            need_words, need_node = plan.needed(number)
            if need_words:
                step = step._replace(pre=self.pre(step, number))
                if plan.has_node:
                    step = step._replace(Vg=self.V.forward(step.g))
                h, c = kernels.word_forward(**self.of_words(step))
                new = new._replace(h=h, c=c)
            if need_node:
                step = self.with_node_gates(step)
                g, c_g, log_total = kernels.node_forward(**self.of_node(step))
                step, new = step._replace(log_total=log_total), new._replace(g=g, c_g=c_g)
            if plan.need_gradients:
                is_cheap = number == 0 and inputs.of_slots is not None
                steps.append(step._replace(pre=None) if plan.recompute or is_cheap else step)
            state = new
        return steps, state

    def pre(self, step: _Step, number: int) -> Tensor:
        """Compute W ξ of every word."""
        first = self.inputs.first(self.plan) if number == 0 else None
        if first is not None:
            return first
        return self.W.forward(self.plan.windows(step.h, self.plan.dtype))

    def with_node_gates(self, step: _Step) -> _Step:
        """Compute W_f g + b_f, and the pre-activations of o and f_g."""
        h_bar = self.plan.means(step.h)
        Wf, o, f_g = (self.W_node.forward(step.g) + self.inputs.b_node).chunk(3, dim=1)
        o, f_g = o + self.U_o.forward(h_bar), f_g + self.U_f_g.forward(h_bar)
        return step._replace(Wf=Wf.contiguous(), o=o, f_g=f_g, h_bar=h_bar)

    def of_words(self, step: _Step) -> Dict[str, Any]:
        """Return the arguments that the kernels of Eq. 2 share, forward and backward."""
        plan, x = self.plan, None if self.plan.has_candidate else self.inputs.x
        settings = {"window_size": plan.window_size, "sigmoid_first": plan.sigmoid_first}
        states = {"Ux": self.Ux, "c": step.c, "c_g": step.c_g, "x": x}
        return {"cu_seqlens": plan.cu_seqlens, **settings, "pre": step.pre, "Vg": step.Vg, **states}

    def of_node(self, step: _Step) -> Dict[str, Any]:
        """Return the arguments that the kernels of Eq. 3 share. U_f h is not kept, to save memory."""
        settings = {"cu_seqlens": self.plan.cu_seqlens, "sigmoid_first": self.plan.sigmoid_first}
        gates = {"Uf": self.U_f.forward(step.h.to(self.plan.dtype)), "Wf": step.Wf, "f_g": step.f_g}
        return {**settings, **gates, "o": step.o, "c": step.c, "c_g": step.c_g}

    def backward(
        self, steps: List[_Step], c: Tensor, c_g: Any, dh: Tensor, dg: Any
    ) -> Tuple[Optional[Tensor], ...]:
        """Return all gradients, of `_Inputs` and `StepWeights`. `c` and `c_g` are the last cells."""
        plan, kernels, inputs = self.plan, self.plan.kernels, self.inputs
        dc, d_of_slots = torch.zeros_like(dh), None
        d_gates: List[Tensor] = []  # of W_node g + b_node, (B, 3 * h), of each step
        dg = None if c_g is None else dg.contiguous()
        dc_g: Any = None if c_g is None else torch.zeros_like(dg)
        d_Ux, d_x = torch.zeros_like(self.Ux, dtype=dh.dtype), torch.zeros_like(inputs.x)
        for number in reversed(range(plan.num_steps)):
            step = steps[number]
            need_words, need_node = plan.needed(number)
            dh_old = torch.zeros_like(dh)
            dg_old: Any = None
            dc_g_old: Any
            if need_words:
                if step.pre is None:
                    step = step._replace(pre=self.pre(step, number))
                d_pre = plan.rows(torch.empty_like(self.Ux))
                d_Vg, dc_old, dc_g_old = kernels.word_backward(
                    **self.of_words(step),
                    c_new=c,
                    dh=dh,
                    dc=dc,
                    d_pre=d_pre,
                    d_Ux=d_Ux,
                    d_x=None if plan.has_candidate else d_x,
                )
                if number == 0 and inputs.of_slots is not None:
                    d_of_slots = inputs.exists(plan).t() @ d_pre.to(dh.dtype)
                else:
                    kernels.windows_backward(
                        cu_seqlens=plan.cu_seqlens,
                        window_size=plan.window_size,
                        d_windows=self.W.backward(d_pre, plan.windows(step.h, plan.dtype)),
                        d_states=dh_old,
                    )
                if d_Vg is not None:
                    dg_old = self.V.backward(d_Vg, step.g)
            else:
                dc_old, dg_old, dc_g_old = (torch.zeros_like(d) for d in (dc, dg, dc_g))
            if need_node:
                of_node = self.of_node(step)
                d_Uf = plan.rows(torch.empty_like(of_node["Uf"]))
                d_Wf, d_f_g, d_o, d_c_g = kernels.node_backward(
                    **of_node,
                    c_g_new=c_g,
                    log_total=step.log_total,
                    dg=dg,
                    dc_g=dc_g,
                    d_Uf=d_Uf,
                    d_c=dc_old,
                )
                d_mean = self.U_o.backward(d_o, step.h_bar) + self.U_f_g.backward(d_f_g, step.h_bar)
                dh_old += self.U_f.backward(d_Uf, step.h)
                dh_old[: len(plan.sentence_of)] += (d_mean / plan.counts)[plan.sentence_of]
                d_gates.append(torch.cat([d_Wf, d_o, d_f_g], dim=1))
                dg_old += self.W_node.backward(d_gates[-1], step.g)
                dc_g_old += d_c_g
            dh, dc, dg, dc_g, c, c_g = dh_old, dc_old, dg_old, dc_g_old, step.c, step.c_g
        d_x += self.U.backward(d_Ux, inputs.x)
        d_b_node = torch.cat(d_gates).sum(0) if d_gates else None
        of_inputs = _Inputs(d_x, d_Ux.sum(0), d_b_node, d_of_slots, dh, dc, dg, dc_g)
        return (*of_inputs, *(weight.gradient for weight in self.weights))


class _Weight:
    """A weight W, (n, m), of products in `dtype`, and its gradient."""

    def __init__(self, W: Any, dtype: torch.dtype) -> None:
        self._given, self._dtype = W, dtype
        self._gradient: Optional[Tensor] = None
        self._factors: List[Tuple[Tensor, Tensor]] = []  # d and x of dᵀ x that are not yet in it

    @cached_property
    def _W(self) -> Tensor:
        return self._given.to(self._dtype)

    def forward(self, x: Tensor, b: Optional[Tensor] = None) -> Tensor:
        """Compute x Wᵀ + b in `dtype`, and return it in the precision of x."""
        return product(x.to(self._dtype), self._W, b).to(x.dtype)

    def backward(self, d: Tensor, x: Tensor) -> Tensor:
        """Return the gradient d W of x, in the precision of x. Add dᵀ x to the gradient of W."""
        d = d.to(self._dtype)
        self._factors.append((d, x.to(self._dtype)))
        # In lower precision, the product of all steps is converted once.
        if self._dtype == self._given.dtype or len(self._factors) * len(d) >= _MANY_ROWS:
            self._add()
        return product(d, self._W.t()).to(x.dtype)

    def _add(self) -> None:
        # `torch.cat` of a single tensor would copy it.
        d, x = (torch.cat(parts) if len(parts) > 1 else parts[0] for parts in zip(*self._factors))
        self._gradient = product_over_rows(d, x, self._gradient).to(self._given.dtype)
        self._factors.clear()

    @property
    def gradient(self) -> Optional[Tensor]:
        """The gradient of W, None before the first backward pass."""
        if self._factors:
            self._add()
        return self._gradient
