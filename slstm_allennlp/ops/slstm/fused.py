"""
The S-LSTM on packed sequences: nothing is computed for padding. Kernels compute the elementwise part of
a step in one pass over memory. The backward pass is written by hand and stores few tensors.

Under `torch.autocast` the matrix products, their inputs and their results have autocast's precision: ξ,
h, W ξ, U x and U_f h. Everything else has the precision of the weights, above all states and sums.

Shapes: R words of all sentences, boundary words included; B sentences; hidden size h; window size k; G
word gates.
"""

from functools import cached_property
from itertools import chain, islice
from types import ModuleType
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple, Type, TypeVar

import torch
from torch import Tensor

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.differentiated_once import differentiated_once
from slstm_allennlp.ops.products import linear, product_over_rows, rounded
from slstm_allennlp.ops.slstm.product_weights import (
    ForAllWords,
    KeptWeights,
    ProductWeights,
    StepWeights,
)
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights


class _Plan(NamedTuple):
    """The settings of a pass."""

    kernels: ModuleType
    num_steps: int
    window: int
    sigmoid_first: bool
    shared_forget: bool
    need_words: bool
    need_node: bool
    recompute: bool
    need_gradients: bool


def is_fusible(settings: SlstmSettings) -> bool:
    """Whether `fused_slstm` supports the settings."""
    summed = settings.transition.window == "summed" and settings.window_size > 1
    return settings.num_sentence_nodes <= 1 and not settings.layer_norm and not summed


def fused_slstm(
    inputs: Tensor,
    mask: Tensor,
    weights: SlstmWeights,
    settings: SlstmSettings,
    start: Optional[Tensor],
    kernels: ModuleType,
    need_words: bool = True,
    need_sentence: bool = True,
    recompute: bool = False,
    kept: Optional[KeptWeights] = None,
) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """
    Compute the final word states and the sentence vectors. Arguments and results as in
    `slstm_allennlp.ops.slstm.batched.batched_slstm`, and

    kernels : `ModuleType`
        The elementwise operations for the tensors' device.
    need_words, need_sentence : `bool`, optional (default = `True`)
        A result that is not needed is not computed, and is None.
    recompute : `bool`, optional (default = `False`)
        Whether the backward pass recomputes the products of the forward pass, which saves memory.
    kept : `KeptWeights`, optional (default = `None`)
        A cache of prepared weights for calls without gradients.
    """
    x, x_mask = inputs, mask
    if weights.boundary_inputs is not None:
        x, x_mask = add_boundary(inputs, mask, weights.boundary_inputs)
    counts = x_mask.sum(1)
    cu_seqlens = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    places = x_mask.flatten().nonzero().squeeze(1)
    sentence_of = torch.div(places, x_mask.size(1), rounding_mode="floor")
    x = x.flatten(0, 1).index_select(0, places)  # (R, d)
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    need_gradients = torch.is_grad_enabled() and any(
        tensor is not None and tensor.requires_grad for tensor in (inputs, start, *weights)
    )
    laid_out = None
    if kept is not None and not need_gradients:
        laid_out = kept.get(kernels, weights, x.dtype)
        Ux = laid_out.of_x(x, weights.word_b.flatten())  # (R, G * h)
    else:
        Ux = linear(x, weights.word_U.flatten(0, 1), weights.word_b.flatten())

    transition, m = settings.transition, settings.num_sentence_nodes
    x = x.to(weights.word_W.dtype)
    if weights.initial_h is not None and weights.initial_c is not None:
        h, c = weights.initial_h, weights.initial_c
        g, cg = (state.expand(len(counts), -1) for state in (h, c))
    else:
        h, c = (x, x) if start is None else start.flatten(1, 2).index_select(1, places)
        g, cg = (_means(state, sentence_of, counts) for state in (h, c))

    candidate = x if transition.candidate == "input" else None
    sentence_b = None if weights.sentence_b is None else weights.sentence_b[0]
    step_inputs = _Inputs(cu_seqlens, sentence_of, Ux, candidate, sentence_b)
    step_weights = StepWeights.of(weights)
    states = _States(h, c, g if m else None, cg if m else None)
    words_matter = transition.sentence_vector != "node" or m == 0
    plan = _Plan(
        kernels=kernels,
        num_steps=settings.num_steps,
        window=settings.window_size,
        sigmoid_first=transition.gate_normalization == "sigmoid_softmax",
        shared_forget=transition.sentence_forget == "shared",
        need_words=need_words or words_matter,
        need_node=need_sentence and m == 1,
        recompute=recompute,
        need_gradients=need_gradients,
    )
    if laid_out is None:
        h, g = _FusedSteps.apply(plan, *step_inputs, *step_weights, *states)
    else:
        with torch.autocast(Ux.device.type, enabled=False):
            h, g = _Run(plan, step_inputs, step_weights).without_gradients(states, laid_out)

    words = sentences = None
    if need_words:
        words = h.new_zeros(x_mask.numel(), settings.hidden_size).index_copy(0, places, h)
        words = words.view(*x_mask.shape, -1)
        if weights.boundary_inputs is not None:
            words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    if need_sentence:
        if m == 0:
            sentences = _means(h, sentence_of, counts)
        elif transition.sentence_vector == "node":
            sentences = g
        else:
            total = _sums(h, sentence_of, len(counts)) + g
            number = counts + 1 if transition.sentence_vector == "mean" else counts.clamp(min=1)
            sentences = total / number.unsqueeze(1)
    return words, sentences


def _sums(states: Tensor, sentence_of: Tensor, sentences: int) -> Tensor:
    return states.new_zeros(sentences, states.size(1)).index_add_(0, sentence_of, states)


def _means(states: Tensor, sentence_of: Tensor, counts: Tensor) -> Tensor:
    """The mean over each sentence's words; zero if it has none."""
    return _sums(states, sentence_of, len(counts)) / counts.clamp(min=1).unsqueeze(1)


class _Inputs(NamedTuple):
    """The inputs of every step."""

    cu_seqlens: Tensor  # (B + 1)
    sentence_of: Tensor  # (R)
    Ux: Tensor  # (R, G * h), U x + b
    x: Optional[Tensor]  # (R, h), the candidate; None if it is u = tanh(…)
    sentence_b: Optional[Tensor]  # (2 or 3 gates, h), None without a sentence node


class _States(NamedTuple):
    """The states before a step."""

    h: Tensor  # (R, h), or (h,) before the first step if all words share one h
    c: Tensor  # as h
    g: Optional[Tensor]  # (B, h), None without a sentence node
    cg: Optional[Tensor]  # as g

    @property
    def is_one_row(self) -> bool:
        return self.h.dim() == 1


class _Step(NamedTuple):
    """
    The tensors of a step that the backward pass needs, or None if it recomputes them. It recomputes the
    first step's states from the start, the h of the other steps from the step before, and W ξ of a first
    step with one h for all words. With `recompute`, h is stored and the products are recomputed instead.
    """

    h: Optional[Tensor] = None  # as in `_States`
    c: Optional[Tensor] = None
    g: Optional[Tensor] = None
    cg: Optional[Tensor] = None
    pre: Optional[Tensor] = None  # W ξ, (R, G * h), in the precision of the products
    Vg: Optional[Tensor] = None  # (B, G * h)
    Wf: Optional[Tensor] = None  # W_f g + b_f, (B, h)
    fg: Optional[Tensor] = None  # pre-activation of f_g, (B, h)
    o: Optional[Tensor] = None  # pre-activation of o, (B, h)
    h_bar: Optional[Tensor] = None  # (B, h)
    log_total: Optional[Tensor] = None  # logarithm of the denominator of Eq. 3's softmax, (B, h)


_Fields = TypeVar("_Fields", _Inputs, StepWeights, _States, _Step)


def _next(kind: Type[_Fields], tensors: Iterator[Optional[Tensor]]) -> _Fields:
    """Take a tuple of this kind from an iterator of tensors."""
    return kind(*islice(tensors, len(kind._fields)))  # type: ignore[arg-type, return-value]


class _FusedSteps(torch.autograd.Function):
    """All steps as one function, from the tensors of `_Inputs`, `StepWeights`, `_States` to (hᵀ, gᵀ)."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, plan: _Plan, *tensors: Optional[Tensor]
    ) -> Tuple[Tensor, Optional[Tensor]]:
        left = iter(tensors)
        inputs, weights, start = _next(_Inputs, left), _next(StepWeights, left), _next(_States, left)
        with torch.autocast(inputs.Ux.device.type, enabled=False):
            steps, last = _Run(plan, inputs, weights).forward(start)
        ctx.plan = plan
        # All inputs: `differentiated_once` needs every tensor that requires grad.
        ctx.save_for_backward(*tensors, last.c, last.cg, *chain(*steps))
        return last.h, last.g

    @staticmethod
    @differentiated_once
    def backward(ctx: Any, dh: Tensor, dg: Optional[Tensor]) -> Any:  # type: ignore[override]
        left = iter(ctx.saved_tensors)
        inputs, weights, start = _next(_Inputs, left), _next(StepWeights, left), _next(_States, left)
        cells = next(left), next(left)
        steps = [_next(_Step, left) for _ in range(ctx.plan.num_steps)]
        with torch.autocast(dh.device.type, enabled=False):
            return None, *_Run(ctx.plan, inputs, weights).backward(start, steps, cells, dh, dg)


class _Run:
    """A forward and a backward pass over one batch."""

    def __init__(self, plan: _Plan, inputs: _Inputs, weights: StepWeights) -> None:
        self.plan, self.inputs, self.given = plan, inputs, weights
        self.cu_seqlens, self.sentence_of = inputs.cu_seqlens, inputs.sentence_of
        self.Ux, self.x, self.sentence_b = inputs.Ux, inputs.x, inputs.sentence_b
        counts = self.cu_seqlens[1:] - self.cu_seqlens[:-1]
        self.counts = counts.clamp(min=1).unsqueeze(1).to(weights.W.dtype)

    @cached_property
    def weights(self) -> ProductWeights:
        return ProductWeights(self.given, self.Ux.dtype, len(self.Ux), len(self.counts))

    def forward(self, start: _States) -> Tuple[List[_Step], _States]:
        """Run all steps. Return their records, if gradients are needed, and the last states."""
        states, steps = self.expanded(start), []
        for number in range(self.plan.num_steps):
            before, last = states, number == self.plan.num_steps - 1
            states, record = self.step(
                states,
                first=number == 0 and start.is_one_row,
                words=not last or self.plan.need_words,
                node=not last or self.plan.need_node,
            )
            if self.plan.need_gradients:
                if number:
                    h = before.h if self.plan.recompute else None
                    record = record._replace(h=h, c=before.c, g=before.g, cg=before.cg)
                steps.append(record)
        return steps, states

    def without_gradients(self, start: _States, laid_out: ForAllWords) -> Any:
        """Run all steps in one call of the compiled kernels. Return the last h and g."""
        plan = self.plan
        return plan.kernels.steps(
            self.cu_seqlens,
            plan.window,
            plan.sigmoid_first,
            plan.shared_forget,
            plan.num_steps,
            start.is_one_row,
            plan.need_words,
            plan.need_node,
            rounded(len(self.Ux)),
            rounded(len(self.counts)),
            laid_out.of_steps,
            None if self.sentence_b is None else self.sentence_b.flatten(),
            self.Ux,
            self.x,
            *self.expanded(start),
        )

    def expanded(self, start: _States) -> _States:
        """Expand the start to one state per word, and make it contiguous."""
        h, c, g, cg = start
        if start.is_one_row:
            h, c = (state.expand(len(self.Ux), -1) for state in (h, c))
        g, cg = (None if state is None else state.contiguous() for state in (g, cg))
        return _States(h.contiguous(), c.contiguous(), g, cg)

    def products(self, h: Tensor, first: bool) -> Tensor:
        """Compute W ξ of every word. In a `first` step, all words share one h: see `neighborhoods`."""
        if not first:
            return self.weights.W.forward(self.windows(h))[: len(h)]
        exists, neighborhood_of = self.neighborhoods
        of_each = self.weights.W.forward((exists * h[0]).flatten(1).to(self.weights.W.dtype))
        return of_each.index_select(0, neighborhood_of)

    def windows(self, h: Tensor) -> Tensor:
        """Return ξ of every word, padded with rows of zeros: (`rows_for`, (2k + 1) * h)."""
        rows, width = self.weights.W.rows_for(len(h)), (2 * self.plan.window + 1) * h.size(1)
        result = h.new_empty(rows, width, dtype=self.weights.W.dtype)
        result[len(h) :].zero_()
        self.plan.kernels.windows(self.cu_seqlens, self.plan.window, h, result[: len(h)])
        return result

    @cached_property
    def neighborhoods(self) -> Tuple[Tensor, Tensor]:
        """
        If all words share one h, their ξ differ only in which neighbours exist. So W ξ is computed once
        per neighbourhood, of which there are (k + 1)². Return which neighbours exist in each of them, as
        0 or 1, ((k + 1)², 2k + 1, 1), and the number of each word's neighbourhood, (R,).
        """
        k, device = self.plan.window, self.cu_seqlens.device
        position = torch.arange(len(self.sentence_of), device=device)
        left = (position - self.cu_seqlens[self.sentence_of]).clamp(max=k)
        right = (self.cu_seqlens[self.sentence_of + 1] - 1 - position).clamp(max=k)
        distance = torch.arange(-k, k + 1, device=device)
        reach = torch.arange(k + 1, device=device)
        exists = (distance >= -reach.view(-1, 1, 1)) & (distance <= reach.view(1, -1, 1))
        return exists.flatten(0, 1).unsqueeze(-1).to(self.counts.dtype), left * (k + 1) + right

    def step(self, states: _States, first: bool, words: bool, node: bool) -> Tuple[_States, _Step]:
        """Compute the next states, and the step's record without `states` if gradients are needed."""
        plan, kernels = self.plan, self.plan.kernels
        h, _, g, _ = states
        h_new, c_new, g_new, cg_new = states
        pre = Vg = Wf = fg = o = h_bar = log_total = None
        if g is not None:
            Vg, Wg = self.of_g(g)
        if words:
            pre = self.products(h, first)
            h_new, c_new = kernels.word_forward(*self.word_arguments(pre, Vg, states))
        if node and g is not None:
            Uf = self.of_words_for_node(h, first)
            h_bar = _sums(h, self.sentence_of, len(g)) / self.counts
            Wf, fg, o = self.node_gates(Wg, h_bar)
            g_new, cg_new, log_total = kernels.node_forward(
                *self.node_arguments(Uf, (Wf, fg, o), states)
            )
        record = _Step()
        if plan.need_gradients:
            record = _Step(h_bar=h_bar, log_total=log_total)
            if not plan.recompute:
                kept_pre, kept_Vg = None if first else pre, Vg if words else None
                record = record._replace(pre=kept_pre, Vg=kept_Vg, Wf=Wf, fg=fg, o=o)
        return _States(h_new, c_new, g_new, cg_new), record

    def word_arguments(self, pre: Tensor, Vg: Optional[Tensor], states: _States) -> Tuple[Any, ...]:
        """Return the arguments that the kernels of Eq. 2 share, forward and backward."""
        plan = self.plan
        numbers = self.cu_seqlens, plan.window, plan.sigmoid_first
        return (*numbers, pre, self.Ux, Vg, states.c, states.cg, self.x)

    def node_arguments(
        self, Uf: Tensor, gates: Tuple[Optional[Tensor], ...], states: _States
    ) -> Tuple[Any, ...]:
        """Return the arguments that the kernels of Eq. 3 share, forward and backward."""
        return (self.cu_seqlens, self.plan.sigmoid_first, Uf, *gates, states.c, states.cg)

    def of_words_for_node(self, h: Tensor, first: bool) -> Tensor:
        """Compute U_f h of every word; in a `first` step all words share one h, so one row is enough."""
        rows = h[:1] if first else h
        Uf = self.weights.for_word.forward(rows.to(self.weights.W.dtype))
        return Uf.expand(len(h), -1).contiguous() if first else Uf

    def of_g(self, g: Tensor) -> Tuple[Tensor, Tensor]:
        """Compute V g, (B, G * h), and W g + b of the node's gates, (B, 2 or 3 gates, h)."""
        Vg, Wg = self.weights.for_g.forward(g).split(self.weights.split, dim=1)
        return Vg.contiguous(), Wg.unflatten(1, (-1, g.size(1))) + self.sentence_b

    def node_gates(self, Wg: Tensor, h_bar: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        """Compute W_f g + b_f, and the pre-activations of f_g and o, (B, h) each."""
        of_mean = self.weights.for_mean.forward(h_bar).unflatten(1, (2, -1))
        first, second = (Wg[:, -2:] + of_mean).transpose(0, 1).contiguous()
        fg, o = (first, second) if self.plan.shared_forget else (second, first)
        return Wg[:, 0].contiguous(), fg, o

    def backward(
        self,
        start: _States,
        steps: List[_Step],
        cells: Tuple[Tensor, Optional[Tensor]],
        dh: Tensor,
        dg: Optional[Tensor],
    ) -> Tuple[Optional[Tensor], ...]:
        """Compute all gradients of `_FusedSteps`. `cells` are the last c and c_g."""
        c_new, cg_new = cells
        dh = dh.contiguous()
        dc, dcg = torch.zeros_like(dh), None
        if dg is not None:
            dg = dg.contiguous()
            dcg = torch.zeros_like(dg)
        rows = self.weights.W.rows_for(len(self.Ux))
        # To save memory, the rows of words are multiplied at about 4096, those of sentences at the end.
        words = min(len(steps) * rows, max(rows, 4096))
        d = _Gradients(self.inputs, self.given, words, len(self.counts) * len(steps))
        for number in reversed(range(len(steps))):
            first, last = number == 0 and start.is_one_row, number == len(steps) - 1
            words, node = not last or self.plan.need_words, not last or self.plan.need_node
            states = self.states_of(steps, number, start)
            step = self.with_gates(steps[number], states.g)
            # A state that the step did not change keeps its gradient.
            dh_old, dc_old = torch.zeros_like(dh) if words else dh.clone(), dc
            dg_old, dcg_old = (None, None) if node else (dg, dcg)
            if words:
                dc_old, dg_words, dcg_words = self.word_backward(
                    step, states, first, c_new, dh, dc, dh_old, d
                )
                dg_old, dcg_old = _sum(dg_old, dg_words), _sum(dcg_old, dcg_words)
            if node and states.g is not None:
                dg_node, dcg_node = self.node_backward(
                    step, states, first, cg_new, dg, dcg, dh_old, dc_old, d
                )
                dg_old, dcg_old = _sum(dg_old, dg_node), _sum(dcg_old, dcg_node)
            dh, dc, dg, dcg = dh_old, dc_old, dg_old, dcg_old
            c_new, cg_new = states.c, states.cg
        if start.is_one_row:
            dh, dc = dh.sum(0), dc.sum(0)
        return (None, None, d.Ux, d.x, d.sentence_b, *d.of_weights(), dh, dc, dg, dcg)

    def states_of(self, steps: List[_Step], number: int, start: _States) -> _States:
        """Return the states before a step; h is recomputed if it was not stored."""
        if number == 0:
            return self.expanded(start)
        step, before = steps[number], steps[number - 1]
        h = step.h
        assert step.c is not None  # stored in every step but the first
        if h is None:
            pre = self.products(self.expanded(start).h, first=True) if before.pre is None else before.pre
            h = self.plan.kernels.word_state(
                self.cu_seqlens, pre, self.Ux, before.Vg, step.c, self.x is None
            )
        return _States(h, step.c, step.g, step.cg)

    def with_gates(self, step: _Step, g: Optional[Tensor]) -> _Step:
        """Recompute the products with g, and the gates, if `recompute` has not stored them."""
        if not self.plan.recompute or g is None:
            return step
        Vg, Wg = self.of_g(g)
        if step.h_bar is None:  # the step did not compute the node's states
            return step._replace(Vg=Vg)
        Wf, fg, o = self.node_gates(Wg, step.h_bar)
        return step._replace(Vg=Vg, Wf=Wf, fg=fg, o=o)

    def word_backward(
        self,
        step: _Step,
        states: _States,
        first: bool,
        c_new: Tensor,
        dh: Tensor,
        dc: Tensor,
        dh_old: Tensor,
        d: "_Gradients",
    ) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
        """Differentiate Eq. 2. Return the gradients of c, g and c_g; add that of h to `dh_old`."""
        plan, kernels = self.plan, self.plan.kernels
        pre = self.products(states.h, first) if step.pre is None else step.pre
        rows = len(self.Ux)
        if first:
            d_pre = pre.new_empty(rows, pre.size(1))
        else:
            d_pre, xi = d.of_W.next(rows, self.weights.W.rows_for(rows))
        given = self.word_arguments(pre, step.Vg, states)
        d_Vg, dc_old, dcg_old = kernels.word_backward(*given, c_new, dh, dc, d_pre[:rows], d.Ux, d.x)
        if first:
            exists, neighborhood_of = self.neighborhoods
            d_of_each = _sums(d_pre.to(dh.dtype), neighborhood_of, len(exists))
            d.of_W.add(d_of_each, (exists * states.h[0]).flatten(1))
            # All words share one h, so any row may carry its gradient.
            d_xi = self.weights.W.backward(d_of_each).view(*exists.shape[:2], -1)
            dh_old[0] += (d_xi * exists).sum((0, 1))
        else:
            kernels.windows(self.cu_seqlens, plan.window, states.h, xi[:rows])
            d_xi = self.weights.W.backward(d_pre)[:rows]
            kernels.windows_backward(self.cu_seqlens, plan.window, d_xi, dh_old)
        if d_Vg is None or states.g is None:
            return dc_old, None, None
        d.of_V.add(d_Vg, states.g)
        return dc_old, self.weights.V.backward(d_Vg), dcg_old

    def node_backward(
        self,
        step: _Step,
        states: _States,
        first: bool,
        cg_new: Optional[Tensor],
        dg: Optional[Tensor],
        dcg: Optional[Tensor],
        dh_old: Tensor,
        dc_old: Tensor,
        d: "_Gradients",
    ) -> Tuple[Tensor, Tensor]:
        """Differentiate Eq. 3. Return the gradients of g and c_g; add those of h and c to `…_old`."""
        assert states.g is not None and step.h_bar is not None
        weights, own = self.weights, 0 if self.plan.shared_forget else 2
        U = weights.sentence_U
        rows = len(states.h)
        # Recompute U_f h: the product is small, but to store it takes memory for every word.
        if first:
            Uf = self.of_words_for_node(states.h, first)
            d_Uf = torch.empty_like(Uf)
        else:
            d_Uf, h = d.of_sentence_U[0].next(rows, U[0].rows_for(rows))
            h[:rows].copy_(states.h)
            Uf = U[0].forward(h)[:rows]
        given = self.node_arguments(Uf, (step.Wf, step.fg, step.o), states)
        d_Wf, d_fg, d_o, dcg_old = self.plan.kernels.node_backward(
            *given, cg_new, step.log_total, dg, dcg, d_Uf[:rows], dc_old
        )
        d_mean = (U[own].backward(d_fg) + U[1].backward(d_o)) / self.counts
        dh_old.add_(d_mean.index_select(0, self.sentence_of))
        if first:
            d_of_all = d_Uf.sum(0, keepdim=True, dtype=dh_old.dtype)
            d.of_sentence_U[0].add(d_of_all, states.h[:1])
            dh_old[:1] += U[0].backward(d_of_all)  # any row may carry it
        else:
            dh_old.add_(U[0].backward(d_Uf)[:rows])
        d_gates = [d_Wf + d_fg, d_o] if self.plan.shared_forget else [d_Wf, d_o, d_fg]
        d_Wg = torch.stack(d_gates, dim=1)
        d.of_sentence_U[1].add(d_o, step.h_bar)
        d.of_sentence_U[2].add(d_fg, step.h_bar)
        d.of_sentence_W.add(d_Wg.flatten(1), states.g)
        d.sentence_b = _sum(d.sentence_b, d_Wg.sum(0))
        return weights.sentence_W.backward(d_Wg.flatten(1)), dcg_old


class _Gradients:
    """
    The gradients that are summed over the steps. A weight's gradient is computed from at most about
    `words` rows of words, or `nodes` rows of sentence nodes, at a time.
    """

    def __init__(self, inputs: _Inputs, weights: StepWeights, words: int, nodes: int) -> None:
        W, V, sentence_W, sentence_U = weights
        self.Ux = torch.zeros_like(inputs.Ux, dtype=W.dtype)
        self.x = None if inputs.x is None else torch.zeros_like(inputs.x)
        self.sentence_b = None if inputs.sentence_b is None else torch.zeros_like(inputs.sentence_b)
        dtype = inputs.Ux.dtype
        self.of_W = _WeightGradient(W, words, dtype)
        self.num_gates = 0 if sentence_U is None else len(sentence_U)
        if V is None or sentence_W is None or sentence_U is None:
            return
        self.of_V, self.of_sentence_W = (_WeightGradient(part, nodes, dtype) for part in (V, sentence_W))
        # Of fᵢ, o and f_g. Even if f_g shares the U of fᵢ, its rows are collected separately: they are
        # one per sentence, not per word.
        self.of_sentence_U = [_WeightGradient(sentence_U[0], n, dtype) for n in (words, nodes, nodes)]

    def of_weights(self) -> Tuple[Optional[Tensor], ...]:
        """Return the gradients of `StepWeights`."""
        if not self.num_gates:
            return self.of_W.sum(), None, None, None
        f, o, own = (products.sum() for products in self.of_sentence_U)
        U = torch.stack([f + own, o] if self.num_gates == 2 else [f, o, own])
        return self.of_W.sum(), self.of_V.sum(), self.of_sentence_W.sum(), U


class _WeightGradient:
    """
    A weight's gradient Σ dᵀ x, in the weight's precision. The rows d and x of several steps are
    collected in buffers and multiplied in one product, which is faster than a product per step. The
    buffers are in `dtype` and hold at least `rows` rows.
    """

    def __init__(self, weight: Tensor, rows: int, dtype: torch.dtype) -> None:
        self._weight, self._dtype = weight, dtype
        self._sum: Optional[Tensor] = None
        self._allocate(rows)

    def _allocate(self, rows: int) -> None:
        n, m = self._weight.shape
        rows = rounded(rows)
        self._d = self._weight.new_empty(rows, n, dtype=self._dtype)
        self._x = self._weight.new_empty(rows, m, dtype=self._dtype)
        self._filled = 0

    def next(self, rows: int, places: int) -> Tuple[Tensor, Tensor]:
        """Return buffers of `places` rows for the next d and x. Those beyond `rows` are zero."""
        if self._filled + places > len(self._d):
            self.sum()
        if places > len(self._d):
            self._allocate(places)
        d, x = (part[self._filled : self._filled + places] for part in (self._d, self._x))
        self._filled += places
        if places > rows:
            d[rows:].zero_()
            x[rows:].zero_()
        return d, x

    def add(self, d: Tensor, x: Tensor) -> None:
        """Collect the rows d and x."""
        for place, tensor in zip(self.next(len(d), len(d)), (d, x)):
            place.copy_(tensor)

    def sum(self) -> Tensor:
        """Add the product of the collected rows to the sum, and empty the buffers. Return the sum."""
        places = rounded(self._filled)  # with fewer rows, the product would make a padded copy
        d, x = self._d[:places], self._x[:places]
        for part in (d, x):
            part[self._filled :].zero_()
        self._filled = 0
        summed = product_over_rows(d, x).to(self._weight.dtype)
        self._sum = summed if self._sum is None else self._sum.add_(summed)
        return self._sum


def _sum(first: Optional[Tensor], second: Optional[Tensor]) -> Optional[Tensor]:
    """Add two gradients; None stands for zero."""
    return second if first is None else first if second is None else first + second
