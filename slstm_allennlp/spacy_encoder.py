"""
The sentence-state LSTM as an encoder of spaCy's `Tok2Vec`. An entry point registers it, so a config
names it as it names spaCy's own encoders. It needs spaCy, and no AllenNLP.

    [components.tagger.model.tok2vec]
    @architectures = "spacy.Tok2Vec.v2"

    [components.tagger.model.tok2vec.encode]
    @architectures = "slstm.Encoder.v1"
    width = 96
    depth = 7
    dropout = 0.1
    window_size = 1
    transition = "paper"
"""

from typing import Any, Callable, Dict, Iterator, List, Tuple, Union

from spacy.util import registry
from thinc.api import ArgsKwargs, Model, PyTorchWrapper, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor
from torch.nn import Dropout, Module
from torch.nn.utils.rnn import pad_sequence

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.modules.checks import check_rate
from slstm_allennlp.modules.sentence_state_lstm import SentenceStateLSTM


@registry.architectures("slstm.Encoder.v1")
def slstm_encoder(
    width: int,
    depth: int = 7,
    dropout: float = 0.0,
    window_size: int = 1,
    transition: Union[str, Dict[str, Any]] = "paper",
) -> Model[List[Floats2d], List[Floats2d]]:
    """
    Return a thinc layer from the words' vectors of each document, (num_words, width), to their last
    states, (num_words, width). A document may have no words, and a batch no documents. `ValueError` that
    names the argument, its value and what is expected.

    # Parameters

    width : `int`
        The size of the vectors and of the states. The embedding layer must have the same.
    depth : `int`, optional (default = `7`)
        The number of recurrent steps, the same weights in each (`num_steps` elsewhere).
    dropout : `float`, optional (default = `0.0`)
        The dropout rate of the vectors and of the states. spaCy's `training.dropout` does not change it.
    window_size : `int`, optional (default = `1`)
        How many neighbours a word reads on each side in a step.
    transition : `str` or mapping, optional (default = `"paper"`)
        As in `SentenceStateLSTM`. A mapping is a block of its own in the config.
    """
    check_sizes(width=width, depth=depth, window_size=window_size)
    check_rate(dropout)
    slstm = SentenceStateLSTM(width, width, depth, window_size, transition=transition)
    module = _WordStates(slstm, Dropout(dropout))
    layer: Model[List[Floats2d], List[Floats2d]] = PyTorchWrapper(module, convert_outputs=_from_torch)
    layer.name = "slstm"
    layer.set_dim("nI", width)
    layer.set_dim("nO", width)
    return layer


class _WordStates(Module):
    """The last states of the words of each document, from their vectors, (num_words, width) each."""

    def __init__(self, slstm: SentenceStateLSTM, dropout: Dropout) -> None:
        super().__init__()
        self.slstm, self.dropout = slstm, dropout

    def forward(self, *documents: Tensor) -> List[Tensor]:
        result = list(documents)
        for group in _groups(list(map(len, documents))):
            lengths = [len(documents[index]) for index in group]
            inputs = pad_sequence([documents[index] for index in group], batch_first=True)
            if inputs.size(2) != self.slstm.input_size:
                raise ValueError(
                    f"width is {self.slstm.input_size}, expected {inputs.size(2)}, that of the embedding"
                )
            vectors = self.dropout(inputs.to(self.slstm.word_b.device))
            words, _ = self.slstm(vectors, need_sentence=False, lengths=lengths)
            for index, states, length in zip(group, self.dropout(words), lengths):
                result[index] = states[:length]
        return result


def _groups(lengths: List[int]) -> Iterator[List[int]]:
    """
    Divide documents into groups, in which at most three quarters are padding, so that one long document
    does not multiply time and memory. Yield their indices. Most batches are one group.
    """
    group: List[int] = []
    words = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * lengths[index] > 4 * (words + lengths[index]):
            yield sorted(group)
            group, words = [], 0
        group.append(index)
        words += lengths[index]
    if group:
        yield sorted(group)


def _from_torch(
    layer: Model, documents_and_states: Tuple[List[Floats2d], List[Tensor]], is_train: bool
) -> Tuple[List[Floats2d], Callable[[List[Floats2d]], ArgsKwargs]]:
    """Return the states as thinc's arrays, and what makes torch's arguments from their gradients."""
    _, states = documents_and_states

    def arguments(gradients: List[Floats2d]) -> ArgsKwargs:
        given = [xp2torch(gradient).to(states[0].device) for gradient in gradients]
        return ArgsKwargs(args=(states,), kwargs={"grad_tensors": given})

    arrays: Any = [torch2xp(of_document) for of_document in states]
    return arrays, arguments
