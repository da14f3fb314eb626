"""
The S-LSTM over packed words: nothing is computed for padding, the elementwise part of a step reads and
writes memory once (in kernels of its own), and the backward pass, written by hand, keeps little.

Under `torch.autocast` the matrix products are of its lower precision, and so is what goes into them and
what comes out: ξ, h, W ξ, U x and U_f h. Everything else, the states and all sums above all, is of the
weights' own precision.
"""

from functools import cached_property
from types import ModuleType
from typing import Any, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from slstm_allennlp.ops.boundary import add_boundary
from slstm_allennlp.ops.differentiated_once import differentiated_once
from slstm_allennlp.ops.products import linear, packed, product, product_over_rows, rounded, rows_for
from slstm_allennlp.ops.slstm.settings import SlstmSettings
from slstm_allennlp.ops.slstm.weights import SlstmWeights

_Node = Any  # a tensor, and None where there is no sentence node
_Kept = Any  # a tensor, and None where it is made again


class _Plan(NamedTuple):
    """What the steps need to know beside tensors."""

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
    """Whether `fused_slstm` has what the settings ask for."""
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
    need_sentences: bool = True,
    recompute: bool = False,
) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """
    The final states of the words and of the sentences. Arguments and results as in
    `slstm_allennlp.ops.slstm.batched.batched_slstm`; beside them

    kernels : `ModuleType`
        The elementwise operations, for the tensors' device.
    need_words, need_sentences : `bool`, optional (default = `True`)
        What is not needed is not computed, and None.
    recompute : `bool`, optional (default = `False`)
        Whether the backward pass computes the products of the forward pass anew, which saves memory.
    """
    x, x_mask = inputs, mask
    if weights.boundary_inputs is not None:
        x, x_mask = add_boundary(inputs, mask, weights.boundary_inputs)
    counts = x_mask.sum(1)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    places = x_mask.flatten().nonzero().squeeze(1)
    sentence_of = torch.div(places, x_mask.size(1), rounding_mode="floor")
    x = x.flatten(0, 1).index_select(0, places)  # (R, d), the words of all sentences
    if weights.projection_weight is not None:
        x = linear(x, weights.projection_weight, weights.projection_bias)
    Ux = linear(x, weights.word_U.flatten(0, 1), weights.word_b.flatten())  # (R, G * h)

    transition, m = settings.transition, settings.num_sentence_nodes
    x = x.to(weights.word_W.dtype)
    if weights.initial_h is not None and weights.initial_c is not None:
        h, c = weights.initial_h, weights.initial_c
        g, cg = h.expand(len(counts), -1), c.expand(len(counts), -1)
    else:
        h, c = (x, x) if start is None else start.flatten(1, 2).index_select(1, places)
        g, cg = (_means(states, sentence_of, counts) for states in (h, c))

    candidate = x if transition.candidate == "input" else None
    tensors = (
        Ux,
        candidate,
        h,
        c,
        *((g, cg) if m else (None, None)),
        weights.word_W.flatten(2).flatten(0, 1),
        None if weights.word_V is None else weights.word_V.flatten(2).flatten(0, 1),
        None if weights.sentence_W is None else weights.sentence_W.flatten(3).flatten(0, 2),
        None if weights.sentence_U is None else weights.sentence_U[0],
        None if weights.sentence_b is None else weights.sentence_b[0],
    )
    words_matter = transition.sentence_vector != "node" or m == 0
    plan = _Plan(
        kernels=kernels,
        num_steps=settings.num_steps,
        window=settings.window_size,
        sigmoid_first=transition.gate_normalization == "sigmoid_softmax",
        shared_forget=transition.sentence_forget == "shared",
        need_words=need_words or words_matter,
        need_node=need_sentences and m == 1,
        recompute=recompute,
        need_gradients=torch.is_grad_enabled()
        and any(tensor is not None and tensor.requires_grad for tensor in tensors),
    )
    h, g = _FusedSteps.apply(plan, offsets, sentence_of, *tensors)

    words = sentences = None
    if need_words:
        words = h.new_zeros(x_mask.numel(), settings.hidden_size).index_copy(0, places, h)
        words = words.view(*x_mask.shape, -1)
        if weights.boundary_inputs is not None:
            words = words[:, 1:-1].masked_fill(~mask.unsqueeze(-1), 0)
    if need_sentences:
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
    """The mean over each sentence's words, zero where it has none."""
    return _sums(states, sentence_of, len(counts)) / counts.clamp(min=1).unsqueeze(1)


class _States(NamedTuple):
    """What a step starts from."""

    h: Tensor  # (R, h), or (h) where all words of the first step have one
    c: Tensor  # the same
    g: _Node  # (B, h)
    cg: _Node  # (B, h)

    @property
    def is_one_row(self) -> bool:
        return self.h.dim() == 1


class _Step(NamedTuple):
    """
    What the backward pass needs of a step, None where it is made again: the first step's states from the
    start, the others' h from the step before. Under `recompute` h is kept, and what comes of products
    is made again, but for the few rows of a first step from one h.
    """

    h: _Kept = None  # as in `_States`
    c: _Kept = None
    g: _Kept = None
    cg: _Kept = None
    # W ξ, (R, G * h), of the products' precision; one row a kind of word, where all words had the same h
    pre: _Kept = None
    Vg: _Kept = None  # (B, G * h)
    Wf: _Kept = None  # W_f g + b_f, (B, h)
    fg: _Kept = None  # f̂_g before its sigmoid, (B, h)
    o: _Kept = None  # o before its sigmoid, (B, h)
    h_bar: _Node = None  # (B, h)
    log_total: _Node = None  # of Eq. 3's softmax, (B, h)


class _FusedSteps(torch.autograd.Function):
    """All steps at once: (Ux, x, h⁰, c⁰, g⁰, c_g⁰, weights) to (hᵀ, gᵀ), with `_Run` for the work."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        plan: _Plan,
        offsets: Tensor,
        sentence_of: Tensor,
        Ux: Tensor,
        x: Optional[Tensor],
        h: Tensor,
        c: Tensor,
        g: _Node,
        cg: _Node,
        W: Tensor,
        V: _Node,
        sentence_W: _Node,
        sentence_U: _Node,
        sentence_b: _Node,
    ) -> Tuple[Tensor, _Node]:
        run = _Run(plan, offsets, sentence_of, Ux, x, W, V, sentence_W, sentence_U, sentence_b)
        start = _States(h, c, g, cg)
        with torch.autocast(Ux.device.type, enabled=False):
            steps, last = run.forward(start)
        weights = W, V, sentence_W, sentence_U, sentence_b
        tensors = [tensor for step in steps for tensor in step]
        # The start, too, so that all that has a gradient is among them.
        ctx.save_for_backward(offsets, sentence_of, Ux, x, *weights, last.c, last.cg, *start, *tensors)
        ctx.plan = plan
        return last.h, last.g

    @staticmethod
    @differentiated_once
    def backward(ctx: Any, dh: Tensor, dg: _Node) -> Any:  # type: ignore[override]
        saved = ctx.saved_tensors
        run, start, of_steps = _Run(ctx.plan, *saved[:9]), _States(*saved[11:15]), saved[15:]
        width = len(_Step._fields)
        steps = [_Step(*of_steps[at : at + width]) for at in range(0, len(of_steps), width)]
        with torch.autocast(dh.device.type, enabled=False):
            gradients = run.backward(start, steps, saved[9], saved[10], dh, dg)
        return (None, None, None, *gradients)


class _Weight:
    """A weight W, (n, m), of products in `dtype` with so many rows each."""

    def __init__(self, W: Tensor, dtype: torch.dtype, rows: int) -> None:
        self._W, self._rows = W.to(dtype), rows
        self.dtype = dtype

    @cached_property
    def _forward(self) -> Tensor:
        return packed(self._W, self._rows)

    @cached_property
    def _backward(self) -> Tensor:
        return packed(self._W.t(), self._rows)

    def rows_for(self, rows: int) -> int:
        """As in `slstm_allennlp.ops.products`."""
        return rows_for(rows, self._W)

    def forward(self, x: Tensor) -> Tensor:
        """x Wᵀ, in the precision of x."""
        return product(x.to(self.dtype), self._forward).to(x.dtype)

    def backward(self, d: Tensor) -> Tensor:
        """d W, in the precision of d."""
        return product(d.to(self.dtype), self._backward).to(d.dtype)


class _Run:
    """One pass over one batch: the weights, and the steps."""

    def __init__(
        self,
        plan: _Plan,
        offsets: Tensor,
        sentence_of: Tensor,
        Ux: Tensor,
        x: Optional[Tensor],
        W: Tensor,
        V: _Node,
        sentence_W: _Node,
        sentence_U: _Node,
        sentence_b: _Node,
    ) -> None:
        self.plan, self.offsets, self.sentence_of = plan, offsets, sentence_of
        self.Ux, self.x, self.sentence_b = Ux, x, sentence_b
        self.weights = W, V, sentence_W, sentence_U, sentence_b
        sentences = len(offsets) - 1
        self.counts = (offsets[1:] - offsets[:-1]).clamp(min=1).unsqueeze(1).to(W.dtype)
        self.W = _Weight(W, Ux.dtype, len(Ux))
        if V is not None:
            self.V = _Weight(V, Ux.dtype, sentences)
            self.sentence_W = _Weight(sentence_W, Ux.dtype, sentences)
            self.sentence_U = [
                _Weight(U, Ux.dtype, len(Ux) if gate == 0 else sentences)
                for gate, U in enumerate(sentence_U)
            ]

    def forward(self, start: _States) -> Tuple[List[_Step], _States]:
        """The steps' records, if there will be a backward pass, and the last states."""
        states, steps = self.whole(start), []
        for number in range(self.plan.num_steps):
            before, last = states, number == self.plan.num_steps - 1
            states, record = self.step(
                states,
                first=number == 0 and start.is_one_row,
                words=not last or self.plan.need_words,
                node=not last or self.plan.need_node,
            )
            if record is not None:
                if number:
                    h = before.h if self.plan.recompute else None
                    record = record._replace(h=h, c=before.c, g=before.g, cg=before.cg)
                steps.append(record)
        return steps, states

    def whole(self, start: _States) -> _States:
        """The start with states for every word, in order in memory."""
        h, c, g, cg = start
        if start.is_one_row:
            h, c = (state.expand(len(self.Ux), -1) for state in (h, c))
        g, cg = (None if state is None else state.contiguous() for state in (g, cg))
        return _States(h.contiguous(), c.contiguous(), g, cg)

    def products(self, h: Tensor, first: bool) -> Tensor:
        """W ξ for every word, or for every kind of word in a first step from one h."""
        if not first:
            return self.W.forward(self.windows(h))[: len(h)]
        there, _ = self.kinds
        return self.W.forward((there * h[0]).flatten(1).to(self.W.dtype))

    def row_of(self, first: bool) -> Optional[Tensor]:
        """Which of the rows of `products` is each word's, (R); None where it is its own."""
        return self.kinds[1] if first else None

    def windows(self, h: Tensor) -> Tensor:
        """ξ of every word, and zeros: (`rows_for`, (2k + 1) * h)."""
        rows, width = self.W.rows_for(len(h)), (2 * self.plan.window + 1) * h.size(1)
        result = h.new_empty(rows, width, dtype=self.W.dtype)
        result[len(h) :].zero_()
        self.plan.kernels.windows(self.offsets, self.plan.window, h, result[: len(h)])
        return result

    @cached_property
    def kinds(self) -> Tuple[Tensor, Tensor]:
        """
        Where every word has the same h, words differ only in which neighbours they lack: for each kind
        of word, which of ξ's places are taken, (kinds, 2k + 1, 1); and each word's kind, (R).
        """
        k, device = self.plan.window, self.offsets.device
        position = torch.arange(len(self.sentence_of), device=device)
        left = (position - self.offsets[self.sentence_of]).clamp(max=k)
        right = (self.offsets[self.sentence_of + 1] - 1 - position).clamp(max=k)
        distance = torch.arange(-k, k + 1, device=device)
        reach = torch.arange(k + 1, device=device)
        there = (distance >= -reach.view(-1, 1, 1)) & (distance <= reach.view(1, -1, 1))
        return there.flatten(0, 1).unsqueeze(-1).to(self.counts.dtype), left * (k + 1) + right

    def step(
        self, states: _States, first: bool, words: bool, node: bool
    ) -> Tuple[_States, Optional[_Step]]:
        """The next states; and, if there will be a backward pass, the record but for `states`."""
        plan, kernels = self.plan, self.plan.kernels
        h, c, g, cg = states
        new, record = states, _Step()
        if words:
            pre, row_of = self.products(h, first), self.row_of(first)
            Vg = None if g is None else self.V.forward(g)
            h_new, c_new = kernels.word_forward(
                self.offsets, plan.window, plan.sigmoid_first, pre, row_of, self.Ux, Vg, c, cg, self.x
            )
            new = new._replace(h=h_new, c=c_new)
            if first or not plan.recompute:
                record = record._replace(pre=pre)
            if not plan.recompute:
                record = record._replace(Vg=Vg)
        if node and g is not None:
            Uf = self.of_words_for_node(h, first)
            h_bar = _sums(h, self.sentence_of, len(g)) / self.counts
            Wf, fg, o = self.node_gates(g, h_bar)
            g_new, cg_new, log_total = kernels.node_forward(
                self.offsets, plan.sigmoid_first, Uf, Wf, fg, o, c, cg
            )
            new = new._replace(g=g_new, cg=cg_new)
            record = record._replace(h_bar=h_bar, log_total=log_total)
            if not plan.recompute:
                record = record._replace(Wf=Wf, fg=fg, o=o)
        return new, record if plan.need_gradients else None

    def of_words_for_node(self, h: Tensor, first: bool) -> Tensor:
        """U_f h of every word, by one row where all have the same h."""
        rows = h[:1] if first else h
        return self.sentence_U[0].forward(rows.to(self.W.dtype)).expand(len(h), -1).contiguous()

    def node_gates(self, g: Tensor, h_bar: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        """W_f g + b_f for the words' gates, the pre-activations of f_g and of o, (B, h) each."""
        Wg = self.sentence_W.forward(g).unflatten(1, (-1, g.size(1))) + self.sentence_b
        own = 0 if self.plan.shared_forget else 2
        fg = Wg[:, own] + self.sentence_U[own].forward(h_bar)
        o = Wg[:, 1] + self.sentence_U[1].forward(h_bar)
        return Wg[:, 0].contiguous(), fg.contiguous(), o.contiguous()

    def backward(
        self,
        start: _States,
        steps: List[_Step],
        c_last: Tensor,
        cg_last: _Node,
        dh: Tensor,
        dg: _Node,
    ) -> Tuple[Optional[Tensor], ...]:
        """The gradients of Ux, x, h⁰, c⁰, g⁰, c_g⁰ and the weights."""
        dh = dh.contiguous()
        dc, dcg = torch.zeros_like(dh), None
        if dg is not None:
            dg = dg.contiguous()
            dcg = torch.zeros_like(dg)
        rows = self.W.rows_for(len(self.Ux))
        # Words take memory, so that theirs are summed up now and then; sentences at the end.
        words = min(len(steps) * rows, max(rows, 4096))
        d = _Gradients(self.Ux, self.x, words, len(self.counts) * len(steps), *self.weights)
        new = c_last, cg_last  # what the step came to
        for number in reversed(range(len(steps))):
            first, last = number == 0 and start.is_one_row, number == len(steps) - 1
            words, node = not last or self.plan.need_words, not last or self.plan.need_node
            step, states = steps[number], self.states_of(steps, number, start)
            # What a step left as it was has its gradient as it was.
            dh_old, dc_old = torch.zeros_like(dh) if words else dh.clone(), dc
            dg_old, dcg_old = (None, None) if node else (dg, dcg)
            c_new, cg_new = new
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
            new = states.c, states.cg
        if start.is_one_row:
            dh, dc = dh.sum(0), dc.sum(0)
        return (d.Ux, d.x, dh, dc, dg, dcg, *d.of_weights())

    def states_of(self, steps: List[_Step], number: int, start: _States) -> _States:
        """What the step starts from."""
        if number == 0:
            return self.whole(start)
        step, before = steps[number], steps[number - 1]
        h = step.h
        if h is None:
            row_of = self.row_of(first=number == 1 and start.is_one_row)
            h = self.plan.kernels.word_state(
                self.offsets, before.pre, row_of, self.Ux, before.Vg, step.c, self.x is None
            )
        return _States(h, step.c, step.g, step.cg)

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
    ) -> Tuple[Tensor, _Node, _Node]:
        """Eq. 2: the gradients of the step's c, g and c_g; those of its h are added to `dh_old`."""
        plan, kernels = self.plan, self.plan.kernels
        pre = self.products(states.h, first) if step.pre is None else step.pre
        Vg = self.V.forward(states.g) if step.Vg is None and states.g is not None else step.Vg
        rows = len(self.Ux)
        if first:
            d_pre = pre.new_empty(rows, pre.size(1))
        else:
            d_pre, xi = d.of_W.next(rows, self.W.rows_for(rows))
        d_Vg, dc_old, dcg_old = kernels.word_backward(
            self.offsets,
            plan.window,
            plan.sigmoid_first,
            pre,
            self.row_of(first),
            self.Ux,
            Vg,
            states.c,
            states.cg,
            self.x,
            c_new,
            dh,
            dc,
            d_pre[:rows],
            d.Ux,
            d.x,
        )
        if first:
            there, kind_of = self.kinds
            d_kinds = _sums(d_pre.to(dh.dtype), kind_of, len(there))
            d.of_W.add(d_kinds, (there * states.h[0]).flatten(1))
            # All words have the one h, so that any of them may carry its gradient.
            dh_old[0] += (self.W.backward(d_kinds).view(*there.shape[:2], -1) * there).sum((0, 1))
        else:
            kernels.windows(self.offsets, plan.window, states.h, xi[:rows])
            d_xi = self.W.backward(d_pre)[:rows]
            kernels.windows_backward(self.offsets, plan.window, d_xi, dh_old)
        if d_Vg is None:
            return dc_old, None, None
        d.of_V.add(d_Vg, states.g)
        return dc_old, self.V.backward(d_Vg), dcg_old

    def node_backward(
        self,
        step: _Step,
        states: _States,
        first: bool,
        cg_new: _Node,
        dg: _Node,
        dcg: _Node,
        dh_old: Tensor,
        dc_old: Tensor,
        d: "_Gradients",
    ) -> Tuple[Tensor, Tensor]:
        """Eq. 3: the gradients of the step's g and c_g; those of its h and c are added to the others."""
        U, own = self.sentence_U, 0 if self.plan.shared_forget else 2
        rows = len(states.h)
        Wf, fg, o = step.Wf, step.fg, step.o
        if Wf is None:
            Wf, fg, o = self.node_gates(states.g, step.h_bar)
        # U_f h anew: a small product, and memory for every word if it were kept.
        if first:
            Uf = self.of_words_for_node(states.h, first)
            d_Uf = torch.empty_like(Uf)
        else:
            d_Uf, h = d.of_sentence_U[0].next(rows, U[0].rows_for(rows))
            h[:rows].copy_(states.h)
            Uf = U[0].forward(h)[:rows]
        d_Wf, d_fg, d_o, dcg_old = self.plan.kernels.node_backward(
            self.offsets,
            self.plan.sigmoid_first,
            Uf,
            Wf,
            fg,
            o,
            states.c,
            states.cg,
            cg_new,
            step.log_total,
            dg,
            dcg,
            d_Uf[:rows],
            dc_old,
        )
        d_mean = (U[own].backward(d_fg) + U[1].backward(d_o)) / self.counts
        dh_old.add_(d_mean.index_select(0, self.sentence_of))
        if first:
            d_of_all = d_Uf.sum(0, keepdim=True, dtype=dh_old.dtype)
            d.of_sentence_U[0].add(d_of_all, states.h[:1])
            dh_old[:1] += U[0].backward(d_of_all)  # any word may carry it
        else:
            dh_old.add_(U[0].backward(d_Uf)[:rows])
        d_Wg = dcg_old.new_zeros(len(dcg_old), *self.sentence_b.shape)
        d_Wg[:, 0] += d_Wf
        d_Wg[:, own] += d_fg
        d_Wg[:, 1] += d_o
        d.of_own_forget.add(d_fg, step.h_bar)
        d.of_sentence_U[1].add(d_o, step.h_bar)
        d.of_sentence_W.add(d_Wg.flatten(1), states.g)
        d.sentence_b.add_(d_Wg.sum(0))
        return self.sentence_W.backward(d_Wg.flatten(1)), dcg_old


class _Gradients:
    """
    What is summed up over the steps, by the name of what it is the gradient of; of the weights' rows for
    `words` words and for `nodes` sentence nodes at a time.
    """

    def __init__(self, Ux: Tensor, x: Optional[Tensor], words: int, nodes: int, *weights: _Node) -> None:
        W, V, sentence_W, sentence_U, sentence_b = weights
        self.Ux = torch.zeros_like(Ux, dtype=W.dtype)
        self.x = None if x is None else torch.zeros_like(x)
        dtype = Ux.dtype
        self.of_W = _Products(W, words, dtype)
        self.has_node = sentence_U is not None
        if self.has_node:
            self.of_V = _Products(V, nodes, dtype)
            self.of_sentence_W = _Products(sentence_W, nodes, dtype)
            self.of_sentence_U = [
                _Products(U, words if gate == 0 else nodes, dtype) for gate, U in enumerate(sentence_U)
            ]
            # f_g's U may be that of the words' f_i, whose rows come by the words.
            self.is_shared = len(sentence_U) == 2
            self.of_own_forget = (
                _Products(sentence_U[0], nodes, dtype) if self.is_shared else self.of_sentence_U[2]
            )
            self.sentence_b = torch.zeros_like(sentence_b)

    def of_weights(self) -> Tuple[Optional[Tensor], ...]:
        """The gradients of W, V, sentence_W, sentence_U and sentence_b."""
        if not self.has_node:
            return self.of_W.sum(), None, None, None, None
        U = torch.stack([products.sum() for products in self.of_sentence_U])
        if self.is_shared:
            U[0] += self.of_own_forget.sum()
        return self.of_W.sum(), self.of_V.sum(), self.of_sentence_W.sum(), U, self.sentence_b


class _Products:
    """
    Σ dᵀ x in a weight's precision, for the rows d and x of several steps by one product, which takes
    less time than one a step. At least `rows` are kept at a time, in `dtype`.
    """

    def __init__(self, weight: Tensor, rows: int, dtype: torch.dtype) -> None:
        self._weight, self._dtype = weight, dtype
        self._sum: Optional[Tensor] = None
        self._make_places(rows)

    def _make_places(self, rows: int) -> None:
        n, m = self._weight.shape
        rows = rounded(rows)
        self._d = self._weight.new_empty(rows, n, dtype=self._dtype)
        self._x = self._weight.new_empty(rows, m, dtype=self._dtype)
        self._filled = 0

    def next(self, rows: int, places: int) -> Tuple[Tensor, Tensor]:
        """The places for some more rows of d and of x, with zeros behind them."""
        if self._filled + places > len(self._d):
            self._add()
        if places > len(self._d):
            self._make_places(places)
        d, x = (part[self._filled : self._filled + places] for part in (self._d, self._x))
        self._filled += places
        if places > rows:
            d[rows:].zero_()
            x[rows:].zero_()
        return d, x

    def add(self, d: Tensor, x: Tensor) -> None:
        """Some more rows."""
        for place, tensor in zip(self.next(len(d), len(d)), (d, x)):
            place.copy_(tensor)

    def sum(self) -> Tensor:
        if self._filled or self._sum is None:
            self._add()
        assert self._sum is not None
        return self._sum

    def _add(self) -> None:
        places = rounded(self._filled)  # which the product would make a copy for
        d, x = self._d[:places], self._x[:places]
        for part in (d, x):
            part[self._filled :].zero_()
        self._filled = 0
        summed = product_over_rows(d, x).to(self._weight.dtype)
        self._sum = summed if self._sum is None else self._sum.add_(summed)


def _sum(first: _Node, second: _Node) -> _Node:
    """Their sum, where None is nothing."""
    return second if first is None else first if second is None else first + second
