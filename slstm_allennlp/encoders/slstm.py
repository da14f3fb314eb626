from typing import Any, List, Mapping, Optional, Union

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder
from allennlp.modules.seq2vec_encoders import Seq2VecEncoder

from slstm_allennlp.encoders.module_encoder import ModuleEncoder, errors_of, zero_without_words
from slstm_allennlp.modules.checks import check_rate
from slstm_allennlp.modules.lstm_arguments import advice_on
from slstm_allennlp.modules.pooling import check_poolings
from slstm_allennlp.modules.sentence_state_lstm import SentenceStateLSTM
from slstm_allennlp.ops.slstm import Transition


class SlstmEncoder(ModuleEncoder):
    """
    Base class of the two encoders registered as `slstm`: a `SentenceStateLSTM` with dropout.

    # Parameters

    dropout : `float`, optional (default = `0.0`)
        The dropout rate of the inputs and of the outputs. Leave it at zero if the model around the
        encoder already applies dropout to both, like `crf_tagger`.
    input_size, hidden_size, …
        All others as in `SentenceStateLSTM`. `ConfigurationError` for a value that is out of range, and
        for a key that only LSTMs have.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_steps: int = 9,
        window_size: int = 1,
        num_sentence_nodes: int = 1,
        boundary: Optional[bool] = None,
        transition: Union[str, Mapping[str, Any], Transition] = "paper",
        layer_norm: bool = False,
        recompute: bool = False,
        bfloat16: bool = False,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("slstm"):
            check_rate(dropout)
            self._module = SentenceStateLSTM(
                input_size,
                hidden_size,
                num_steps,
                window_size,
                num_sentence_nodes,
                boundary,
                transition,
                layer_norm,
                recompute,
                bfloat16,
            )
        self._dropout = torch.nn.Dropout(dropout)

    @classmethod
    def from_params(cls, params: Params, **extras: Any) -> "SlstmEncoder":  # type: ignore[override]
        """Build as AllenNLP does, but explain which keys only LSTMs have."""
        advice = advice_on(params.params)
        if advice is not None:
            raise ConfigurationError(advice)
        return super().from_params(params, **extras)  # type: ignore[misc]


@Seq2SeqEncoder.register("slstm")
class SlstmSeq2SeqEncoder(SlstmEncoder, Seq2SeqEncoder):  # type: ignore[misc]
    """
    The sentence-state LSTM as a sequence encoder. It returns every word's last state.
    Parameters and errors as in `SlstmEncoder`.
    """

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        words, _ = self._module(self._dropout(inputs), mask, need_sentence=False)
        return self._dropout(words)


@Seq2VecEncoder.register("slstm")
class SlstmSeq2VecEncoder(SlstmEncoder, Seq2VecEncoder):  # type: ignore[misc]
    """
    The sentence-state LSTM as a vector encoder. It returns the sentence vector of its transition (g in
    the paper), concatenated with the results of `pooling` over the words' last states.

    # Parameters

    pooling : `List[str]`, optional (default = `[]`)
        `"max"`, `"mean"` or both. Each adds `hidden_size` dimensions after the sentence vector.
    input_size, hidden_size, …
        All others as in `SlstmEncoder`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_steps: int = 9,
        window_size: int = 1,
        num_sentence_nodes: int = 1,
        boundary: Optional[bool] = None,
        transition: Union[str, Mapping[str, Any], Transition] = "paper",
        layer_norm: bool = False,
        recompute: bool = False,
        bfloat16: bool = False,
        *,
        dropout: float = 0.0,
        pooling: Optional[List[str]] = None,
    ) -> None:
        super().__init__(
            input_size,
            hidden_size,
            num_steps,
            window_size,
            num_sentence_nodes,
            boundary,
            transition,
            layer_norm,
            recompute,
            bfloat16,
            dropout=dropout,
        )
        with errors_of("slstm"):
            self._poolings = check_poolings(pooling or [])

    def get_output_dim(self) -> int:
        return (1 + len(self._poolings)) * self._module.output_size

    def _encode(self, inputs: torch.Tensor, mask: Optional[torch.Tensor]) -> torch.Tensor:
        words, sentences = self._module(self._dropout(inputs), mask, bool(self._poolings))
        parts = [sentences, *(pool(words, mask) for pool in self._poolings)]
        return zero_without_words(self._dropout(torch.cat(parts, dim=1)), mask)
