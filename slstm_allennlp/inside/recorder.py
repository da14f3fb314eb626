from contextlib import ExitStack
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple
from unittest import mock

import torch
from allennlp.data import Instance
from allennlp.data.fields import TextField
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_map

from slstm_allennlp.inside.hooks import after_forward
from slstm_allennlp.modules import AdditiveAttention, SentenceStateLSTM
from slstm_allennlp.modules.checks import mask_of
from slstm_allennlp.ops.slstm import SlstmSettings, SlstmTrace


class Reading(NamedTuple):
    """One sentence that one encoder read."""

    encoder: str  # its name in the model
    settings: SlstmSettings
    trace: SlstmTrace  # of the sentence's batch, without gradients
    row: int  # of the sentence in the batch
    field: Optional[str]  # the name of the instance's `TextField` that was read, if it is known
    words: Optional[List[str]]  # without boundary words, if they are known
    taken: str  # the outputs of the encoder that the model uses: "words", "sentence" or "both"
    # The weights of the last `AdditiveAttention` over exactly the encoder's words, if there is one.
    attention: Optional[Tensor] = None


class TraceRecorder:
    """
    Record every `SentenceStateLSTM` of a model within this context; `ValueError` for a model without
    one. The model's results do not change. They are those of the traces, by PyTorch operations instead
    of the kernels. `more_steps` is the number of steps to trace after the encoder's own.

    The autograd graph shows from which `TextField` an encoder's input was computed. So a premise and a
    hypothesis are not confused. The words are unknown if there is not exactly one such `TextField` with
    the same number of words, for example if the encoder reads characters.
    """

    def __init__(self, model: Model, more_steps: int = 0) -> None:
        self._model = model
        self._more_steps = more_steps
        self._encoders = {
            module: name.removesuffix("._module")
            for name, module in model.named_modules()
            if isinstance(module, SentenceStateLSTM)
        }
        if not self._encoders:
            raise ValueError(f"{type(model).__name__} has no S-LSTM, expected one")
        self._readings: List[Reading] = []
        self._instances: List[Instance] = []
        self._names: Dict[int, str] = {}  # of TextFields, by the id of their tensors
        self._embedded: List[Tuple[str, Tensor]] = []  # names and embeddings of TextFields
        self._encoded: List[Tuple[Tensor, Optional[Tensor], int]] = []  # words, mask, first reading
        self._hooks = ExitStack()

    def __enter__(self) -> "TraceRecorder":
        hooks = (
            (TextFieldEmbedder, self._embedded_field),
            (SentenceStateLSTM, self._traced),
            (AdditiveAttention, self._attended),
        )
        for kind, hook in hooks:
            for module in self._model.modules():
                if isinstance(module, kind):
                    self._hooks.enter_context(after_forward(module, hook))
        for method in ("forward", "forward_on_instances"):
            replacement = getattr(self, f"_{method}")
            self._hooks.enter_context(mock.patch.object(self._model, method, replacement))
        return self

    def __exit__(self, *_: Any) -> None:
        self._hooks.close()

    def take(self) -> List[Reading]:
        """Return the readings since the last call, in order."""
        readings, self._readings = self._readings, []
        return readings

    def _forward_on_instances(self, instances: List[Instance]) -> List[Dict[str, Any]]:
        self._instances = instances
        try:
            return type(self._model).forward_on_instances(self._model, instances)  # type: ignore[arg-type]
        finally:
            self._instances = []

    def _forward(self, **fields: Any) -> Any:
        self._names = {id(tensor): name for name, value in fields.items() for tensor in _tensors(value)}
        try:
            with torch.enable_grad():  # for `_texts`
                return _detached(type(self._model).forward(self._model, **fields))
        finally:
            self._names, self._embedded, self._encoded = {}, [], []

    def _embedded_field(self, _: TextFieldEmbedder, arguments: Any, embedded: Tensor) -> Tensor:
        given = (self._names.get(id(tensor)) for tensor in _tensors(arguments))
        field = next((name for name in given if name is not None), None)
        if field is None:
            return embedded
        leaf = embedded.detach().requires_grad_()
        self._embedded.append((field, leaf))
        return leaf.clone()  # the model may change it in place, unlike a leaf

    def _traced(self, encoder: SentenceStateLSTM, arguments: Any, _: Any) -> Tuple[Tensor, Tensor]:
        inputs, mask, need_words, need_sentence, lengths = arguments
        if lengths is not None:
            mask = mask_of(lengths, inputs)
        trace = encoder.trace(inputs, mask, self._more_steps)
        taken = "both" if need_words and need_sentence else "words" if need_words else "sentence"
        self._encoded.append((trace.words, mask, len(self._readings)))
        detached = _detached(trace)
        counts = trace.mask.sum(1) - 2 * encoder.settings.boundary
        for row, (count, texts) in enumerate(zip(counts, self._texts(inputs))):
            fitting = [(name, words) for name, words in texts.items() if len(words) == count]
            field, words = fitting[0] if len(fitting) == 1 else (None, None)
            name, settings = self._encoders[encoder], encoder.settings
            self._readings.append(Reading(name, settings, detached, row, field, words, taken))
        return trace.words, trace.sentence

    def _attended(self, attention: AdditiveAttention, arguments: Tuple[Any, ...], _: Tensor) -> None:
        """Add the weights to the readings of the encoder whose words the states are."""
        states, mask = arguments
        for words, mask_of_words, first in self._encoded:
            if torch.equal(states, words) and _same_masks(mask, mask_of_words):
                weights = attention.weights(states, mask).detach()
                for row, of_row in enumerate(weights):
                    of_words = of_row if mask is None else of_row[mask[row].bool()]
                    reading = self._readings[first + row]
                    self._readings[first + row] = reading._replace(attention=of_words)

    def _texts(self, inputs: Tensor) -> List[Dict[str, List[str]]]:
        """Return for each row the words of the instance's `TextField`s from which it was computed."""
        if len(self._instances) != len(inputs):
            return [{}] * len(inputs)
        leaves = {id(leaf) for leaf in _leaves(inputs)}
        names = {name for name, leaf in self._embedded if id(leaf) in leaves}
        return [
            {
                name: list(map(str, field.tokens))
                for name, field in instance.fields.items()
                if name in names and isinstance(field, TextField)
            }
            for instance in self._instances
        ]


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield every tensor in nested dictionaries, lists and tuples."""
    return (part for part in tree_flatten(value)[0] if isinstance(part, Tensor))


def _detached(value: Any) -> Any:
    """Return the same value without the autograd graph."""
    return tree_map(lambda part: part.detach() if isinstance(part, Tensor) else part, value)


def _same_masks(one: Optional[Tensor], other: Optional[Tensor]) -> bool:
    return one is other or (one is not None and other is not None and torch.equal(one, other))


def _leaves(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the leaf tensors from which a tensor was computed, from its autograd graph."""
    nodes, seen = [tensor.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                yield node.variable
            nodes.extend(before for before, _ in node.next_functions)
